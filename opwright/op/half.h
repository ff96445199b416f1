#pragma once

// half (IEEE binary16) and bfloat16: storage and conversion. Arithmetic happens in float, and so
// should sums. A float becomes one explicitly at construction and silently at assignment, so that
// `half_array[i] = a[i] * b[i]` reads as usual, while `c ? h : 0.f` is a float and not ambiguous.

#include <cstdint>
#include <cstring>

#include "opwright/op/visibility.h"

namespace opwright OPWRIGHT_HIDDEN {
namespace detail {

template <typename To, typename From>
OPWRIGHT_HOST_DEVICE inline To BitCast(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "a bit cast keeps the size");
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

OPWRIGHT_HOST_DEVICE inline float HalfToFloat(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  const uint32_t rest = static_cast<uint32_t>(bits & 0x7fff) << 13;
  if ((bits & 0x7c00) == 0x7c00) return BitCast<float>(sign | 0x7f800000u | rest);
  // The exponent's bias goes from 15 to 127. A subnormal becomes the difference of two normal
  // floats: TensorFlow's threads read subnormal floats as zero.
  const float magnitude = rest < 0x00800000u ? BitCast<float>(rest + 0x38800000u) - 0x1p-14f
                                             : BitCast<float>(rest + 0x38000000u);
  return BitCast<float>(sign | BitCast<uint32_t>(magnitude));
}

// Rounds to nearest, ties to even; NaN stays NaN (quiet) and keeps its upper payload bits.
OPWRIGHT_HOST_DEVICE inline uint16_t FloatToHalf(float value) {
  const uint32_t all = BitCast<uint32_t>(value);
  const uint32_t sign = all >> 16 & 0x8000;
  const uint32_t x = all & 0x7fffffff;
  uint32_t rest;
  if (x > 0x7f800000u) {
    rest = 0x7e00 | (x >> 13 & 0x3ff);
  } else if (x >= 0x477ff000u) {  // 65520 and more: infinity
    rest = 0x7c00;
  } else if (x < 0x38800000u) {  // subnormal: adding 0.5 lets the float unit round at the right bit
    rest = BitCast<uint32_t>(BitCast<float>(x) + 0.5f) - 0x3f000000u;
  } else {
    rest = (x - 0x38000000u + 0xfff + (x >> 13 & 1)) >> 13;
  }
  return static_cast<uint16_t>(sign | rest);
}

OPWRIGHT_HOST_DEVICE inline uint16_t FloatToBfloat16(float value) {
  const uint32_t x = BitCast<uint32_t>(value);
  const bool nan = (x & 0x7fffffff) > 0x7f800000u;
  return static_cast<uint16_t>(nan ? x >> 16 | 0x40 : (x + 0x7fff + (x >> 16 & 1)) >> 16);
}

}  // namespace detail

struct OPWRIGHT_VISIBLE half {
  uint16_t bits;

  half() = default;
  OPWRIGHT_HIDDEN OPWRIGHT_HOST_DEVICE explicit half(float value)
      : bits(detail::FloatToHalf(value)) {}
  OPWRIGHT_HIDDEN OPWRIGHT_HOST_DEVICE half& operator=(float value) {
    bits = detail::FloatToHalf(value);
    return *this;
  }
  OPWRIGHT_HIDDEN OPWRIGHT_HOST_DEVICE operator float() const { return detail::HalfToFloat(bits); }
};

struct OPWRIGHT_VISIBLE bfloat16 {
  uint16_t bits;

  bfloat16() = default;
  OPWRIGHT_HIDDEN OPWRIGHT_HOST_DEVICE explicit bfloat16(float value)
      : bits(detail::FloatToBfloat16(value)) {}
  OPWRIGHT_HIDDEN OPWRIGHT_HOST_DEVICE bfloat16& operator=(float value) {
    bits = detail::FloatToBfloat16(value);
    return *this;
  }
  OPWRIGHT_HIDDEN OPWRIGHT_HOST_DEVICE operator float() const {
    return detail::BitCast<float>(static_cast<uint32_t>(bits) << 16);
  }
};

}  // namespace OPWRIGHT_HIDDEN
