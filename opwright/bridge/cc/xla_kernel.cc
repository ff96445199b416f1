#include <memory>
#include <string>
#include <vector>

#include "opwright/bridge/cc/cc.h"
#include "opwright/bridge/cc/xla_call.h"
#include "opwright/bridge/create.h"
#include "opwright/bridge/phase.h"
#include "tensorflow/compiler/tf2xla/type_util.h"
#include "tensorflow/compiler/tf2xla/xla_op_kernel.h"
#include "tensorflow/compiler/tf2xla/xla_op_registry.h"
#include "tensorflow/core/framework/kernel_def_builder.h"
#include "tensorflow/core/framework/types.h"
#if __has_include("xla/hlo/builder/xla_builder.h")
#include "xla/hlo/builder/xla_builder.h"
#else
#include "xla/client/xla_builder.h"
#endif
#include "xla/literal.h"
#include "xla/shape_util.h"

namespace opwright::bridge {
namespace {

using tensorflow::KernelDefBuilder;
using tensorflow::NodeDef;
using tensorflow::OpKernel;
using tensorflow::OpKernelConstruction;
using tensorflow::XlaOpKernelContext;
using tensorflow::XlaOpRegistrationBuilder;

// Only for programs that run on the CPU: for others there is no function to call. So TensorFlow
// itself says, of an op that is jit-compiled for a GPU, that it has no kernel there; and its
// automatic clustering goes around the op.
constexpr char kDevice[] = "XLA_CPU_JIT";

// Shape, with static shapes: a program is compiled for each.
struct CompilePhase : Phase {
  CompilePhase(const Op& which, const Layout& where)
      : op(which), layout(where), outputs(static_cast<size_t>(where.outputs.back())) {}

