#pragma once

// half (IEEE binary16) and bfloat16: storage and conversion. Arithmetic happens in float, and so
// should sums. A float becomes one explicitly at construction and silently at assignment, so that
// `half_array[i] = a[i] * b[i]` reads as usual, while `c ? h : 0.f` is a float and not ambiguous.

#include <cstdint>
#include <cstring>

#include "opwright/op/visibility.h"

#ifdef __CUDACC__
#define OPWRIGHT_HOST_DEVICE __host__ __device__
#else
#define OPWRIGHT_HOST_DEVICE
#endif

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
  // The exponent's bias goes from 15 to 127; that of infinity and NaN stays the largest.
  const uint32_t normal = rest + (rest >= 0x0f800000u ? 0x70000000u : 0x38000000u);
  // A subnormal is made as the difference of two normal floats: TensorFlow's threads read subnormal
  // floats as zero.
  const uint32_t subnormal = BitCast<uint32_t>(BitCast<float>(rest + 0x38800000u) - 0x1p-14f);
  return BitCast<float>(sign | (rest < 0x00800000u ? subnormal : normal));
}

// Rounds to nearest, ties to even; NaN stays NaN (quiet) and keeps its upper payload bits.
OPWRIGHT_HOST_DEVICE inline uint16_t FloatToHalf(float value) {
  const uint32_t all = BitCast<uint32_t>(value);
  const uint32_t sign = all >> 16 & 0x8000;
  const uint32_t x = all & 0x7fffffff;
  const uint32_t normal = (x - 0x38000000u + 0xfff + (x >> 13 & 1)) >> 13;
  // Adding 0.5 lets the float unit round at the last bit of a subnormal half.
  const uint32_t subnormal = BitCast<uint32_t>(BitCast<float>(x) + 0.5f) - 0x3f000000u;
  const uint32_t nan = 0x7e00 | (x >> 13 & 0x3ff);
  uint32_t rest = x < 0x38800000u ? subnormal : normal;
  rest = x >= 0x477ff000u ? 0x7c00 : rest;  // 65520 and more: infinity
  rest = x > 0x7f800000u ? nan : rest;
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

}  // namespace opwright
