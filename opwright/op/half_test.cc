#include "opwright/op/half.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

// The oracle is written out in double from the definition of the formats, and rounds by looking for
// the nearest of all values.

namespace {

using opwright::bfloat16;
using opwright::half;

template <typename T>
struct Format;
template <>
struct Format<half> {
  static constexpr int kExponentBits = 5, kMantissaBits = 10;
};
template <>
struct Format<bfloat16> {
  static constexpr int kExponentBits = 8, kMantissaBits = 7;
};

// The number that the bits stand for. At the exponent of infinity: what it would be if there were a
// next binade; half-way to it is where infinity begins.
template <typename T>
double Decode(uint32_t magnitude) {
  constexpr int kMantissa = Format<T>::kMantissaBits;
  constexpr int kBias = (1 << (Format<T>::kExponentBits - 1)) - 1;
  const int exponent = static_cast<int>(magnitude >> kMantissa);
  const double fraction =
      static_cast<double>(magnitude & ((1u << kMantissa) - 1)) / (1 << kMantissa);
  return exponent == 0 ? std::ldexp(fraction, 1 - kBias)
                       : std::ldexp(1 + fraction, exponent - kBias);
}
template <typename T>
constexpr uint32_t kInfinity = ((1u << Format<T>::kExponentBits) - 1) << Format<T>::kMantissaBits;

// All magnitudes from 0 to infinity, ascending.
template <typename T>
const std::vector<double>& AllValues() {
  static const std::vector<double> all = [] {
    std::vector<double> values;
    for (uint32_t bits = 0; bits <= kInfinity<T>; ++bits) values.push_back(Decode<T>(bits));
    return values;
  }();
  return all;
}

template <typename T>
uint32_t Round(float value) {
  const std::vector<double>& all = AllValues<T>();
  const double x = std::abs(static_cast<double>(value));
  const uint32_t sign = std::signbit(value) ? 0x8000 : 0;
  if (x >= all.back()) return sign | kInfinity<T>;
  const auto above =
      static_cast<uint32_t>(std::upper_bound(all.begin(), all.end(), x) - all.begin());
  const uint32_t below = above - 1;
  const double down = x - all[below], up = all[above] - x;  // exact: the operands are close
  const bool to_even = down == up && below % 2 == 1;
  return sign | (up < down || to_even ? above : below);
}

template <typename T>
T FromBits(uint32_t bits) {
  T value;
  value.bits = static_cast<uint16_t>(bits);
  return value;
}

template <typename T>
class HalfTest : public ::testing::Test {};
using Formats = ::testing::Types<half, bfloat16>;
TYPED_TEST_SUITE(HalfTest, Formats);

TYPED_TEST(HalfTest, AllBitPatternsBecomeTheirFloat) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const float value = FromBits<TypeParam>(bits);
    const uint32_t magnitude = bits & 0x7fff;
    ASSERT_EQ(std::signbit(value), bits >= 0x8000) << bits;
    if (magnitude > kInfinity<TypeParam>) {
      ASSERT_TRUE(std::isnan(value)) << bits;
    } else if (magnitude == kInfinity<TypeParam>) {
      ASSERT_TRUE(std::isinf(value)) << bits;
    } else {
      ASSERT_EQ(std::abs(static_cast<double>(value)), Decode<TypeParam>(magnitude)) << bits;
    }
  }
}

TYPED_TEST(HalfTest, AllBitPatternsSurviveAFloat) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const TypeParam again(static_cast<float>(FromBits<TypeParam>(bits)));
    if ((bits & 0x7fff) > kInfinity<TypeParam>) {
      const uint32_t quiet = 1u << (Format<TypeParam>::kMantissaBits - 1);
      ASSERT_EQ(again.bits, bits | quiet) << bits;
    } else {
      ASSERT_EQ(again.bits, bits);
    }
  }
}

