#include "opwright/ops/element_mul/reference.h"

#include <type_traits>

namespace opwright::ops {
namespace {

template <typename T>
T Product(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(a) * static_cast<Unsigned>(b));
  } else if constexpr (std::is_floating_point_v<T>) {
    return a * b;
  } else {
    return T(static_cast<float>(a) * static_cast<float>(b));
  }
}

template <typename T>
void Fill(const testing::Tensor& a, const testing::Tensor& b, testing::Tensor& product) {
  for (int64_t i = 0; i < product.size(); ++i) {
    product.data<T>()[i] = Product(a.data<T>()[i], b.data<T>()[i]);
  }
}

}  // namespace

testing::Tensor ElementMulReference(const testing::Tensor& a, const testing::Tensor& b) {
  testing::Tensor product(a.dtype(), a.dims());
  switch (a.dtype()) {
    case DType::kHalf:
      Fill<half>(a, b, product);
      break;
    case DType::kBfloat16:
      Fill<bfloat16>(a, b, product);
      break;
    case DType::kFloat:
      Fill<float>(a, b, product);
      break;
    case DType::kDouble:
      Fill<double>(a, b, product);
      break;
    case DType::kInt32:
      Fill<int32_t>(a, b, product);
      break;
    case DType::kInt64:
      Fill<int64_t>(a, b, product);
      break;
    default:
      Fail("element_mul has no product of ", a.dtype());
  }
  return product;
}

}  // namespace opwright::ops
