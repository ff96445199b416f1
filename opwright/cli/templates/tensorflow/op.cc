// The op ElementMul: its declaration, its shapes, and its kernels for the CPU. gradient.cc has the
// gradient for C++, element_mul.py that for Python.

// Before the headers, which have Eigen's: with its threads.
#define EIGEN_USE_THREADS

#include "tensorflow/core/framework/op.h"

#include <cstdint>
#include <string>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace {

using tensorflow::OpKernel;
using tensorflow::OpKernelConstruction;
using tensorflow::OpKernelContext;
using tensorflow::Tensor;
using tensorflow::shape_inference::InferenceContext;
using tensorflow::shape_inference::ShapeHandle;

absl::Status ShapesDiffer(const std::string& a, const std::string& b) {
  return absl::InvalidArgumentError(
      absl::StrCat("inputs a and b must have the same shape, they have ", a, " and ", b));
}

REGISTER_OP("ElementMul")
    .Attr("T: {half, bfloat16, float, double, int32, int64}")
    .Input("a: T")
    .Input("b: T")
    .Output("product: T")
    // Any rank, and what is known of one input is known of the other. Runs while a graph is built.
    .SetShapeFn([](InferenceContext* c) -> absl::Status {
      ShapeHandle product;
      if (!c->Merge(c->input(0), c->input(1), &product).ok()) {
        return ShapesDiffer(c->DebugString(c->input(0)), c->DebugString(c->input(1)));
      }
      c->set_output(0, product);
      return absl::OkStatus();
    })
    .Doc(R"doc(
Multiplies two tensors of one shape, element by element. No broadcasting.

a: A tensor of any shape.
b: A tensor of the shape of `a`.
product: `a * b`. half and bfloat16 are multiplied in float and rounded once; integers wrap around.
)doc");

template <typename T>
T Multiply(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    // Of signed integers, a product that overflows is not defined.
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(a) * static_cast<Unsigned>(b));
  } else if constexpr (std::is_floating_point_v<T>) {
    return a * b;
  } else {
    return static_cast<T>(static_cast<float>(a) * static_cast<float>(b));
  }
}

template <typename T>
class ElementMulOp : public OpKernel {
 public:
  explicit ElementMulOp(OpKernelConstruction* construction) : OpKernel(construction) {}

  // One kernel serves many calls at once: it has no state to write to.
  void Compute(OpKernelContext* context) override {
    const Tensor& a = context->input(0);
    const Tensor& b = context->input(1);
    // Again: the shape function has not seen the shapes in eager mode, nor where a graph knows
    // none.
    OP_REQUIRES(context, a.shape() == b.shape(),
                ShapesDiffer(a.shape().DebugString(), b.shape().DebugString()));
    Tensor* product = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, a.shape(), &product));

    const int64_t size = product->NumElements();
    if (size == 0) return;
    const T* from_a = a.flat<T>().data();
    const T* from_b = b.flat<T>().data();
    T* to = product->flat<T>().data();
    // On the device's threads, which all ops share. How large a part is worth a thread follows from
    // what an element costs: no bytes to wait for, one cycle. ThreadPool::ParallelFor does the
    // same, but no form of it is without a deprecation in all versions of TensorFlow.
    context->eigen_cpu_device().parallelFor(
        size, Eigen::TensorOpCost(/*bytes_loaded=*/0, /*bytes_stored=*/0, /*compute_cycles=*/1),
        [=](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) to[i] = Multiply(from_a[i], from_b[i]);
        });
  }
};

#define REGISTER_KERNEL(T) \
  REGISTER_KERNEL_BUILDER( \
      Name("ElementMul").Device(tensorflow::DEVICE_CPU).TypeConstraint<T>("T"), ElementMulOp<T>)
REGISTER_KERNEL(Eigen::half);
REGISTER_KERNEL(Eigen::bfloat16);
REGISTER_KERNEL(float);
REGISTER_KERNEL(double);
REGISTER_KERNEL(int32_t);
REGISTER_KERNEL(int64_t);
#undef REGISTER_KERNEL

}  // namespace
