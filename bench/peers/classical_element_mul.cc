// ElementMul as TensorFlow's own API has it written: the peer of opwright/ops/element_mul. Same
// dtypes, same check, same loop on the same pool with the same cost, so that a difference in time
// is the difference between the two ways to write an op.

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace {

using tensorflow::OpKernel;
using tensorflow::OpKernelConstruction;
using tensorflow::OpKernelContext;
using tensorflow::Tensor;

REGISTER_OP("ClassicalElementMul")
    .Attr("T: {half, bfloat16, float, double, int32, int64}")
    .Input("a: T")
    .Input("b: T")
    .Output("product: T")
    .SetShapeFn([](tensorflow::shape_inference::InferenceContext* c) {
      tensorflow::shape_inference::ShapeHandle product;
      TF_RETURN_IF_ERROR(c->Merge(c->input(0), c->input(1), &product));
      c->set_output(0, product);
      return absl::OkStatus();
    });

template <typename T>
class ClassicalElementMul : public OpKernel {
 public:
  explicit ClassicalElementMul(OpKernelConstruction* construction) : OpKernel(construction) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& a = context->input(0);
    const Tensor& b = context->input(1);
    OP_REQUIRES(context, a.shape() == b.shape(),
                tensorflow::errors::InvalidArgument("a has shape ", a.shape().DebugString(),
                                                    " and b has shape ", b.shape().DebugString(),
                                                    ", but they must be equal"));
    Tensor* product = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, a.shape(), &product));

    const int64_t size = product->NumElements();
    if (size == 0) return;
    const T* from_a = a.flat<T>().data();
    const T* from_b = b.flat<T>().data();
    T* to = product->flat<T>().data();
    context->device()->tensorflow_cpu_worker_threads()->workers->ParallelFor(
        size, /*cost_per_unit=*/1, [=](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) to[i] = from_a[i] * from_b[i];
        });
  }
};

#define REGISTER(T)                                                                      \
  REGISTER_KERNEL_BUILDER(                                                               \
      Name("ClassicalElementMul").Device(tensorflow::DEVICE_CPU).TypeConstraint<T>("T"), \
      ClassicalElementMul<T>)
REGISTER(Eigen::half);
REGISTER(Eigen::bfloat16);
REGISTER(float);
REGISTER(double);
REGISTER(int32_t);
REGISTER(int64_t);
#undef REGISTER

}  // namespace
