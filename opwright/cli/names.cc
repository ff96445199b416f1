#include "opwright/cli/names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "opwright/cli/failure.h"

namespace opwright::cli {
namespace {

constexpr std::array kCppKeywords = {"alignas",       "alignof",     "and",
                                     "and_eq",        "asm",         "auto",
                                     "bitand",        "bitor",       "bool",
                                     "break",         "case",        "catch",
                                     "char",          "char16_t",    "char32_t",
                                     "char8_t",       "class",       "co_await",
                                     "co_return",     "co_yield",    "compl",
                                     "concept",       "const",       "const_cast",
                                     "consteval",     "constexpr",   "constinit",
                                     "continue",      "decltype",    "default",
                                     "delete",        "do",          "double",
                                     "dynamic_cast",  "else",        "enum",
                                     "explicit",      "export",      "extern",
                                     "false",         "float",       "for",
                                     "friend",        "goto",        "if",
                                     "inline",        "int",         "long",
                                     "mutable",       "namespace",   "new",
                                     "noexcept",      "not",         "not_eq",
                                     "nullptr",       "operator",    "or",
                                     "or_eq",         "private",     "protected",
                                     "public",        "register",    "reinterpret_cast",
                                     "requires",      "return",      "short",
                                     "signed",        "sizeof",      "static",
                                     "static_assert", "static_cast", "struct",
                                     "switch",        "template",    "this",
                                     "thread_local",  "throw",       "true",
                                     "try",           "typedef",     "typeid",
                                     "typename",      "union",       "unsigned",
                                     "using",         "virtual",     "void",
                                     "volatile",      "wchar_t",     "while",
                                     "xor",           "xor_eq"};

constexpr std::array kPythonKeywords = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

// Targets of CMake and make, and what opwright itself is called.
constexpr std::array kBuildNames = {"all",     "clean",    "edit_cache", "help", "install",
                                    "package", "opwright", "tensorflow", "test"};

template <typename Table>
bool Has(const Table& table, const std::string& name) {
  return std::any_of(table.begin(), table.end(), [&](const char* entry) { return name == entry; });
}

// In the C locale, whatever the person's.
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
char Upper(char c) { return IsLower(c) ? static_cast<char>(c - 'a' + 'A') : c; }
char Lower(char c) { return IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

bool IsIdentifier(const std::string& name) {
  if (name.empty() || IsDigit(name[0])) return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return IsUpper(c) || IsLower(c) || IsDigit(c) || c == '_'; });
}

std::string CamelOf(const std::string& snake) {
  std::string camel;
  bool word_begins = true;
  for (char c : snake) {
    if (c != '_') camel += word_begins ? Upper(c) : c;
    word_begins = c == '_';
  }
  return camel;
}

void CheckForm(const std::string& name) {
  if (!IsIdentifier(name)) {
    FailUsage(
        "'{}' is no name for an op: take letters, digits and '_', and begin with a letter, as in "
        "wave_gate or WaveGate.",
        name);
  }
  const bool capitals = std::any_of(name.begin(), name.end(), IsUpper);
  if (name.front() == '_' || name.back() == '_' || name.find("__") != name.npos ||
      (capitals && name.find('_') != name.npos)) {
    FailUsage("'{}' is neither snake_case nor CamelCase: write it as in wave_gate or WaveGate.",
              name);
  }
}

void CheckTaken(const std::string& given, const std::string& name) {
  if (Has(kCppKeywords, name)) {
    FailUsage("'{}' is a keyword of C++: choose another name, as in my_{}.", given, name);
  }
  if (Has(kPythonKeywords, name)) {
    FailUsage("'{}' is a keyword of Python: choose another name, as in my_{}.", given,
              PythonFunction(name));
  }
  if (Has(kBuildNames, name)) {
    FailUsage("'{}' has a meaning of its own in builds: choose another name, as in my_{}.", given,
              name);
  }
}

}  // namespace

std::string PythonFunction(const std::string& op) {
  std::string function;
  for (size_t i = 0; i < op.size(); ++i) {
    const bool after_lower = i > 0 && IsLower(op[i - 1]);
    const bool before_lower = i > 0 && i + 1 < op.size() && IsLower(op[i + 1]);
    if (op[i] == '>') {
      function += '_';
      continue;
    }
    if (IsUpper(op[i]) && (after_lower || before_lower) && function.back() != '_') function += '_';
    function += Lower(op[i]);
  }
  return function;
}

Names MakeNames(const std::string& name, const std::string& op_namespace) {
  CheckForm(name);
  Names names;
  if (std::any_of(name.begin(), name.end(), IsUpper)) {
    names.camel = name;
    names.camel[0] = Upper(name[0]);
    names.snake = PythonFunction(names.camel);
  } else {
    names.snake = name;
    names.camel = CamelOf(name);
  }
  names.op = names.camel;
  if (!op_namespace.empty()) {
    if (!IsIdentifier(op_namespace) || !IsUpper(op_namespace[0])) {
      FailUsage(
          "'{}' is no namespace for ops: take letters and digits, and begin with a capital, as in "
          "--namespace MyProject.",
          op_namespace);
    }
    names.op = op_namespace + ">" + names.camel;
  }
  names.function = PythonFunction(names.op);
  CheckTaken(name, names.snake);
  CheckTaken(name, names.camel);
  return names;
}

}  // namespace opwright::cli
