#include "opwright/bridge/gradient.h"

#include <cstdint>
#include <string>

#include "opwright/bridge/attributes.h"
#include "opwright/bridge/bridge.h"
#include "opwright/bridge/phase.h"
#include "tensorflow/core/framework/attr_value.pb.h"
#include "tensorflow/core/framework/attr_value_util.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/tensor.pb.h"
#include "tensorflow/core/framework/types.h"

namespace opwright::bridge {
namespace {

using tensorflow::AttrValue;
using tensorflow::NodeDef;
using tensorflow::OpDef;

struct GradientPhase : Phase {
  GradientPhase(const Op& which, const NodeDef& forward)
      : op(which), node(forward), attributes(which.def, [&forward](const std::string& name) {
          const auto it = forward.attr().find(name);
          return it == forward.attr().end() ? nullptr : &it->second;
        }) {}

  const Op& op;
  const NodeDef& node;
  AttributeReader attributes;
  Layout layout;
  const uint8_t* needed = nullptr;
  tensorflow::GraphDef recording;
  std::vector<OpwrightRef> d_inputs;
};

// How many results a call has is known once all its arguments are; only a call of a fixed number is
// checked here.
int FixedResults(const std::string& name) {
  const OpDef* def = nullptr;
  if (!tensorflow::OpRegistry::Global()->LookUpOpDef(name, &def).ok()) return 1;  // a constant
  for (const auto& arg : def->output_arg()) {
    if (IsList(arg)) return INT32_MAX;
  }
  return def->output_arg_size();
}

void CheckRef(GradientPhase& phase, const OpwrightRef& ref, const std::string& user) {
  int end = 0;
  if (ref.source == OPWRIGHT_INPUT) {
    end = phase.layout.inputs.back();
  } else if (ref.source == OPWRIGHT_OUTPUT || ref.source == OPWRIGHT_D_OUTPUT) {
    end = phase.layout.outputs.back();
  } else if (ref.source >= OPWRIGHT_CALL &&
             ref.source < OPWRIGHT_CALL + phase.recording.node_size()) {
    end = FixedResults(phase.recording.node(ref.source - OPWRIGHT_CALL).op());
  }
  if (ref.index >= 0 && ref.index < end) return;
  const bool call = ref.source >= OPWRIGHT_CALL && end > 0;
  phase.Fail(absl::InternalError(
      "Gradient gives " + user + " a tensor that does not exist: " +
      (call ? "result " + std::to_string(ref.index) + " of " +
                  phase.recording.node(ref.source - OPWRIGHT_CALL).op() + ", which has " +
                  std::to_string(end)
            : "source " + std::to_string(ref.source) + ", index " + std::to_string(ref.index))));
}

std::string ToText(const OpwrightRef& ref) {
  const std::string index = ":" + std::to_string(ref.index);
  switch (ref.source) {
    case OPWRIGHT_NONE:
      return "";
    case OPWRIGHT_INPUT:
      return "input" + index;
    case OPWRIGHT_OUTPUT:
      return "output" + index;
    case OPWRIGHT_D_OUTPUT:
      return "d_output" + index;
    default:
      return std::to_string(ref.source - OPWRIGHT_CALL) + index;
  }
}

const OpDef::AttrDef* FindAttr(const OpDef& def, const std::string& name) {
  for (const auto& attr : def.attr()) {
    if (attr.name() == name) return &attr;
  }
  return nullptr;
}

// Follows from the arguments of a call: their types and lengths.
bool FollowsFromInputs(const OpDef& def, const std::string& attr) {
  for (const auto& arg : def.input_arg()) {
    if (arg.type_attr() == attr || arg.number_attr() == attr || arg.type_list_attr() == attr)
      return true;
  }
  return false;
}

// A call of an opwright op without some attribute must not fall back to a default that the forward
// op overrode: that would be a wrong number that nobody sees.
void CopyAttributes(const GradientPhase& phase, const Op& called, NodeDef* call) {
  for (const auto& attr : called.def.attr()) {
    if (call->attr().count(attr.name()) || FollowsFromInputs(called.def, attr.name())) continue;
    const OpDef::AttrDef* own = FindAttr(phase.op.def, attr.name());
    if (!own || own->type() != attr.type()) continue;
    const auto value = phase.node.attr().find(attr.name());
    if (value != phase.node.attr().end()) (*call->mutable_attr())[attr.name()] = value->second;
  }
}

// Empty, or what is wrong with a call.
std::string CheckCall(const OpDef& def, const NodeDef& call, int32_t n_args,
                      const OpwrightArg* args) {
  if (n_args != def.input_arg_size()) {
    return "with " + std::to_string(n_args) + " arguments, it takes " +
           std::to_string(def.input_arg_size());
  }
  for (int32_t i = 0; i < n_args; ++i) {
    const auto& arg = def.input_arg(i);
    const bool list = IsList(arg);
    if (list == (At(args, i).is_list != 0)) continue;
    return "with " + std::string(list ? "a tensor" : "a list") + " for its argument " + arg.name() +
           ", which is " + (list ? "a list" : "a tensor");
  }
  for (const auto& [name, value] : call.attr()) {
    const OpDef::AttrDef* declared = FindAttr(def, name);
    if (!declared) return "with attribute " + name + ", which it does not have";
    if (!tensorflow::AttrValueHasType(value, declared->type()).ok()) {
      return "with " + tensorflow::SummarizeAttrValue(value) + " for its attribute " + name +
             ", which is of kind " + declared->type();
    }
  }
  return "";
}

int32_t Call(GradientPhase& phase, const char* name, int32_t n_args, const OpwrightArg* args,
             int32_t n_attrs, const OpwrightAttr* attrs) {
  const OpDef* def = nullptr;
  if (!tensorflow::OpRegistry::Global()->LookUpOpDef(name, &def).ok()) {
    phase.Fail(absl::InternalError("Gradient calls op " + std::string(name) +
                                   ", which neither this library nor TensorFlow has"));
    return -1;
  }
  NodeDef node;
  NodeDef* call = &node;
  call->set_op(name);
  for (int32_t i = 0; i < n_args; ++i) {
    const OpwrightArg& arg = At(args, i);
    if (arg.is_list) call->add_input("[");
    for (int64_t k = 0; k < arg.count; ++k) {
      CheckRef(phase, arg.refs[k], name);
      call->add_input(ToText(arg.refs[k]));
    }
    if (arg.is_list) call->add_input("]");
  }
  for (int32_t i = 0; i < n_attrs; ++i) {
    const OpwrightAttr& attr = At(attrs, i);
    const OpDef::AttrDef* declared = FindAttr(*def, attr.name);
    (*call->mutable_attr())[attr.name] = ToAttrValue(attr, declared ? declared->type() : "");
  }
  const std::string problem = CheckCall(*def, *call, n_args, args);
  if (!problem.empty()) {
    phase.Fail(absl::InternalError("Gradient calls " + std::string(name) + " " + problem));
    return -1;
  }
  if (const Op* called = FindOp(name)) CopyAttributes(phase, *called, call);
  *phase.recording.add_node() = std::move(node);
  return phase.recording.node_size() - 1;
}

int32_t Constant(GradientPhase& phase, const OpwrightTensor* value) {
  NodeDef* call = phase.recording.add_node();
  call->set_op("Const");
  const auto dtype = static_cast<tensorflow::DataType>(value->dtype);
  (*call->mutable_attr())["dtype"].set_type(dtype);
  tensorflow::TensorProto* tensor = (*call->mutable_attr())["value"].mutable_tensor();
  tensor->set_dtype(dtype);
  for (int32_t k = 0; k < value->rank; ++k) {
    tensor->mutable_tensor_shape()->add_dim()->set_size(value->dims[k]);
  }
  const size_t bytes =
      static_cast<size_t>(value->elements) * static_cast<size_t>(tensorflow::DataTypeSize(dtype));
  tensor->set_tensor_content(std::string(static_cast<const char*>(value->data), bytes));
  return phase.recording.node_size() - 1;
}

void SetDInput(GradientPhase& phase, int32_t tensor, OpwrightRef ref) {
  if (ref.source != OPWRIGHT_NONE) CheckRef(phase, ref, "d_input");
  phase.d_inputs[static_cast<size_t>(tensor)] = ref;
}

constexpr OpwrightApi MakeApi() {
  OpwrightApi api = {};
  api.size = sizeof api;
  api.fail = &FailPhase;
  api.attribute = &ReadAttribute<GradientPhase>;
  api.needed = [](OpwrightContext* c, int32_t tensor) {
    return int32_t{static_cast<GradientPhase&>(Phase::Of(c)).needed[tensor]};
  };
  api.call = [](OpwrightContext* c, const char* op, int32_t n_args, const OpwrightArg* args,
                int32_t n_attrs, const OpwrightAttr* attrs) {
    return Guard<GradientPhase>(c, int32_t{-1}, [&](GradientPhase& phase) {
      return Call(phase, op, n_args, args, n_attrs, attrs);
    });
  };
  api.constant = [](OpwrightContext* c, const OpwrightTensor* value) {
    return Guard<GradientPhase>(c, int32_t{-1},
                                [&](GradientPhase& phase) { return Constant(phase, value); });
  };
  api.set_d_input = [](OpwrightContext* c, int32_t tensor, OpwrightRef ref) {
    Guard<GradientPhase>(c, 0,
                         [&](GradientPhase& phase) { return SetDInput(phase, tensor, ref), 0; });
  };
  return api;
}
constexpr OpwrightApi kApi = MakeApi();

}  // namespace

absl::Status RecordGradient(const NodeDef& node, const uint8_t* needed,
                            tensorflow::GraphDef* recording) {
  const Op* op = FindOp(node.op());
  if (!op) return absl::InternalError(node.op() + " is not an op of opwright");
  GradientPhase phase(*op, node);
  phase.needed = needed;
  const absl::Status status = MakeLayout(*op, node, &phase.layout);
  if (!status.ok()) return status;
  phase.d_inputs.assign(static_cast<size_t>(phase.layout.inputs.back()), {OPWRIGHT_NONE, 0});
  OpwrightContext context = MakeContext(*op, kApi, &phase, phase.layout, 0);
  op->table->gradient(&context);
  if (!phase.status.ok()) return Explain(*op, "", phase.status);
  NodeDef* last = phase.recording.add_node();
  last->set_name("d_inputs");
  for (const OpwrightRef& ref : phase.d_inputs) last->add_input(ToText(ref));
  *recording = std::move(phase.recording);
  return absl::OkStatus();
}

}  // namespace opwright::bridge

