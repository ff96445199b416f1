#pragma once

#include <initializer_list>

#include "opwright/op/schema.h"

// Faults of a declaration, found while the op is compiled.

namespace opwright OPWRIGHT_HIDDEN {
namespace detail {

struct Slice {
  const char* begin;
  const char* end;
  constexpr bool empty() const { return begin == end; }
};

constexpr Slice Trim(Slice s) {
  while (s.begin != s.end && *s.begin == ' ') ++s.begin;
  while (s.begin != s.end && *(s.end - 1) == ' ') --s.end;
  return s;
}
constexpr const char* Find(Slice s, char c) {
  while (s.begin != s.end && *s.begin != c) ++s.begin;
  return s.begin;
}
constexpr Slice Whole(const char* text) {
  const char* end = text;
  while (*end) ++end;
  return {text, end};
}
constexpr bool Equal(Slice a, Slice b) {
  if (a.end - a.begin != b.end - b.begin) return false;
  for (; a.begin != a.end; ++a.begin, ++b.begin) {
    if (*a.begin != *b.begin) return false;
  }
  return true;
}
constexpr bool IsWord(Slice s) {
  if (s.empty() || (*s.begin >= '0' && *s.begin <= '9')) return false;
  for (; s.begin != s.end; ++s.begin) {
    const char c = *s.begin;
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')) {
      return false;
    }
  }
  return true;
}

// The halves of "name: rest".
constexpr Slice NameOf(const char* spec) {
  const Slice all = Whole(spec);
  return Trim({all.begin, Find(all, ':')});
}
constexpr Slice RestOf(const char* spec) {
  const Slice all = Whole(spec);
  const char* colon = Find(all, ':');
  return colon == all.end ? Slice{all.end, all.end} : Trim({colon + 1, all.end});
}
// The type in "N * T" and in "T".
constexpr Slice TypeOf(const char* spec) {
  const Slice rest = RestOf(spec);
  const char* star = Find(rest, '*');
  return star == rest.end ? rest : Trim({star + 1, rest.end});
}
constexpr bool IsList(const char* spec) {
  const Slice rest = RestOf(spec);
  return Find(rest, '*') != rest.end;
}

constexpr bool IsDType(Slice type) {
  for (const DTypeInfo& info : kDTypes) {
    if (Equal(type, Whole(info.name))) return true;
  }
  return false;
}
// The item's number, or -1. (Not its address: with -fsanitize=undefined, g++ takes the comparison
// of an address with null for no constant.)
constexpr int FindAttr(const Schema& schema, Slice name) {
  for (int i = 0; i < schema.n_items; ++i) {
    const Item& item = schema.items[i];
    const bool attr = item.kind == ItemKind::kAttr || item.kind == ItemKind::kTypeAttr;
    if (attr && Equal(NameOf(item.spec), name)) return i;
  }
  return -1;
}
constexpr bool KnownAttrKind(Slice rest) {
  if (rest.empty()) return false;
  if (*rest.begin == '{') return true;
  const char* end = rest.begin;
  while (end != rest.end && *end != ' ' && *end != '=' && *end != '>') ++end;
  const Slice kind = {rest.begin, end};
  for (const char* known :
       {"int", "float", "bool", "string", "type", "shape", "list(int)", "list(float)", "list(bool)",
        "list(string)", "list(type)", "list(shape)", "numbertype", "realnumbertype"}) {
    if (Equal(kind, Whole(known))) return true;
  }
  const Slice list = Whole("list({");
  return kind.end - kind.begin > list.end - list.begin &&
         Equal({kind.begin, kind.begin + (list.end - list.begin)}, list);
}

// In "{...}" and "list({...})", dtypes or texts in quotes. Other braces are those of a default that
// is a shape.
constexpr bool ChoicesAreGood(Slice rest) {
  const char* c = Find(rest, '{');
  const Slice before = {rest.begin, c};
  if (c == rest.end || !(before.empty() || Equal(before, Whole("list(")))) return true;
  do {
    ++c;
    while (c != rest.end && *c == ' ') ++c;
    const char* begin = c;
    if (c != rest.end && (*c == '\'' || *c == '"')) {
      c = Find({c + 1, rest.end}, *c);
      if (c != rest.end) ++c;
      while (c != rest.end && *c == ' ') ++c;
    } else {
      while (c != rest.end && *c != ',' && *c != '}') ++c;
      if (!IsDType(Trim({begin, c}))) return false;
    }
  } while (c != rest.end && *c == ',');
  return c != rest.end && *c == '}';
}

// Words that the Python functions which TensorFlow writes for ops cannot have as an argument's
// name, or use for something of their own.
constexpr bool IsTakenInPython(Slice name) {
  for (const char* word :
       {"and",    "as",   "assert",   "async", "await",  "break", "class", "continue",
        "def",    "del",  "elif",     "else",  "except", "exec",  "False", "finally",
        "for",    "from", "global",   "if",    "import", "in",    "is",    "lambda",
        "name",   "None", "nonlocal", "not",   "or",     "pass",  "print", "raise",
        "return", "True", "try",      "while", "with",   "yield"}) {
    if (Equal(name, Whole(word))) return true;
  }
  return false;
}

// TensorFlow's rule for the names of inputs and outputs.
constexpr bool IsArgumentName(Slice s) {
  if (!IsWord(s) || *s.begin == '_') return false;
  for (; s.begin != s.end; ++s.begin) {
    if (*s.begin >= 'A' && *s.begin <= 'Z') return false;
  }
  return true;
}

// A least value, as in "N: int >= 1", is for integers and for the lengths of lists.
constexpr bool MayHaveMinimum(Slice rest) {
  for (const char* c = rest.begin; c + 1 < rest.end; ++c) {
    if (c[0] != '>' || c[1] != '=') continue;
    const Slice kind = Trim({rest.begin, c});
    return Equal(kind, Whole("int")) || (kind.end - kind.begin > 5 && *kind.begin == 'l');
  }
  return true;
}

enum class Fault {
  kNone,
  kTooMany,
  kSpec,
  kArgumentName,
  kMinimum,
  kTypeAttrName,
  kAttrKind,
  kChoices,
  kPythonName,
  kUnsupportedType,
  kUnknownType,
  kTwice,
  kOptionalList,
  kOptionalType,
  kForward,
};

// Its type is known even if the input is absent. The default of an attribute does not do: in eager
// mode TensorFlow does not apply it to the type of an empty list.
constexpr bool TypeKnownWithout(const Schema& schema, int optional) {
  const Slice type = TypeOf(schema.input(optional).spec);
  if (IsDType(type)) return true;
  for (int i = 0; i < schema.n_inputs; ++i) {
    const bool always = schema.input(i).kind != ItemKind::kOptionalInput;
    if (always && Equal(TypeOf(schema.input(i).spec), type)) return true;
  }
  return false;
}

constexpr Fault CheckArgument(const Schema& schema, const char* spec) {
  if (!IsWord(NameOf(spec)) || RestOf(spec).empty()) return Fault::kSpec;
  if (!IsArgumentName(NameOf(spec))) return Fault::kArgumentName;
  const Slice type = TypeOf(spec);
  for (const char* unsupported : {"string", "resource", "variant"}) {
    if (Equal(type, Whole(unsupported))) return Fault::kUnsupportedType;
  }
  if (!IsDType(type) && FindAttr(schema, type) < 0) return Fault::kUnknownType;
  if (IsList(spec)) {
    const Slice rest = RestOf(spec);
    if (FindAttr(schema, Trim({rest.begin, Find(rest, '*')})) < 0) return Fault::kUnknownType;
  }
  return Fault::kNone;
}

constexpr Fault CheckSchema(const Schema& schema) {
  if (schema.n_items > Schema::kMaxItems) return Fault::kTooMany;
  for (int i = 0; i < schema.n_items; ++i) {
    const Item& item = schema.items[i];
    const bool argument = IsInput(item.kind) || IsOutput(item.kind);
    if (item.kind == ItemKind::kTypeAttr && !IsWord(Whole(item.spec))) return Fault::kTypeAttrName;
    if (item.kind == ItemKind::kAttr) {
      if (!IsWord(NameOf(item.spec))) return Fault::kSpec;
      if (!KnownAttrKind(RestOf(item.spec))) return Fault::kAttrKind;
      if (!ChoicesAreGood(RestOf(item.spec))) return Fault::kChoices;
      if (!MayHaveMinimum(RestOf(item.spec))) return Fault::kMinimum;
      if (IsTakenInPython(NameOf(item.spec))) return Fault::kPythonName;
    }
    if (argument) {
      const Fault fault = CheckArgument(schema, item.spec);
      if (fault != Fault::kNone) return fault;
    }
    if (!argument && item.kind != ItemKind::kAttr && item.kind != ItemKind::kTypeAttr) continue;
    for (int j = 0; j < i; ++j) {
      const Item& other = schema.items[j];
      if (other.spec && other.kind != ItemKind::kName &&
          Equal(NameOf(item.spec), NameOf(other.spec))) {
        return Fault::kTwice;
      }
    }
  }
  for (int i = 0; i < schema.n_inputs; ++i) {
    if (schema.input(i).kind != ItemKind::kOptionalInput) continue;
    if (IsList(schema.input(i).spec)) return Fault::kOptionalList;
    if (!TypeKnownWithout(schema, i)) return Fault::kOptionalType;
  }
  for (int i = 0; i < schema.n_items; ++i) {
    const Item& item = schema.items[i];
    if (item.kind != ItemKind::kForward) continue;
    if (item.first < 0 || item.first >= schema.n_inputs || item.second < 0 ||
        item.second >= schema.n_outputs || schema.input(item.first).kind != ItemKind::kInput ||
        IsList(schema.input(item.first).spec) || IsList(schema.output(item.second).spec) ||
        !Equal(TypeOf(schema.input(item.first).spec), TypeOf(schema.output(item.second).spec))) {
      return Fault::kForward;
    }
  }
  return Fault::kNone;
}

}  // namespace detail
}  // namespace opwright
