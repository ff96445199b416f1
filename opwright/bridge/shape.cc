#include "opwright/bridge/shape.h"

#include <deque>

#include "opwright/bridge/attributes.h"
#include "opwright/bridge/create.h"
#include "opwright/bridge/phase.h"
#include "tensorflow/core/framework/attr_value.pb.h"
#include "tensorflow/core/framework/tensor.h"

namespace opwright::bridge {
namespace {

using tensorflow::OpDef;
using tensorflow::shape_inference::DimensionHandle;
using tensorflow::shape_inference::InferenceContext;
using tensorflow::shape_inference::ShapeHandle;

struct ShapePhase : Phase {
  ShapePhase(const Op& which, InferenceContext* context)
      : op(which), c(context), attributes(which.def, [context](const std::string& name) {
          return context->GetAttr(name);
        }) {}

  const Op& op;
  InferenceContext* c;
  AttributeReader attributes;
  Layout layout;
  std::deque<std::vector<int64_t>> dims;
  std::vector<OpwrightTensor> inputs;
  std::vector<bool> output_set;
};

int32_t CopyDims(InferenceContext* c, ShapeHandle shape, int64_t* dims) {
  if (!c->RankKnown(shape)) return OPWRIGHT_UNKNOWN;
  const int32_t rank = c->Rank(shape);
  for (int32_t k = 0; k < rank && k < OPWRIGHT_MAX_RANK; ++k) {
    dims[k] = c->Value(c->Dim(shape, k));
  }
  return rank;
}

int32_t ValueAsShape(ShapePhase& phase, int32_t tensor, int64_t* dims) {
  ShapeHandle shape;
  const absl::Status status = phase.c->MakeShapeFromShapeTensor(tensor, &shape);
  if (!status.ok()) {
    phase.Fail(absl::Status(
        status.code(), "input " + TensorName(phase.op, phase.layout.inputs, false, tensor) + ": " +
                           std::string(status.message())));
    return OPWRIGHT_UNKNOWN;
  }
  return CopyDims(phase.c, shape, dims);
}

void SetOutput(ShapePhase& phase, int32_t tensor, int32_t rank, const int64_t* dims) {
  InferenceContext* c = phase.c;
  if (phase.output_set[static_cast<size_t>(tensor)]) {
    return phase.Fail(absl::InternalError(
        "Shape twice sets output " + TensorName(phase.op, phase.layout.outputs, true, tensor)));
  }
  phase.output_set[static_cast<size_t>(tensor)] = true;
  if (rank < 0) {
    c->set_output(tensor, c->UnknownShape());
    return;
  }
  const std::string name = "output " + TensorName(phase.op, phase.layout.outputs, true, tensor);
  std::vector<DimensionHandle> handles;
  int32_t known = 0;  // dimensions before the first unknown one
  for (int32_t k = 0; k < rank; ++k) {
    if (dims[k] < OPWRIGHT_UNKNOWN) {
      return phase.Fail(absl::InternalError("Shape sets dimension " + std::to_string(k) + " of " +
                                            name + " to " + std::to_string(dims[k])));
    }
    if (known == k && dims[k] >= 0) ++known;
    handles.push_back(dims[k] < 0 ? c->UnknownDim() : c->MakeDim(dims[k]));
  }
  // TensorFlow's optimisers multiply the dimensions as far as they are known, and die if the
  // product is too large.
  tensorflow::TensorShape possible;
  const absl::Status status = tensorflow::TensorShape::BuildTensorShape(
      absl::MakeConstSpan(dims, static_cast<size_t>(known)), &possible);
  if (!status.ok()) {
    return phase.Fail(absl::Status(status.code(), name + ": " + std::string(status.message())));
  }
  c->set_output(tensor, c->MakeShape(handles));
}

constexpr OpwrightApi MakeApi() {
  OpwrightApi api = {};
  api.size = sizeof api;
  api.fail = &FailPhase;
  api.attribute = &ReadAttribute<ShapePhase>;
  api.value_as_shape = [](OpwrightContext* c, int32_t tensor, int64_t* dims) {
    return Guard<ShapePhase>(c, int32_t{OPWRIGHT_UNKNOWN},
                             [&](ShapePhase& phase) { return ValueAsShape(phase, tensor, dims); });
  };
  api.set_output = [](OpwrightContext* c, int32_t tensor, int32_t rank, const int64_t* dims) {
    Guard<ShapePhase>(c, 0,
                      [&](ShapePhase& phase) { return SetOutput(phase, tensor, rank, dims), 0; });
  };
  return api;
}
constexpr OpwrightApi kApi = MakeApi();

// The dtype of tensor k of an argument, as far as the node's attributes tell.
int32_t DTypeOf(const OpDef::ArgDef& arg, int k, InferenceContext* c) {
  const tensorflow::AttrValue* value = nullptr;
  if (!arg.type_attr().empty()) {
    value = c->GetAttr(arg.type_attr());
    return value ? value->type() : 0;
  }
  if (!arg.type_list_attr().empty()) {
    value = c->GetAttr(arg.type_list_attr());
    return value && k < value->list().type_size() ? value->list().type(k) : 0;
  }
  return arg.type();
}

absl::Status FillLayout(ShapePhase* phase) {
  phase->layout.inputs = {0};
  phase->layout.outputs = {0};
  std::vector<ShapeHandle> handles;
  for (const auto& arg : phase->op.def.input_arg()) {
    const absl::Status status = phase->c->input(arg.name(), &handles);
    if (!status.ok()) return status;
    phase->layout.inputs.push_back(phase->layout.inputs.back() +
                                   static_cast<int32_t>(handles.size()));
  }
  for (const auto& arg : phase->op.def.output_arg()) {
    const absl::Status status = phase->c->output(arg.name(), &handles);
    if (!status.ok()) return status;
    phase->layout.outputs.push_back(phase->layout.outputs.back() +
                                    static_cast<int32_t>(handles.size()));
  }
  return absl::OkStatus();
}

void FillInput(ShapePhase* phase, int arg, int flat) {
  InferenceContext* c = phase->c;
  OpwrightTensor& t = phase->inputs[static_cast<size_t>(flat)];
  auto& dims = phase->dims.emplace_back(OPWRIGHT_MAX_RANK);
  t.size = sizeof t;
  t.dtype = DTypeOf(phase->op.def.input_arg(arg),
                    flat - phase->layout.inputs[static_cast<size_t>(arg)], c);
  t.rank = CopyDims(c, c->input(flat), dims.data());
  t.dims = t.rank < 0 ? nullptr : dims.data();
  t.elements = t.rank < 0 ? OPWRIGHT_UNKNOWN : 1;
  for (int32_t k = 0; k < t.rank && t.elements >= 0; ++k) {
    if (dims[static_cast<size_t>(k)] < 0 ||
        __builtin_mul_overflow(t.elements, dims[static_cast<size_t>(k)], &t.elements)) {
      t.elements = OPWRIGHT_UNKNOWN;
    }
  }
  if (!phase->op.value_inputs[static_cast<size_t>(arg)]) return;
  // Asking makes TensorFlow try to find the value, and call again.
  const tensorflow::Tensor* value = c->input_tensor(flat);
  if (!value) return;
  t.data = value->data();
  t.elements = value->NumElements();
}

}  // namespace

absl::Status InferShapes(const Op& op, InferenceContext* c) {
  ShapePhase phase(op, c);
  const absl::Status status = FillLayout(&phase);
  if (!status.ok()) return status;
  const int n = c->num_inputs();
  phase.inputs.resize(static_cast<size_t>(n));
  phase.output_set.resize(static_cast<size_t>(c->num_outputs()));
  for (int arg = 0; arg < op.def.input_arg_size(); ++arg) {
    const size_t i = static_cast<size_t>(arg);
    for (int flat = phase.layout.inputs[i]; flat < phase.layout.inputs[i + 1]; ++flat) {
      FillInput(&phase, arg, flat);
    }
  }
  OpwrightContext context = MakeContext(op, kApi, &phase, phase.layout, 0);
  context.inputs = phase.inputs.data();
  const Instance self(op.table->create(&context), {op.table});
  if (self) {
    op.table->shape(self.get(), &context);
  } else {
    phase.Fail(absl::InternalError("the op could not be made"));
  }
  for (size_t i = 0; i < phase.output_set.size(); ++i) {
    if (phase.output_set[i]) continue;
    phase.Fail(
        absl::InternalError("Shape does not set output " +
                            TensorName(op, phase.layout.outputs, true, static_cast<int>(i))));
  }
  return phase.status.ok() ? phase.status : Explain(op, "", phase.status);
}

}  // namespace opwright::bridge