  const Op& op;
  const Layout& layout;
  std::vector<std::unique_ptr<Dims>> outputs;
};

void SetOutput(CompilePhase& phase, int32_t index, int32_t rank, const int64_t* dims) {
  std::unique_ptr<Dims>& output = phase.outputs[static_cast<size_t>(index)];
  tensorflow::TensorShape shape;
  const absl::Status status =
      MakeOutputShape(phase.op, phase.layout, index, output != nullptr, rank, dims, &shape);
  if (!status.ok()) return phase.Fail(status);
  output = std::make_unique<Dims>(dims, dims + rank);
}

constexpr OpwrightApi MakeApi() {
  OpwrightApi api = {};
  api.size = sizeof api;
  api.fail = &FailPhase;
  api.set_output = [](OpwrightContext* c, int32_t index, int32_t rank, const int64_t* dims) {
    Guard<CompilePhase>(
        c, 0, [&](CompilePhase& phase) { return SetOutput(phase, index, rank, dims), 0; });
  };
  return api;
}
constexpr OpwrightApi kApi = MakeApi();

// The node without what only its place in the graph says: like calls have like text.
NodeDef Canonical(const Op& op, const NodeDef& node) {
  NodeDef canonical;
  canonical.set_op(op.name);
  for (const auto& attr : op.def.attr()) {
    const auto given = node.attr().find(attr.name());
    (*canonical.mutable_attr())[attr.name()] =
        given != node.attr().end() ? given->second : attr.default_value();
  }
  return canonical;
}

// The inputs of a node while it is compiled.
struct Inputs {
  std::vector<Dims> dims;
  std::vector<OpwrightTensor> tensors;
  std::vector<xla::Literal> values;  // of those that Shape may read
  std::vector<xla::XlaOp> operands;
  std::vector<xla::Shape> shapes;  // with their layout
};

absl::Status MakeShape(tensorflow::DataType dtype, const Dims& dims, xla::Shape* shape) {
  xla::PrimitiveType type;
  const absl::Status status = tensorflow::DataTypeToPrimitiveType(dtype, &type);
  if (status.ok()) *shape = xla::ShapeUtil::MakeShapeWithDescendingLayout(type, dims);
  return status;
}

absl::Status FillInput(const Op& op, const Layout& layout, bool value, int i, XlaOpKernelContext* c,
                       Inputs* inputs) {
  const auto shape = c->InputXlaShape(i);
  if (!shape.ok()) return shape.status();
  const std::string name = "input " + TensorName(op, layout.inputs, false, i);
  if (shape->is_dynamic()) {
    return absl::UnimplementedError(
        name + " has a size that is known only at run time (" + shape->ToString() +
        "), and XLA calls an op with sizes that are known when it compiles: call the op outside of "
        "jit_compile=True, or give the tensor a fixed size before it (tf.pad, tf.where with three "
        "arguments)");
  }
  const size_t at = static_cast<size_t>(i);
  Dims& dims = inputs->dims[at];
  dims.assign(shape->dimensions().begin(), shape->dimensions().end());
  OpwrightTensor& t = inputs->tensors[at];
  t = {};
  t.size = sizeof t;
  t.dtype = c->input_type(i);
  t.rank = static_cast<int32_t>(dims.size());
  t.dims = dims.data();
  t.elements = xla::ShapeUtil::ElementsIn(*shape);
  inputs->operands.push_back(c->Input(i));
  absl::Status status = MakeShape(c->input_type(i), dims, &inputs->shapes.emplace_back());
  if (!status.ok() || !value) return status;
  xla::Literal& literal = inputs->values.emplace_back();
  if (!c->ConstantInput(i, &literal).ok()) {
    return absl::InvalidArgumentError(
        "the value of " + name +
        " shapes the output, so XLA must know it when it compiles; here it depends on what only a "
        "run computes, such as the result of another op of a library");
  }
  t.data = literal.untyped_data();
  return status;
}

absl::Status FillInputs(const Op& op, const Layout& layout, XlaOpKernelContext* c, Inputs* inputs) {
  const size_t n = static_cast<size_t>(c->num_inputs());
  inputs->dims.resize(n);
  inputs->tensors.resize(n);
  inputs->values.reserve(n);
  for (int arg = 0; arg < op.def.input_arg_size(); ++arg) {
    const size_t at = static_cast<size_t>(arg);
    for (int i = layout.inputs[at]; i < layout.inputs[at + 1]; ++i) {
      const absl::Status status = FillInput(op, layout, op.value_inputs[at], i, c, inputs);
      if (!status.ok()) return Explain(op, "", status);
    }
  }
  return absl::OkStatus();
}

class XlaKernel : public tensorflow::XlaOpKernel {
 public:
  XlaKernel(OpKernelConstruction* c, const Op& op)
      : XlaOpKernel(c), op_(op), node_(Canonical(op, def())) {
    OP_REQUIRES_OK(c, MakeLayout(op, node_, &layout_));
    OP_REQUIRES(c, FindCpuKernel(op, node_),
                Explain(op, "", absl::UnimplementedError("there is no kernel for these dtypes")));
    absl::Status status;
    self_ = Create(op, node_, layout_, &status);
    if (!status.ok()) c->CtxFailure(status);
  }

  void Compile(XlaOpKernelContext* c) override {
    Inputs inputs;
    absl::Status status = FillInputs(op_, layout_, c, &inputs);
    std::vector<Dims> outputs;
    if (status.ok()) status = RunShape(inputs, &outputs);
    if (status.ok()) status = EmitCall(c, inputs, outputs);
    if (!status.ok()) c->CtxFailure(status);
  }

 private:
  absl::Status RunShape(const Inputs& inputs, std::vector<Dims>* outputs) const {
    CompilePhase phase(op_, layout_);
    OpwrightContext context = MakeContext(op_, kApi, &phase, layout_, OPWRIGHT_RUNNING);
    context.inputs = inputs.tensors.data();
    op_.table->shape(self_.get(), &context);
    for (size_t i = 0; i < phase.outputs.size() && phase.status.ok(); ++i) {
      if (!phase.outputs[i]) {
        phase.Fail(BadOutput(op_, layout_, static_cast<int>(i), "does not set"));
      } else {
        outputs->push_back(*phase.outputs[i]);
      }
    }
    if (phase.status.ok()) return phase.status;
    return Explain(op_, InputList(op_, layout_, inputs.tensors.data()), phase.status);
  }

