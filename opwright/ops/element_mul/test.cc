#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "opwright/ops/element_mul/reference.h"
#include "opwright/testing/failure.h"
#include "opwright/testing/host.h"
#include "opwright/testing/random.h"

namespace {

using opwright::bfloat16;
using opwright::DType;
using opwright::half;
using opwright::Shape;
using opwright::ops::ElementMulReference;
using opwright::testing::Dims;
using opwright::testing::FailureOf;
using opwright::testing::Host;
using opwright::testing::Node;
using opwright::testing::Random;
using opwright::testing::SameBits;
using opwright::testing::Tensor;
using opwright::testing::WithType;

const DType kTypes[] = {DType::kHalf,   DType::kBfloat16, DType::kFloat,
                        DType::kDouble, DType::kInt32,    DType::kInt64};
// Which products overflow, in each dtype now and then.
constexpr double kRange = 70000;

Node ElementMul() { return Host().Op("Opwright>ElementMul"); }

// The same bits, but for NaN, of which there are many.
::testing::AssertionResult SameValues(const Tensor& got, const Tensor& expected) {
  if (got.dtype() != expected.dtype() || got.dims() != expected.dims()) {
    return ::testing::AssertionFailure() << got << " is no " << expected;
  }
  return WithType(got.dtype(), [&](auto type) -> ::testing::AssertionResult {
    using T = decltype(type);
    if constexpr (std::is_convertible_v<T, double>) {
      const T *g = got.data<T>(), *e = expected.data<T>();
      for (int64_t i = 0; i < got.size(); ++i) {
        const auto x = static_cast<double>(g[i]), y = static_cast<double>(e[i]);
        if (std::isnan(x) && std::isnan(y)) continue;
        if (memcmp(g + i, e + i, sizeof(T)) == 0) continue;
        return ::testing::AssertionFailure()
               << "element " << i << " is " << x << ", it must be " << y;
      }
    }
    return ::testing::AssertionSuccess();
  });
}

class ElementMulTest : public ::testing::TestWithParam<DType> {
 protected:
  Random random_;
};
INSTANTIATE_TEST_SUITE_P(AllTypes, ElementMulTest, ::testing::ValuesIn(kTypes),
                         [](const auto& test) { return std::string(Name(test.param)); });

TEST_P(ElementMulTest, EveryRankAndSize) {
  SCOPED_TRACE(random_.note());
  const Node op = ElementMul();
  std::vector<Dims> shapes = {{0},    {1},         {2, 0, 3}, {0, 0}, {1, 1, 1},
                              {1009}, {7, 11, 13}, {63},      {65}};
  for (int rank = 0; rank <= 6; ++rank) {
    for (int repeat = 0; repeat < 5; ++repeat) shapes.push_back(random_.SomeDims(rank, 0, 5));
  }
  for (const Dims& dims : shapes) {
    const Tensor a = random_.Values(GetParam(), dims, -kRange, kRange);
    const Tensor b = random_.Values(GetParam(), dims, -kRange, kRange);
    const std::vector<Tensor> product = op.Run({a, b});
    ASSERT_EQ(product.size(), 1u);
    EXPECT_TRUE(SameValues(product[0], ElementMulReference(a, b))) << a.shape();
  }
}

TEST_P(ElementMulTest, SpecialValuesStayInTheirElement) {
  WithType(GetParam(), [](auto type) {
    using T = decltype(type);
    using Limits = std::numeric_limits<std::conditional_t<std::is_arithmetic_v<T>, T, float>>;
    if constexpr (std::is_convertible_v<T, double>) {
      std::vector<double> values = {0, 1, -1, 3, static_cast<double>(Limits::lowest() / 2)};
      if (opwright::IsDifferentiable(opwright::DTypeOf<T>::value)) {
        for (const double x : {-0.0, 1e-8, 65504.0, 1e30, HUGE_VAL, -HUGE_VAL, std::nan("")}) {
          values.push_back(x);
        }
      }
      std::vector<double> as, bs;
      for (const double a : values) {
        for (const double b : values) {
          as.push_back(a);
          bs.push_back(b);
        }
      }
      const auto n = static_cast<int64_t>(as.size());
      const Tensor a = Tensor::Of<T>({n}, as), b = Tensor::Of<T>({n}, bs);
      EXPECT_TRUE(SameValues(ElementMul().Run({a, b})[0], ElementMulReference(a, b)));
    }
  });
}

TEST_P(ElementMulTest, SameBitsForAnyNumberOfThreads) {
  SCOPED_TRACE(random_.note());
  for (const int64_t n : {1, 6, 1009}) {
    const Tensor a = random_.Values(GetParam(), {n}, -kRange, kRange);
    const Tensor b = random_.Values(GetParam(), {n}, -kRange, kRange);
    const Tensor expected = ElementMul().Run({a, b})[0];
    for (const int threads : {1, 2, 7}) {
      for (const int64_t block : {0, 1, 5}) {
        Host host(threads);
        host.set_blocks(block);
        EXPECT_TRUE(SameBits(host.Op("Opwright>ElementMul").Run({a, b})[0], expected))
            << threads << " threads, blocks of " << block << ", n = " << n;
      }
    }
  }
}

TEST_P(ElementMulTest, BothInputsMayBeOne) {
  SCOPED_TRACE(random_.note());
  const Tensor a = random_.Values(GetParam(), {101}, -kRange, kRange);
  EXPECT_TRUE(SameValues(ElementMul().Run({a, a})[0], ElementMulReference(a, a)));
}

TEST(ElementMul, RoundsTheProductOfHalvesOnce) {
  // 1.0009765625 * 1.0009765625 = 1.00195407867431640625: just above 1.001953125.
  const Tensor a = Tensor::Of<half>({1}, {1.0009765625f});
  EXPECT_EQ(ElementMul().Run({a, a})[0].doubles(), (std::vector<double>{1.001953125}));
  const Tensor b = Tensor::Of<bfloat16>({1}, {1.0078125f});
  EXPECT_EQ(ElementMul().Run({b, b})[0].doubles(), (std::vector<double>{1.015625}));
}

TEST(ElementMul, IntegersWrapAround) {
  const Tensor a = Tensor::Of<int32_t>({2}, {65536, INT32_MIN});
  const Tensor b = Tensor::Of<int32_t>({2}, {65537, -1});
  EXPECT_EQ(ElementMul().Run({a, b})[0].values<int32_t>(),
            (std::vector<int32_t>{65536, INT32_MIN}));
  const Tensor c = Tensor::Of<int64_t>({1}, {INT64_MIN}), d = Tensor::Of<int64_t>({1}, {-1});
  EXPECT_EQ(ElementMul().Run({c, d})[0].values<int64_t>(), (std::vector<int64_t>{INT64_MIN}));
}

TEST(ElementMul, RefusesInputsThatDiffer) {
  const Node op = ElementMul();
  const auto run = [&op](const Dims& a, const Dims& b) {
    return FailureOf([&] { op.Run({Tensor(DType::kFloat, a), Tensor(DType::kFloat, b)}); });
  };
  EXPECT_EQ(
      run({2, 3}, {3, 2}),
      "Opwright>ElementMul (a: float [2,3], b: float [3,2]): inputs a and b must have the same "
      "shape, they have [2,3] and [3,2]");
  EXPECT_NE(run({2, 3}, {3}).find("they have [2,3] and [3]"), std::string::npos);
  EXPECT_NE(run({}, {1}).find("they have [] and [1]"), std::string::npos);
  EXPECT_NE(run({0}, {1}).find("they have [0] and [1]"), std::string::npos);
  EXPECT_EQ(
      FailureOf([&] {
        op.Run({Tensor::Of<float>({1}, {1}), Tensor::Of<double>({1}, {1})});
      }),
      "Opwright>ElementMul (a: float [1], b: double [1]): input b is double, by attribute T it "
      "must be float");
  EXPECT_EQ(FailureOf([&] {
              op.Run({Tensor::Of<bool>({1}, {true}), Tensor::Of<bool>({1}, {true})});
            }),
            "Opwright>ElementMul (a: bool [1], b: bool [1]): attribute T is bool, it must be half, "
            "bfloat16, float, double, int32 or int64");
}

TEST(ElementMul, InfersShapes) {
  const Node op = ElementMul();
  const auto infer = [&op](const Shape& a, const Shape& b) { return op.InferShapes({a, b}).at(0); };
  EXPECT_EQ(infer(Shape{-1, 3}, Shape{2, -1}), (Shape{2, 3}));
  EXPECT_EQ(infer(Shape::Unknown(), Shape{2, -1}), (Shape{2, -1}));
  EXPECT_EQ(infer(Shape::Unknown(), Shape::Unknown()), Shape::Unknown());
  EXPECT_EQ(infer(Shape{0}, Shape{-1}), Shape{0});
  EXPECT_EQ(
      FailureOf([&] {
        infer(Shape{-1, 3}, Shape{2, 4});
      }),
      "Opwright>ElementMul (a: [?,3], b: [2,4]): inputs a and b must have the same shape, they "
      "have [?,3] and [2,4]");
}

TEST(ElementMul, ItsGradientCallsItself) {
  EXPECT_EQ(ElementMul().RecordGradient({Shape{2}, Shape{2}}).text,
            "call0 = Opwright>ElementMul(d_product, b)\n"
            "call1 = Opwright>ElementMul(a, d_product)\n"
            "d_a = call0\n"
            "d_b = call1\n");
}

}  // namespace
