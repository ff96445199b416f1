#pragma once

#include "opwright/testing/tensor.h"

namespace opwright::ops {

// The obvious version, the oracle of the tests. For half and bfloat16: the product of the floats,
// rounded once. For integers: the lower bits of the product.
testing::Tensor ElementMulReference(const testing::Tensor& a, const testing::Tensor& b);

}  // namespace opwright::ops
