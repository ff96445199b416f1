#include "opwright/testing/tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <sstream>
#include <vector>

#include "opwright/testing/failure.h"

namespace {

using opwright::bfloat16;
using opwright::DType;
using opwright::half;
using opwright::Shape;
using opwright::testing::Dims;
using opwright::testing::FailureOf;
using opwright::testing::SameBits;
using opwright::testing::Tensor;

TEST(Tensor, IsMadeFromLiterals) {
  const Tensor t = Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 0.5});
  EXPECT_EQ(t.dtype(), DType::kFloat);
  EXPECT_EQ(t.shape(), (Shape{2, 3}));
  EXPECT_EQ(t.size(), 6);
  EXPECT_EQ(t.bytes(), 24);
  EXPECT_EQ(t.values<float>(), (std::vector<float>{1, 2, 3, 4, 5, 0.5}));
  EXPECT_EQ(Tensor::Of<half>({1}, {0.1f}).data<half>()->bits, 0x2e66);
  EXPECT_EQ(Tensor::Of<bfloat16>({1}, {-2}).data<bfloat16>()->bits, 0xc000);
  EXPECT_EQ(Tensor::Of<bool>({2}, {true, false}).doubles(), (std::vector<double>{1, 0}));
  EXPECT_EQ(Tensor::Of<std::complex<float>>({2}, {1, {2, 3}}).data<std::complex<float>>()[1],
            (std::complex<float>{2, 3}));
  EXPECT_EQ(Tensor::Of<uint64_t>({1}, {std::numeric_limits<uint64_t>::max()}).values<uint64_t>()[0],
            std::numeric_limits<uint64_t>::max());
}

TEST(Tensor, IsMadeFromVectors) {
  const std::vector<double> values = {1.5, -2};
  EXPECT_EQ(Tensor::Of<int8_t>({2}, values).values<int8_t>(), (std::vector<int8_t>{1, -2}));
  EXPECT_EQ(Tensor::Of<half>({2}, values).doubles(), values);
  EXPECT_EQ(Tensor::Filled<half>({3}, 0.5f).doubles(), (std::vector<double>{0.5, 0.5, 0.5}));
}

TEST(Tensor, MayBeScalarOrEmpty) {
  const Tensor scalar = Tensor::Of<double>({}, {7});
  EXPECT_EQ(scalar.rank(), 0);
  EXPECT_EQ(scalar.size(), 1);
  const Tensor empty = Tensor::Of<double>({2, 0}, {});
  EXPECT_EQ(empty.size(), 0);
  EXPECT_EQ(empty.raw(), nullptr);
  EXPECT_TRUE(empty.values<double>().empty());
}

TEST(Tensor, RefusesWhatDoesNotFit) {
  EXPECT_EQ(FailureOf([] {
              Tensor::Of<float>({2}, {1, 2, 3});
            }),
            "a tensor of shape [2] has 2 elements, but 3 values were given");
  EXPECT_EQ(FailureOf([] { Tensor::Of<float>({1}, {1}).data<double>(); }),
            "a tensor of type float was read as double");
  EXPECT_EQ(FailureOf([] { Tensor(DType::kFloat, {2, -3}); }), "a tensor has dimension 1 = -3");
  EXPECT_EQ(
      FailureOf([] {
        Tensor(DType::kFloat, {int64_t{1} << 40, int64_t{1} << 40});
      }),
      "a tensor of shape [1099511627776,1099511627776] and type float has more than 2^63 bytes");
  EXPECT_EQ(FailureOf([] { Tensor(DType::kDouble, {int64_t{1} << 60}); }),
            "a tensor of shape [1152921504606846976] and type double has more than 2^63 bytes");
  EXPECT_EQ(FailureOf([] {
              Tensor(DType::kUint8, {int64_t{1} << 50});
            }).find("1125899906842624 bytes were asked for, this machine has "),
            0u);
  EXPECT_EQ(FailureOf([] { Tensor::Of<std::complex<float>>({1}, {1}).doubles(); }),
            "a tensor of type complex64 was read as real numbers");
  EXPECT_EQ(Tensor(DType::kFloat, {int64_t{1} << 40, 0, int64_t{1} << 40}).size(), 0);
}

TEST(Tensor, CopiesShareAndClonesDoNot) {
  Tensor a = Tensor::Of<float>({2}, {1, 2});
  EXPECT_TRUE(a.unshared());
  Tensor b = a, c = a.Clone();
  EXPECT_FALSE(a.unshared());
  EXPECT_TRUE(c.unshared());
  b.data<float>()[0] = 7;
  EXPECT_EQ(a.values<float>()[0], 7);
  EXPECT_EQ(c.values<float>()[0], 1);
}

TEST(Tensor, IsAligned) {
  for (int64_t n = 1; n < 70; ++n) {
    const Tensor t(DType::kUint8, {n});
    EXPECT_EQ(reinterpret_cast<uintptr_t>(t.raw()) % 64, 0u);
  }
}

TEST(Tensor, SameBitsTellsZerosAndEqualsNan) {
  const Tensor nan = Tensor::Of<float>({1}, {std::nanf("")});
  EXPECT_TRUE(SameBits(nan, nan.Clone()));
  EXPECT_FALSE(SameBits(Tensor::Of<float>({1}, {0.f}), Tensor::Of<float>({1}, {-0.f})));
  EXPECT_FALSE(SameBits(Tensor::Of<float>({1}, {0}), Tensor::Of<int32_t>({1}, {0})));
  EXPECT_FALSE(SameBits(Tensor::Of<float>({1, 0}, {}), Tensor::Of<float>({0}, {})));
}

TEST(Tensor, IsPrinted) {
  std::ostringstream out;
  out << Tensor::Of<int8_t>({2}, {-1, 65}) << Tensor::Of<half>({}, {0.5f})
      << Tensor::Filled<int32_t>({30}, 1) << Tensor();
  EXPECT_EQ(
      out.str(),
      "int8 [2] {-1, 65}half [] {0.5}int32 [30] {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
      "1, 1, 1, 1, 1, 1, 1, 1, 1, ...}no tensor");
}

TEST(Shape, EqualityIsOfWhatIsKnown) {
  EXPECT_EQ(Shape::Unknown(), Shape::Unknown());
  EXPECT_EQ((Shape{-1, 2}), (Shape{-1, 2}));
  EXPECT_NE(Shape::Unknown(), Shape());
  EXPECT_NE((Shape{-1}), (Shape{2}));
  EXPECT_NE((Shape{2}), (Shape{2, 2}));
}

}  // namespace
