#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "opwright/bridge/bridge.h"
#include "opwright/bridge/create.h"
#include "opwright/bridge/phase.h"
#include "tensorflow/core/framework/device_base.h"
#include "tensorflow/core/framework/kernel_def_builder.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/lib/core/threadpool.h"
#include "tensorflow/core/util/determinism.h"

namespace opwright::bridge {
namespace {

using tensorflow::OpKernel;
using tensorflow::OpKernelConstruction;
using tensorflow::OpKernelContext;
using tensorflow::Tensor;
using tensorflow::TensorShape;

// ---- one run ------------------------------------------------------------------------------------

// Memory for values of one run, uninitialised: on the stack as far as that goes, which is all for
// ops of usual size. A run then allocates nothing of its own.
template <typename T, size_t kUsual>
class Room {
 public:
  T* Take(size_t n) {
    if (__builtin_expect(n > kUsual - used_, 0)) return more_.emplace_back(new T[n]).get();
    used_ += n;
    return few_ + used_ - n;
  }

 private:
  T few_[kUsual];
  size_t used_ = 0;
  std::vector<std::unique_ptr<T[]>> more_;
};

struct RunPhase : Phase {
  RunPhase(const Op& which, const Layout& where, OpKernelContext* context)
      : op(which), layout(where), c(context) {}

  const Op& op;
  const Layout& layout;
  OpKernelContext* c;
  OpwrightTensor* inputs = nullptr;
  OpwrightTensor* outputs = nullptr;  // one that Shape has not set yet has size 0
  Room<OpwrightTensor, 8> tensors;
  Room<int64_t, 40> dims;
  absl::InlinedVector<Tensor, 2> scratch;
};

void Describe(const Tensor& tensor, const int64_t* dims, OpwrightTensor* t) {
  t->size = sizeof *t;
  t->dtype = tensor.dtype();
  t->rank = tensor.dims();
  t->reserved = 0;
  t->dims = dims;
  t->elements = tensor.NumElements();
  t->data = tensor.data();
}

void FillTensors(RunPhase* phase) {
  const size_t n_inputs = static_cast<size_t>(phase->c->num_inputs());
  const size_t n_outputs = static_cast<size_t>(phase->c->num_outputs());
  phase->inputs = phase->tensors.Take(n_inputs);
  phase->outputs = phase->tensors.Take(n_outputs);
  for (size_t i = 0; i < n_inputs; ++i) {
    const Tensor& tensor = phase->c->input(static_cast<int>(i));
    const int rank = tensor.dims();
    int64_t* dims = phase->dims.Take(static_cast<size_t>(rank));
    for (int k = 0; k < rank; ++k) dims[k] = tensor.dim_size(k);
    Describe(tensor, dims, &phase->inputs[i]);
  }
  for (size_t i = 0; i < n_outputs; ++i) phase->outputs[i].size = 0;
}

absl::Status Allocate(RunPhase* phase, int index, const TensorShape& shape, Tensor** tensor) {
  for (const auto& [input, output] : phase->op.forwards) {
    if (phase->layout.outputs[static_cast<size_t>(output)] != index) continue;
    return phase->c->forward_input_or_allocate_output(
        {phase->layout.inputs[static_cast<size_t>(input)]}, index, shape, tensor);
  }
  return phase->c->allocate_output(index, shape, tensor);
}

void SetOutput(RunPhase& phase, int32_t index, int32_t rank, const int64_t* dims) {
  if (!phase.status.ok()) return;
  OpwrightTensor& t = phase.outputs[index];
  TensorShape shape;
  absl::Status status =
      MakeOutputShape(phase.op, phase.layout, index, t.size != 0, rank, dims, &shape);
  Tensor* tensor = nullptr;
  if (status.ok()) status = Allocate(&phase, index, shape, &tensor);
  if (!status.ok()) return phase.Fail(status);
  int64_t* kept = phase.dims.Take(static_cast<size_t>(rank));
  std::copy(dims, dims + rank, kept);
  Describe(*tensor, kept, &t);
}

void ParallelFor(OpwrightContext* c, int64_t n, int64_t cost, void (*body)(void*, int64_t, int64_t),
                 void* arg) {
  // TensorFlow leaves a loop of up to about 200000 cycles to this thread too, but only after its
  // cost model and a std::function.
  constexpr int64_t kSmall = 100000;
  if (n <= kSmall / cost) return body(arg, 0, n);
  // A thread that waits for the parts of a loop inside a part could be the one to run them.
  thread_local bool inside = false;
  if (inside) return body(arg, 0, n);
  struct Loop {
    void (*body)(void*, int64_t, int64_t);
    void* arg;
  } loop = {body, arg};
  // One pointer fits into the std::function; more would go to the heap in every call.
  const Loop* all = &loop;
  static_cast<RunPhase&>(Phase::Of(c))
      .c->device()
      ->tensorflow_cpu_worker_threads()
      ->workers->ParallelFor(n, cost, [all](int64_t begin, int64_t end) {
        inside = true;
        all->body(all->arg, begin, end);
        inside = false;
      });
}

void* Scratch(RunPhase& phase, int64_t bytes) {
  TensorShape shape;
  absl::Status status = TensorShape::BuildTensorShape(absl::MakeConstSpan(&bytes, 1), &shape);
  Tensor tensor;
  if (status.ok()) status = phase.c->allocate_temp(tensorflow::DT_UINT8, shape, &tensor);
  if (!status.ok()) {
    phase.Fail(status);
    return nullptr;
  }
  phase.scratch.push_back(tensor);
  return tensor.data();
}

int32_t Deterministic(OpwrightContext*) { return tensorflow::OpDeterminismRequired(); }

constexpr OpwrightApi MakeRunApi() {
  OpwrightApi api = {};
  api.size = sizeof api;
  api.fail = &FailPhase;
  api.set_output = [](OpwrightContext* c, int32_t index, int32_t rank, const int64_t* dims) {
    Guard<RunPhase>(c, 0, [&](RunPhase& phase) { return SetOutput(phase, index, rank, dims), 0; });
  };
  api.parallel_for = &ParallelFor;
  api.scratch = [](OpwrightContext* c, int64_t bytes) {
    return Guard<RunPhase>(c, static_cast<void*>(nullptr),
                           [&](RunPhase& phase) { return Scratch(phase, bytes); });
  };
  api.deterministic = &Deterministic;
  return api;
}
constexpr OpwrightApi kRunApi = MakeRunApi();

// ---- the kernel ---------------------------------------------------------------------------------

class Kernel : public OpKernel {
 public:
  Kernel(OpKernelConstruction* c, const Op& op, const OpwrightKernel& kernel)
      : OpKernel(c), op_(op), compute_(kernel.compute) {
    OP_REQUIRES_OK(c, MakeLayout(op, def(), &layout_));
    absl::Status status;
    self_ = Create(op, def(), layout_, &status);
    if (!status.ok()) c->CtxFailure(status);
  }

