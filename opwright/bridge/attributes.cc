#include "opwright/bridge/attributes.h"

#include <algorithm>
#include <cstring>

#include "tensorflow/core/framework/tensor_shape.pb.h"

namespace opwright::bridge {
namespace {

using tensorflow::AttrValue;
using tensorflow::TensorShapeProto;

struct Kind {
  int32_t kind;
  const char* name;
};
constexpr Kind kKinds[] = {{OPWRIGHT_INT, "int"},   {OPWRIGHT_FLOAT, "float"},
                           {OPWRIGHT_BOOL, "bool"}, {OPWRIGHT_STRING, "string"},
                           {OPWRIGHT_TYPE, "type"}, {OPWRIGHT_SHAPE, "shape"}};

// "list(int)" and "int"; an empty list shows its kind nowhere but in the op's definition.
bool ParseKind(const std::string& type, OpwrightAttr* attr) {
  const bool list = type.rfind("list(", 0) == 0;
  const std::string name = list ? type.substr(5, type.size() - 6) : type;
  for (const Kind& kind : kKinds) {
    if (name != kind.name) continue;
    attr->kind = kind.kind;
    attr->is_list = list;
    return true;
  }
  return false;
}

// One value as a list of one, so that there is one way to read both.
AttrValue::ListValue AsList(const AttrValue& value) {
  AttrValue::ListValue list;
  switch (value.value_case()) {
    case AttrValue::kI:
      list.add_i(value.i());
      break;
    case AttrValue::kF:
      list.add_f(value.f());
      break;
    case AttrValue::kB:
      list.add_b(value.b());
      break;
    case AttrValue::kType:
      list.add_type(value.type());
      break;
    case AttrValue::kShape:
      *list.add_shape() = value.shape();
      break;
    default:
      break;
  }
  return list;
}

int64_t RankOf(const TensorShapeProto& shape) {
  return shape.unknown_rank() ? OPWRIGHT_UNKNOWN : shape.dim_size();
}

}  // namespace

bool AttributeReader::Read(const char* name, OpwrightAttr* result) {
  OpwrightAttr whole = {};
  whole.size = sizeof whole;
  whole.name = name;
  if (!ReadWhole(name, &whole)) return false;
  // The library's struct may be shorter: that of an older header.
  whole.size = std::min(whole.size, result->size);
  std::memcpy(result, &whole, whole.size);
  return true;
}

bool AttributeReader::ReadWhole(const char* name, OpwrightAttr* attr) {
  const tensorflow::OpDef::AttrDef* def = nullptr;
  for (const auto& candidate : def_.attr()) {
    if (candidate.name() == name) def = &candidate;
  }
  if (!def || !ParseKind(def->type(), attr)) return false;
  const AttrValue* value = find_(name);
  if (!value && def->has_default_value()) value = &def->default_value();
  if (!value) return false;

  auto& ints = ints_.emplace_back();
  auto& floats = floats_.emplace_back();
  auto& strings = strings_.emplace_back();
  auto& dims = dims_.emplace_back();
  // Strings stay in the node, whose memory outlives the phase.
  const auto add_string = [&](const std::string& s) {
    ints.push_back(static_cast<int64_t>(s.size()));
    strings.push_back(s.data());
  };
  if (!attr->is_list && attr->kind == OPWRIGHT_STRING) {
    add_string(value->s());
  } else {
    const AttrValue::ListValue list = attr->is_list ? AttrValue::ListValue() : AsList(*value);
    const AttrValue::ListValue& all = attr->is_list ? value->list() : list;
    for (int64_t x : all.i()) ints.push_back(x);
    for (float x : all.f()) floats.push_back(static_cast<double>(x));
    for (bool x : all.b()) ints.push_back(x);
    for (const std::string& x : all.s()) add_string(x);
    for (int x : all.type()) ints.push_back(x);
    for (const TensorShapeProto& shape : all.shape()) {
      auto& sizes = ints_.emplace_back();
      for (const auto& dim : shape.dim()) sizes.push_back(dim.size());
      ints.push_back(RankOf(shape));
      dims.push_back(sizes.data());
    }
  }
  attr->count = static_cast<int64_t>(attr->kind == OPWRIGHT_FLOAT ? floats.size() : ints.size());
  attr->ints = ints.data();
  attr->floats = floats.data();
  attr->strings = strings.data();
  attr->dims = dims.data();
  return true;
}

tensorflow::AttrValue ToAttrValue(const OpwrightAttr& attr, const std::string& type) {
  const bool as_float = type == (attr.is_list ? "list(float)" : "float");
  const int32_t kind = attr.kind == OPWRIGHT_INT && as_float ? OPWRIGHT_FLOAT : attr.kind;
  AttrValue value;
  AttrValue::ListValue* list = value.mutable_list();
  for (int64_t i = 0; i < attr.count; ++i) {
    switch (kind) {
      case OPWRIGHT_INT:
        list->add_i(attr.ints[i]);
        break;
      case OPWRIGHT_FLOAT:
        list->add_f(attr.kind == OPWRIGHT_INT ? static_cast<float>(attr.ints[i])
                                              : static_cast<float>(attr.floats[i]));
        break;
      case OPWRIGHT_BOOL:
        list->add_b(attr.ints[i] != 0);
        break;
      case OPWRIGHT_STRING:
        list->add_s(std::string(attr.strings[i], static_cast<size_t>(attr.ints[i])));
        break;
      case OPWRIGHT_TYPE:
        list->add_type(static_cast<tensorflow::DataType>(attr.ints[i]));
        break;
      case OPWRIGHT_SHAPE: {
        TensorShapeProto* shape = list->add_shape();
        if (attr.ints[i] < 0) shape->set_unknown_rank(true);
        for (int64_t k = 0; k < attr.ints[i]; ++k) shape->add_dim()->set_size(attr.dims[i][k]);
        break;
      }
      default:
        break;
    }
  }
  if (attr.is_list || attr.count != 1) return value;
  AttrValue one;
  switch (kind) {
    case OPWRIGHT_INT:
      one.set_i(list->i(0));
      break;
    case OPWRIGHT_FLOAT:
      one.set_f(list->f(0));
      break;
    case OPWRIGHT_BOOL:
      one.set_b(list->b(0));
      break;
    case OPWRIGHT_STRING:
      one.set_s(list->s(0));
      break;
    case OPWRIGHT_TYPE:
      one.set_type(list->type(0));
      break;
    case OPWRIGHT_SHAPE:
      *one.mutable_shape() = list->shape(0);
      break;
    default:
      break;
  }
  return one;
}

}  // namespace opwright::bridge
