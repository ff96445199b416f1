#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>

#include "opwright/testing/declaration.h"

// The part of a declaration that has a grammar: TensorFlow's for attributes, see OpDefBuilder. A
// default is written as in a protocol buffer's text format.

namespace opwright OPWRIGHT_HIDDEN {
namespace testing {
namespace {

using Element = AttrValue::Element;

class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  bool Done() {
    SkipSpace();
    return rest_.empty();
  }
  bool Take(std::string_view token) {
    SkipSpace();
    if (rest_.substr(0, token.size()) != token) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  void Expect(std::string_view token) {
    Require(Take(token), "\"", std::string(token), "\" was expected at \"", rest(), "\"");
  }
  bool AtQuote() {
    SkipSpace();
    return !rest_.empty() && (rest_.front() == '\'' || rest_.front() == '"');
  }
  std::string rest() const { return std::string(rest_); }

  // Letters, digits and underscores.
  std::string Word() {
    SkipSpace();
    size_t n = 0;
    while (n < rest_.size() &&
           (std::isalnum(static_cast<unsigned char>(rest_[n])) != 0 || rest_[n] == '_')) {
      ++n;
    }
    return Cut(n);
  }
  int64_t Integer() {
    const std::string text(Digits());
    char* end = nullptr;
    errno = 0;
    const long long value = std::strtoll(text.c_str(), &end, 10);
    Require(errno == 0 && end == text.c_str() + text.size() && !text.empty(), "\"", text,
            "\" is not an integer of 64 bits");
    return value;
  }
  // Attributes have 32 bits.
  double Real() {
    const std::string text(Digits());
    char* end = nullptr;
    const float value = std::strtof(text.c_str(), &end);
    Require(end == text.c_str() + text.size() && !text.empty(), "\"", text, "\" is no number");
    return static_cast<double>(value);
  }
  std::string Quoted() {
    const bool quoted = AtQuote();
    Require(quoted, "a string in quotes was expected at \"", rest(), "\"");
    const char quote = Next();
    std::string value;
    while (!rest_.empty() && rest_.front() != quote) value += Character();
    Require(!rest_.empty(), "a string has no closing quote");
    rest_.remove_prefix(1);
    return value;
  }

 private:
  void SkipSpace() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }
  std::string Cut(size_t n) {
    std::string word(rest_.substr(0, n));
    rest_.remove_prefix(n);
    return word;
  }
  std::string Digits() {
    SkipSpace();
    return Cut(std::min(rest_.find_first_of(" ,]}"), rest_.size()));
  }
  char Next() {
    Require(!rest_.empty(), "a string has no closing quote");
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  char Character() {
    const char c = Next();
    if (c != '\\') return c;
    const char escaped = Next();
    switch (escaped) {
      case 'n':
        return '\n';
      case 't':
        return '\t';
      case 'r':
        return '\r';
      case '\\':
      case '\'':
      case '"':
        return escaped;
      default:
        Fail("a string has the escape \\", std::string(1, escaped), ", which is not read");
    }
  }

  std::string_view rest_;
};

Shape ReadShape(Cursor& cursor) {
  cursor.Expect("{");
  Shape shape(0, nullptr);
  while (!cursor.Take("}")) {
    const std::string field = cursor.Word();
    if (field == "unknown_rank") {
      cursor.Expect(":");
      if (cursor.Word() == "true") shape = Shape::Unknown();
    } else {
      Require(field == "dim", "\"", field, "\" is no field of a shape");
      cursor.Take(":");
      cursor.Expect("{");
      cursor.Expect("size");
      cursor.Expect(":");
      shape.Append(cursor.Integer());
      cursor.Expect("}");
    }
    cursor.Take(",");
  }
  return shape;
}

DType ReadTypeDefault(Cursor& cursor) {
  const std::string word = cursor.Word();
  std::string name = word.substr(std::min<size_t>(3, word.size()));
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const DType dtype = ParseDType(name);
  Require(word.substr(0, 3) == "DT_" && dtype != DType::kInvalid, "\"", word,
          "\" is no type; write it as DT_FLOAT");
  return dtype;
}

Element ReadValue(Cursor& cursor, int32_t kind) {
  switch (kind) {
    case OPWRIGHT_INT:
      return cursor.Integer();
    case OPWRIGHT_FLOAT:
      return cursor.Real();
    case OPWRIGHT_STRING:
      return cursor.Quoted();
    case OPWRIGHT_TYPE:
      return ReadTypeDefault(cursor);
    case OPWRIGHT_SHAPE:
      return ReadShape(cursor);
    default: {
      const std::string word = cursor.Word();
      Require(word == "true" || word == "false", "\"", word, "\" is neither true nor false");
      return word == "true";
    }
  }
}

AttrValue ReadDefault(Cursor& cursor, int32_t kind, bool is_list) {
  if (!is_list) return AttrValue(kind, false, {ReadValue(cursor, kind)});
  std::vector<Element> elements;
  cursor.Expect("[");
  while (!cursor.Take("]")) {
    elements.push_back(ReadValue(cursor, kind));
    cursor.Take(",");
  }
  return AttrValue(kind, true, std::move(elements));
}

std::vector<DType> NumberTypes(bool with_complex) {
  std::vector<DType> types;
  for (const detail::DTypeInfo& info : detail::kDTypes) {
    const bool is_complex = info.dtype == DType::kComplex64 || info.dtype == DType::kComplex128;
    if (info.dtype != DType::kBool && (with_complex || !is_complex)) types.push_back(info.dtype);
  }
  return types;
}

// The rest of {'open', 'closed'} or {float, double}.
void ReadChoice(Cursor& cursor, AttrDeclaration& attr) {
  attr.kind = cursor.AtQuote() ? OPWRIGHT_STRING : OPWRIGHT_TYPE;
  while (!cursor.Take("}")) {
    if (attr.kind == OPWRIGHT_STRING) {
      attr.allowed_strings.push_back(cursor.Quoted());
    } else {
      const std::string name = cursor.Word();
      attr.allowed_types.push_back(ParseDType(name));
      Require(attr.allowed_types.back() != DType::kInvalid, "\"", name, "\" is no dtype");
    }
    cursor.Take(",");
  }
}

void ReadKind(Cursor& cursor, AttrDeclaration& attr) {
  if (cursor.Take("{")) return ReadChoice(cursor, attr);
  const std::string word = cursor.Word();
  attr.kind = OPWRIGHT_TYPE;
  if (word == "numbertype" || word == "realnumbertype") {
    attr.allowed_types = NumberTypes(word == "numbertype");
    return;
  }
  for (attr.kind = OPWRIGHT_INT; attr.kind <= OPWRIGHT_SHAPE; ++attr.kind) {
    if (word == KindText(attr.kind, false)) return;
  }
  Fail("\"", word, "\" is no kind of attribute");
}

}  // namespace

AttrDeclaration ParseAttr(std::string name, std::string_view text) {
  AttrDeclaration attr;
  attr.name = std::move(name);
  attr.text = text;
  Cursor cursor(text);
  attr.is_list = cursor.Take("list(");
  ReadKind(cursor, attr);
  if (attr.is_list) cursor.Expect(")");
  if (cursor.Take(">=")) attr.minimum = cursor.Integer();
  if (cursor.Take("=")) attr.fallback = ReadDefault(cursor, attr.kind, attr.is_list);
  Require(cursor.Done(), "\"", cursor.rest(), "\" was not understood");
  return attr;
}

}  // namespace testing
}  // namespace opwright
