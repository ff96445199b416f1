#pragma once

#include <type_traits>

#include "opwright/op/half.h"

namespace opwright::ops {

// a * b; integers wrap around (in signed arithmetic that would be undefined), half and bfloat16
// are multiplied as float.
template <typename T>
OPWRIGHT_HOST_DEVICE inline auto Multiply(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(a) * static_cast<Unsigned>(b));
  } else {
    return a * b;
  }
}

}  // namespace opwright::ops
