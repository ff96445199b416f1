#include "opwright/ops/element_mul/op.h"

#include "opwright/ops/element_mul/body.h"

namespace opwright::ops {

template <typename T>
void ElementMul::Compute(opwright::CpuCall& call) const {
  auto a = call.input<T>(0), b = call.input<T>(1);
  auto product = call.output<T>(0);
  call.ParallelFor(product.size(), /*cost=*/1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) product[i] = Multiply(a[i], b[i]);
  });
}

}  // namespace opwright::ops

OPWRIGHT_OP(opwright::ops::ElementMul);