// For gradients.py: why an op has no gradient; null if it has one, or is not of opwright.
extern "C" __attribute__((visibility("default"))) const char* opwright_no_gradient(
    const char* name) noexcept {
  try {
    const opwright::bridge::Op* op = opwright::bridge::FindOp(name);
    return op && !op->table->gradient ? op->no_gradient.c_str() : nullptr;
  } catch (...) {
    return nullptr;
  }
}

// For gradients.py. node: a NodeDef; needed: a byte for each input tensor. Returns 0 and a
// recording, or a status code and its message; both are valid until the thread's next call.
extern "C" __attribute__((visibility("default"))) int32_t opwright_record_gradient(
    const char* node, int64_t node_size, const uint8_t* needed, const char** result,
    int64_t* result_size) noexcept {
  thread_local std::string bytes;
  absl::Status status;
  try {
    tensorflow::NodeDef def;
    tensorflow::GraphDef recording;
    status = def.ParseFromArray(node, static_cast<int>(node_size))
                 ? opwright::bridge::RecordGradient(def, needed, &recording)
                 : absl::InternalError("the node could not be read");
    recording.SerializeToString(&bytes);
  } catch (...) {
    status = absl::InternalError("out of memory");
  }
  if (!status.ok()) bytes = std::string(status.message());
  *result = bytes.data();
  *result_size = static_cast<int64_t>(bytes.size());
  return static_cast<int32_t>(status.code());
}