  absl::Status EmitCall(XlaOpKernelContext* c, const Inputs& inputs,
                        const std::vector<Dims>& outputs) const {
    std::vector<xla::Shape> shapes(outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      const auto dtype = c->expected_output_dtype(static_cast<int>(i));
      absl::Status status = CheckSize(static_cast<int>(i), dtype, outputs[i]);
      if (status.ok()) status = MakeShape(dtype, outputs[i], &shapes[i]);
      if (!status.ok()) return Explain(op_, InputList(op_, layout_, inputs.tensors.data()), status);
    }
    const std::string call = EncodeXlaCall(node_, inputs.dims, outputs);
    // Letters, digits and "+/=> _" alone: there is nothing to escape.
    const std::string text = kTypedFfi ? "{call = \"" + call + "\"}" : call;
    const xla::XlaOp result = xla::CustomCallWithLayout(
        c->builder(), kXlaTarget, inputs.operands, xla::ShapeUtil::MakeTupleShape(shapes),
        inputs.shapes, text,
        /*has_side_effect=*/op_.def.is_stateful(),
        /*output_operand_aliasing=*/{}, /*literal=*/nullptr, xla::CustomCallSchedule::SCHEDULE_NONE,
        kTypedFfi ? xla::CustomCallApiVersion::API_VERSION_TYPED_FFI
                  : xla::CustomCallApiVersion::API_VERSION_STATUS_RETURNING_UNIFIED);
    for (size_t i = 0; i < outputs.size(); ++i) {
      const auto element = xla::GetTupleElement(result, static_cast<int64_t>(i));
      c->SetOutput(static_cast<int>(i), element);
    }
    return absl::OkStatus();
  }

  // XLA adds up sizes in bytes, and ends the process when a sum overflows.
  absl::Status CheckSize(int output, tensorflow::DataType dtype, const Dims& dims) const {
    constexpr double kAddressable = 140737488355328.0;  // 2^47
    double elements = 1;
    for (int64_t dim : dims) elements *= static_cast<double>(dim);
    if (elements * tensorflow::DataTypeSize(dtype) < kAddressable) return absl::OkStatus();
    return absl::ResourceExhaustedError("output " + TensorName(op_, layout_.outputs, true, output) +
                                        " of shape " + ShapeText(dims) + " and dtype " +
                                        tensorflow::DataTypeString(dtype) +
                                        " does not fit into memory");
  }

  const Op& op_;
  const NodeDef node_;
  Layout layout_;
  Instance self_;
};

// XLA's registry takes a plain function, so the kernel finds its op by name.
OpKernel* MakeXlaKernel(OpKernelConstruction* c) {
  return new XlaKernel(c, *FindOp(c->def().op()));
}

// The dtypes of type attribute i that any CPU kernel of the op has; XLA knows one registration for
// an op, not one for each combination.
std::vector<tensorflow::DataType> DTypesOf(const Op& op, size_t i) {
  std::vector<tensorflow::DataType> dtypes;
  for (const OpwrightKernel* kernel : op.cpu_kernels) {
    dtypes.push_back(static_cast<tensorflow::DataType>(kernel->dtypes[i]));
  }
  return dtypes;
}

void Register(const Op& op) {
  XlaOpRegistrationBuilder xla = XlaOpRegistrationBuilder::Name(op.name);
  xla.Device(kDevice);
  KernelDefBuilder kernel(op.name.c_str());
  kernel.Device(kDevice);
  for (size_t i = 0; i < op.kernel_attrs.size(); ++i) {
    const auto dtypes = DTypesOf(op, i);
    xla.TypeConstraint(op.kernel_attrs[i], dtypes);
    kernel.TypeConstraint(op.kernel_attrs[i].c_str(), dtypes);
  }
  for (int arg = 0; arg < op.def.input_arg_size(); ++arg) {
    if (!op.value_inputs[static_cast<size_t>(arg)]) continue;
    xla.CompileTimeConstantInput(op.def.input_arg(arg).name());
    kernel.HostMemory(op.def.input_arg(arg).name().c_str());
  }
  // Lives as long as the process, as all registrations.
  new tensorflow::XlaOpRegistrar(xla.Build(&MakeXlaKernel));
  tensorflow::kernel_factory::OpKernelRegistrar(kernel.Build(), "OpwrightXlaKernel",
                                                &MakeXlaKernel);
}

}  // namespace

void RegisterXla(const std::vector<const Op*>& ops) {
  // XLA makes kernels of its registrations once, when something is first compiled. Whether that has
  // been or is to come, after this call it has been, and ours are made here.
  tensorflow::XlaOpRegistry::RegisterCompilationKernels();
  for (const Op* op : ops) {
    if (!op->cpu_kernels.empty()) Register(*op);
  }
}

}  // namespace opwright::bridge
