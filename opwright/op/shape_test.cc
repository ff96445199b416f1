#include "opwright/op/shape.h"

#include <gtest/gtest.h>

#include <vector>

#include "opwright/testing/failure.h"
#include "opwright/testing/tensor.h"

namespace {

using opwright::Shape;
using opwright::testing::FailureOf;

TEST(Shape, OfUnknownRank) {
  const Shape shape = Shape::Unknown();
  EXPECT_FALSE(shape.known_rank());
  EXPECT_FALSE(shape.known());
  EXPECT_EQ(shape.rank(), -1);
  EXPECT_EQ(FailureOf([&] { return shape[0]; }),
            "dimension 0 was asked for of a shape whose rank is not known; ask for WithRank first");
}

TEST(Shape, KnowsItsDimensions) {
  const Shape shape{2, opwright::kUnknown, 5};
  EXPECT_TRUE(shape.known_rank());
  EXPECT_FALSE(shape.known());
  EXPECT_EQ(shape.rank(), 3);
  EXPECT_EQ(shape[0], 2);
  EXPECT_EQ(shape[1], -1);
  EXPECT_EQ(shape[-1], 5);
  EXPECT_EQ(shape[-3], 2);
  EXPECT_TRUE((Shape{2, 0}).known());
}

TEST(Shape, RefusesADimensionThatItDoesNotHave) {
  const Shape shape{2, 3};
  EXPECT_EQ(FailureOf([&] { return shape[2]; }), "dimension 2 was asked for of a shape of rank 2");
  EXPECT_EQ(FailureOf([&] { return shape[-3]; }),
            "dimension -3 was asked for of a shape of rank 2");
  EXPECT_EQ(FailureOf([&] { return Shape()[0]; }),
            "dimension 0 was asked for of a shape of rank 0");
}

TEST(Shape, OfAScalarIsKnown) {
  for (const Shape& scalar : {Shape(), Shape{}, Shape(0, nullptr)}) {
    EXPECT_TRUE(scalar.known_rank());
    EXPECT_TRUE(scalar.known());
    EXPECT_EQ(scalar.rank(), 0);
  }
}

TEST(Shape, OfRankHasUnknownDimensions) {
  const Shape shape = Shape::OfRank(2);
  EXPECT_EQ(shape.rank(), 2);
  EXPECT_EQ(shape[0], -1);
  EXPECT_EQ(shape[1], -1);
}

TEST(Shape, CopiesAreIndependent) {
  Shape a{2, 3};
  Shape b = a;
  b[0] = 7;
  b.Append(9);
  EXPECT_EQ(a, (Shape{2, 3}));
  EXPECT_EQ(b, (Shape{7, 3, 9}));
  a = b;
  EXPECT_EQ(a, b);
  const Shape& same = a;
  a = same;
  EXPECT_EQ(a, b);
  a = Shape::Unknown();
  EXPECT_FALSE(a.known_rank());
}

TEST(Shape, AnUnknownRankStaysUnknownWhenADimensionIsAppended) {
  Shape shape = Shape::Unknown();
  shape.Append(4);
  EXPECT_FALSE(shape.known_rank());
}

TEST(Shape, HasTensorFlowsLimitOnRank) {
  Shape shape(0, nullptr);
  for (int k = 0; k < OPWRIGHT_MAX_RANK; ++k) shape.Append(k);
  EXPECT_EQ(shape.rank(), OPWRIGHT_MAX_RANK);
  EXPECT_EQ(shape[-1], OPWRIGHT_MAX_RANK - 1);
  const char* const message = "a tensor of rank 255 was asked for; TensorFlow's limit is 254";
  EXPECT_EQ(FailureOf([&] { shape.Append(1); }), message);
  EXPECT_EQ(shape.rank(), OPWRIGHT_MAX_RANK);
  const std::vector<int64_t> dims(OPWRIGHT_MAX_RANK + 1, 1);
  EXPECT_EQ(FailureOf([&] { Shape(OPWRIGHT_MAX_RANK + 1, dims.data()); }), message);
}

}  // namespace
