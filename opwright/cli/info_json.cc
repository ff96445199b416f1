#include "opwright/cli/info_json.h"

#include <type_traits>
#include <variant>

#include "opwright/cli/names.h"

namespace opwright::cli {
namespace {

using Json = nlohmann::ordered_json;
using testing::ArgumentDeclaration;
using testing::AttrDeclaration;
using testing::AttrValue;
using testing::OpDeclaration;

Json ElementJson(const AttrValue::Element& element) {
  return std::visit(
      [](const auto& value) -> Json {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, DType>) {
          return Name(value);
        } else if constexpr (std::is_same_v<T, Shape>) {
          if (!value.known_rank()) return nullptr;
          return std::vector<int64_t>(value.dims(), value.dims() + value.rank());
        } else {
          return value;
        }
      },
      element);
}

Json ValueJson(const AttrValue& value) {
  if (!value.is_list()) return ElementJson(value.elements().at(0));
  Json list = Json::array();
  for (const auto& element : value.elements()) list.push_back(ElementJson(element));
  return list;
}

Json AttrJson(const AttrDeclaration& attr) {
  Json json;
  json["name"] = attr.name;
  json["kind"] = testing::KindText(attr.kind, attr.is_list);
  json["selects_kernel"] = attr.selects_kernel;
  if (!attr.allowed_types.empty()) {
    Json& allowed = json["allowed"] = Json::array();
    for (DType dtype : attr.allowed_types) allowed.push_back(Name(dtype));
  }
  if (!attr.allowed_strings.empty()) json["allowed"] = attr.allowed_strings;
  if (attr.minimum) json["minimum"] = *attr.minimum;
  if (attr.fallback) json["default"] = ValueJson(*attr.fallback);
  return json;
}

Json ArgumentJson(const OpDeclaration& op, const ArgumentDeclaration& argument) {
  Json json;
  json["name"] = argument.name;
  json["kind"] = KindName(argument.kind);
  json["type"] = argument.text;
  json["dtypes"] = DTypesOf(op, argument);
  json["list"] = argument.is_list();
  return json;
}

Json OpJson(const OpDeclaration& op) {
  Json json;
  json["name"] = op.name;
  json["function"] = PythonFunction(op.name);
  json["opwright"] = op.sdk_version;
  json["abi"] = op.abi_version;
  json["compiler"] = op.compiler;
  for (const char* list : {"attributes", "inputs", "outputs"}) json[list] = Json::array();
  for (const auto& attr : op.attrs) json["attributes"].push_back(AttrJson(attr));
  for (const auto& input : op.inputs) json["inputs"].push_back(ArgumentJson(op, input));
  for (const auto& output : op.outputs) json["outputs"].push_back(ArgumentJson(op, output));
  json["forwards"] = op.forwards;
  json["stateful"] = op.stateful;
  json["gradient"] = op.has_gradient;
  if (!op.has_gradient) json["no_gradient"] = op.no_gradient;
  json["devices"] = op.devices;
  return json;
}

}  // namespace

Json InfoJson(const std::string& file, const std::vector<OpDeclaration>& ops) {
  Json json;
  json["file"] = file;
  json["ops"] = Json::array();
  for (const OpDeclaration& op : ops) json["ops"].push_back(OpJson(op));
  return json;
}

std::vector<std::string> DTypesOf(const OpDeclaration& op, const ArgumentDeclaration& argument) {
  if (argument.dtype != DType::kInvalid) return {Name(argument.dtype)};
  const AttrDeclaration* attr =
      op.attr(argument.type_attr.empty() ? argument.types_attr : argument.type_attr);
  std::vector<std::string> names;
  for (const detail::DTypeInfo& info : detail::kDTypes) {
    const bool any = !attr || attr->allowed_types.empty();
    bool allowed = any;
    if (!any) {
      for (DType dtype : attr->allowed_types) allowed = allowed || dtype == info.dtype;
    }
    if (allowed) names.emplace_back(info.name);
  }
  return names;
}

const char* KindName(testing::ArgumentKind kind) {
  switch (kind) {
    case testing::ArgumentKind::kInput:
      return "input";
    case testing::ArgumentKind::kHostInput:
      return "host_input";
    case testing::ArgumentKind::kShapeValue:
      return "shape_value";
    case testing::ArgumentKind::kOptionalInput:
      return "optional_input";
    case testing::ArgumentKind::kOutput:
      return "output";
  }
  return "?";
}

}  // namespace opwright::cli