  void Compute(OpKernelContext* c) override {
    RunPhase phase(op_, layout_, c);
    FillTensors(&phase);
    OpwrightContext context = MakeContext(op_, kRunApi, &phase, layout_, OPWRIGHT_RUNNING);
    context.inputs = phase.inputs;
    context.outputs = phase.outputs;
    op_.table->shape(self_.get(), &context);
    for (int i = 0; i < c->num_outputs() && phase.status.ok(); ++i) {
      if (phase.outputs[i].size == 0) phase.Fail(BadOutput(op_, layout_, i, "does not set"));
    }
    if (phase.status.ok()) compute_(self_.get(), &context);
    if (!phase.status.ok()) {
      c->CtxFailure(Explain(op_, InputList(op_, layout_, phase.inputs), phase.status));
    }
  }

 private:
  const Op& op_;
  void (*compute_)(const void*, OpwrightContext*);
  Layout layout_;
  Instance self_;
};

class KernelFactory : public tensorflow::kernel_factory::OpKernelFactory {
 public:
  KernelFactory(const Op& op, const OpwrightKernel& kernel) : op_(op), kernel_(kernel) {}
  OpKernel* Create(OpKernelConstruction* c) override { return new Kernel(c, op_, kernel_); }

 private:
  const Op& op_;
  const OpwrightKernel& kernel_;
};

}  // namespace

void RegisterKernels(const Op& op) {
  for (const OpwrightKernel* kernel : op.cpu_kernels) {
    tensorflow::KernelDefBuilder builder(op.name.c_str());
    builder.Device(tensorflow::DEVICE_CPU);
    for (int32_t i = 0; i < kernel->n_dtypes; ++i) {
      builder.TypeConstraint(op.kernel_attrs[static_cast<size_t>(i)].c_str(),
                             static_cast<tensorflow::DataType>(kernel->dtypes[i]));
    }
    tensorflow::kernel_factory::OpKernelRegistrar(builder.Build(), "OpwrightKernel",
                                                  std::make_unique<KernelFactory>(op, *kernel));
  }
}

}  // namespace opwright::bridge