TYPED_TEST(HalfTest, RoundsToNearestAtEveryMiddle) {
  const std::vector<double>& all = AllValues<TypeParam>();
  for (uint32_t bits = 0; bits < kInfinity<TypeParam>; ++bits) {
    const auto middle = static_cast<float>((all[bits] + all[bits + 1]) / 2);
    ASSERT_EQ(static_cast<double>(middle), (all[bits] + all[bits + 1]) / 2) << "a float holds it";
    const float around[] = {middle, std::nextafter(middle, 0.f),
                            std::nextafter(middle, std::numeric_limits<float>::infinity())};
    for (const float value : around) {
      ASSERT_EQ(TypeParam(value).bits, Round<TypeParam>(value)) << value;
      ASSERT_EQ(TypeParam(-value).bits, Round<TypeParam>(-value)) << -value;
    }
  }
}

TYPED_TEST(HalfTest, RoundsFloatsOfAllMagnitudes) {
  constexpr uint32_t kStep = 8191;  // prime: every exponent, all kinds of mantissas
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += kStep) {
    const auto value = opwright::detail::BitCast<float>(static_cast<uint32_t>(bits));
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(static_cast<float>(TypeParam(value)))) << bits;
    } else {
      ASSERT_EQ(TypeParam(value).bits, Round<TypeParam>(value)) << value;
    }
  }
}

TYPED_TEST(HalfTest, NanStaysNanWhateverItsPayload) {
  for (const uint32_t bits : {0x7f800001u, 0x7fc00000u, 0x7fffffffu, 0xff800001u, 0xffffffffu}) {
    const TypeParam value(opwright::detail::BitCast<float>(bits));
    EXPECT_GT(value.bits & 0x7fffu, kInfinity<TypeParam>) << bits;
    EXPECT_EQ(value.bits >> 15, bits >> 31) << bits;
  }
}

TEST(Half, LimitsOfTheFormat) {
  EXPECT_EQ(half(65519.996f).bits, 0x7bff);
  EXPECT_EQ(half(65520.f).bits, 0x7c00);
  EXPECT_EQ(half(0x1p-24f).bits, 1);
  EXPECT_EQ(half(0x1p-25f).bits, 0);  // a tie: to even
  EXPECT_EQ(half(std::nextafter(0x1p-25f, 1.f)).bits, 1);
  EXPECT_EQ(half(0x1p-14f).bits, 0x400);  // the least normal one
  EXPECT_EQ(half(-0.f).bits, 0x8000);
  EXPECT_EQ(bfloat16(std::numeric_limits<float>::max()).bits, 0x7f80);
  EXPECT_EQ(bfloat16(std::numeric_limits<float>::denorm_min()).bits, 0);
}

#if defined(__SSE__)
// As on TensorFlow's threads.
class SubnormalFloatsAreZero {
 public:
  SubnormalFloatsAreZero() { _mm_setcsr(before_ | 0x8040); }
  ~SubnormalFloatsAreZero() { _mm_setcsr(before_); }
  SubnormalFloatsAreZero(const SubnormalFloatsAreZero&) = delete;
  SubnormalFloatsAreZero& operator=(const SubnormalFloatsAreZero&) = delete;

 private:
  const unsigned before_ = _mm_getcsr();
};

TEST(Half, ConvertsWhereSubnormalFloatsAreZero) {
  const SubnormalFloatsAreZero mode;
  volatile float least = std::numeric_limits<float>::denorm_min();
  ASSERT_EQ(least * 1, 0.f) << "the mode is on";
  for (uint32_t bits = 0; bits <= kInfinity<half>; ++bits) {
    const float value = FromBits<half>(bits);
    if (bits < kInfinity<half>) {
      ASSERT_EQ(static_cast<double>(value), Decode<half>(bits)) << bits;
    }
    ASSERT_EQ(half(value).bits, bits);
    ASSERT_EQ(half(-value).bits, bits | 0x8000);
  }
}
#endif

TYPED_TEST(HalfTest, IsStorageThatConverts) {
  static_assert(sizeof(TypeParam) == 2 && std::is_trivially_copyable_v<TypeParam>);
  static_assert(!std::is_convertible_v<float, TypeParam>, "explicit at construction");
  static_assert(std::is_convertible_v<TypeParam, float>);
  TypeParam values[2];
  values[0] = 1.5f;
  values[1] = values[0] * values[0];
  static_assert(std::is_same_v<decltype(values[0] * values[1]), float>);
  EXPECT_EQ(static_cast<float>(values[1]), 2.25f);
  EXPECT_EQ(true ? values[0] : 0.f, 1.5f);
}

}  // namespace
