#pragma once

#include <cstddef>

#include "opwright/op/abi.h"
#include "opwright/op/check.h"
#include "opwright/op/version.h"

// A declaration as text, made by the compiler: what the table carries, and what `opwright info`
// reads from the file without loading it. docs/abi.md describes the lines.

namespace opwright OPWRIGHT_HIDDEN {
namespace detail {

#define OPWRIGHT_STRING_(x) #x
#define OPWRIGHT_STRING(x) OPWRIGHT_STRING_(x)
#if defined(__clang__)
#define OPWRIGHT_COMPILER "clang " __clang_version__
#else
#define OPWRIGHT_COMPILER "g++ " __VERSION__
#endif

// Counts, and writes if there is room to write to.
struct Writer {
  char* out;
  size_t n;

  constexpr void Put(char c) {
    if (out) out[n] = c;
    ++n;
  }
  constexpr void Put(Slice s) {
    for (; s.begin != s.end; ++s.begin) Put(*s.begin == '\n' ? ' ' : *s.begin);
  }
  constexpr void Put(const char* text) {
    while (*text) Put(*text++);
  }
  constexpr void Line(const char* keyword, const char* text) {
    Put(keyword);
    Put(' ');
    Put(Whole(text));
    Put('\n');
  }
  constexpr void Put(int x) {
    if (x >= 10) Put(x / 10);
    Put(static_cast<char>('0' + x % 10));
  }
};

constexpr void WriteTypeAttr(Writer& w, const Item& item) {
  w.Put("type_attr ");
  w.Put(item.spec);
  w.Put(": {");
  for (const int32_t* code = item.dtypes; *code; ++code) {
    if (code != item.dtypes) w.Put(',');
    w.Put(Name(static_cast<DType>(*code)));
  }
  w.Put('}');
  if (item.fallback != DType::kInvalid) {
    w.Put(" = DT_");
    for (const char* c = Name(item.fallback); *c; ++c) {
      w.Put(*c >= 'a' && *c <= 'z' ? static_cast<char>(*c - 'a' + 'A') : *c);
    }
  }
  w.Put('\n');
}

// "bias: T" is a list of a length that is an attribute of its own.
constexpr void WriteOptional(Writer& w, const Item& item) {
  w.Put("attr n_");
  w.Put(NameOf(item.spec));
  w.Put(": int >= 0\noptional_input ");
  w.Put(NameOf(item.spec));
  w.Put(": n_");
  w.Put(NameOf(item.spec));
  w.Put(" * ");
  w.Put(RestOf(item.spec));
  w.Put('\n');
}

constexpr void WriteItem(Writer& w, const Item& item) {
  switch (item.kind) {
    case ItemKind::kName:
      break;
    case ItemKind::kTypeAttr:
      WriteTypeAttr(w, item);
      break;
    case ItemKind::kAttr:
      w.Line("attr", item.spec);
      break;
    case ItemKind::kInput:
      w.Line("input", item.spec);
      break;
    case ItemKind::kHostInput:
      w.Line("host_input", item.spec);
      break;
    case ItemKind::kShapeValue:
      w.Line("shape_value", item.spec);
      break;
    case ItemKind::kOptionalInput:
      WriteOptional(w, item);
      break;
    case ItemKind::kOutput:
      w.Line("output", item.spec);
      break;
    case ItemKind::kForward:
      w.Put("forward ");
      w.Put(item.first);
      w.Put(' ');
      w.Put(item.second);
      w.Put('\n');
      break;
    case ItemKind::kStateful:
      w.Put("stateful\n");
      break;
  }
}

// The op's name: that of its declaration, or what stands behind the last "::" of its spelling.
constexpr const char* OpName(const Schema& schema, const char* spelling) {
  const char* name = spelling;
  for (const char* c = spelling; *c; ++c) {
    if (*c == ':') name = c + 1;
  }
  for (int i = 0; i < schema.n_items; ++i) {
    if (schema.items[i].kind == ItemKind::kName) name = schema.items[i].spec;
  }
  return name;
}

// no_gradient: why there is none, or null.
constexpr size_t WriteDeclaration(const Schema& schema, const char* spelling,
                                  const char* no_gradient, char* out) {
  Writer w{out, 0};
  w.Line("opwright", OPWRIGHT_VERSION);
  w.Line("abi", OPWRIGHT_STRING(OPWRIGHT_ABI_MAJOR) "." OPWRIGHT_STRING(OPWRIGHT_ABI_MINOR));
  w.Line("compiler", OPWRIGHT_COMPILER);
  w.Line("op", OpName(schema, spelling));
  for (int i = 0; i < schema.n_items; ++i) WriteItem(w, schema.items[i]);
  if (no_gradient) {
    w.Line("no_gradient", no_gradient);
  } else {
    w.Put("gradient\n");
  }
  w.Line("device", "CPU");
  w.Put('\0');
  return w.n;
}

template <size_t kSize>
struct Text {
  char chars[kSize] = {};
};

}  // namespace detail
}  // namespace opwright
