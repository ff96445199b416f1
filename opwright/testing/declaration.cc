#include "opwright/testing/declaration.h"

#include <algorithm>
#include <cstdlib>

namespace opwright OPWRIGHT_HIDDEN {
namespace testing {
namespace {

std::string_view Trim(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

// The halves around the first `separator`; the second is empty if there is none.
std::pair<std::string_view, std::string_view> Split(std::string_view s, char separator) {
  const size_t at = s.find(separator);
  if (at == s.npos) return {Trim(s), {}};
  return {Trim(s.substr(0, at)), Trim(s.substr(at + 1))};
}

ArgumentDeclaration ParseArgument(const OpDeclaration& op, ArgumentKind kind,
                                  std::string_view spec) {
  const auto [name, text] = Split(spec, ':');
  Require(!name.empty() && !text.empty(), "an input or output is \"name: type\"");
  ArgumentDeclaration argument;
  argument.name = name;
  argument.text = text;
  argument.kind = kind;

  std::string_view type = text;
  if (text.find('*') != text.npos) {
    const auto [length, element] = Split(text, '*');
    argument.length_attr = length;
    type = element;
    const AttrDeclaration* attr = op.attr(argument.length_attr);
    Require(attr && attr->kind == OPWRIGHT_INT && !attr->is_list, "the length ",
            argument.length_attr, " is no attribute of kind int");
  }
  argument.dtype = ParseDType(type);
  if (argument.dtype != DType::kInvalid) return argument;
  const AttrDeclaration* attr = op.attr(std::string(type));
  Require(attr && attr->kind == OPWRIGHT_TYPE && !(attr->is_list && !argument.length_attr.empty()),
          "the type ", std::string(type), " is no dtype, and no attribute that is a type");
  (attr->is_list ? argument.types_attr : argument.type_attr) = type;
  return argument;
}

int ParseNumber(std::string_view text) {
  Require(!text.empty() && text.size() < 8 && text.find_first_not_of("0123456789") == text.npos,
          "\"", std::string(text), "\" is no number");
  return std::atoi(std::string(text).c_str());
}

// Whether the line is an input or output.
bool ParseArgumentLine(OpDeclaration& op, std::string_view keyword, std::string_view rest) {
  const std::pair<std::string_view, ArgumentKind> keywords[] = {
      {"input", ArgumentKind::kInput},
      {"host_input", ArgumentKind::kHostInput},
      {"shape_value", ArgumentKind::kShapeValue},
      {"optional_input", ArgumentKind::kOptionalInput},
      {"output", ArgumentKind::kOutput}};
  for (const auto& [known, kind] : keywords) {
    if (keyword != known) continue;
    auto& to = kind == ArgumentKind::kOutput ? op.outputs : op.inputs;
    to.push_back(ParseArgument(op, kind, rest));
    return true;
  }
  return false;
}

void ParseLine(OpDeclaration& op, std::string_view line) {
  const size_t space = std::min(line.find(' '), line.size());
  const std::string_view keyword = line.substr(0, space), rest = Trim(line.substr(space));
  if (ParseArgumentLine(op, keyword, rest)) return;
  if (keyword == "opwright") {
    op.sdk_version = rest;
  } else if (keyword == "abi") {
    op.abi_version = rest;
  } else if (keyword == "compiler") {
    op.compiler = rest;
  } else if (keyword == "op") {
    op.name = rest;
  } else if (keyword == "type_attr" || keyword == "attr") {
    const auto [name, text] = Split(rest, ':');
    op.attrs.push_back(ParseAttr(std::string(name), text));
    op.attrs.back().selects_kernel = keyword == "type_attr";
  } else if (keyword == "forward") {
    const auto [input, output] = Split(rest, ' ');
    op.forwards.emplace_back(ParseNumber(input), ParseNumber(output));
  } else if (keyword == "stateful") {
    op.stateful = true;
  } else if (keyword == "gradient") {
    op.has_gradient = true;
  } else if (keyword == "no_gradient") {
    op.no_gradient = rest;
  } else if (keyword == "device") {
    op.devices.emplace_back(rest);
  } else {
    Fail("the keyword ", std::string(keyword), " is not known to this opwright ", OPWRIGHT_VERSION,
         "; a newer one may have written it");
  }
}

void CheckForwards(const OpDeclaration& op) {
  for (const auto& [input, output] : op.forwards) {
    Require(static_cast<size_t>(input) < op.inputs.size() &&
                static_cast<size_t>(output) < op.outputs.size(),
            "the declaration of ", op.name, " forwards input ", input, " to output ", output,
            "; it has ", op.inputs.size(), " and ", op.outputs.size());
  }
}

}  // namespace

const AttrDeclaration* OpDeclaration::attr(const std::string& attr_name) const {
  for (const AttrDeclaration& declared : attrs) {
    if (declared.name == attr_name) return &declared;
  }
  return nullptr;
}

DType ParseDType(std::string_view name) {
  for (const detail::DTypeInfo& info : detail::kDTypes) {
    if (name == info.name) return info.dtype;
  }
  return DType::kInvalid;
}

OpDeclaration ParseDeclaration(std::string_view text) {
  OpDeclaration op;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    try {
      ParseLine(op, line);
    } catch (const Error& e) {
      throw Error(e.code(), "the declaration of ", op.name.empty() ? "an op" : op.name,
                  " has the line \"", std::string(line), "\": ", e.what());
    }
  }
  Require(!op.name.empty(), "a declaration has no line \"op NAME\"");
  CheckForwards(op);
  return op;
}

}  // namespace testing
}  // namespace opwright
