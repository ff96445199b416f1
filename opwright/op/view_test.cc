// Whatever this is built with: the checks are what is tested.
#define OPWRIGHT_BOUNDS_CHECK 1
#include "opwright/op/view.h"

#include <gtest/gtest.h>

#include <numeric>

#include "opwright/testing/failure.h"
#include "opwright/testing/tensor.h"

namespace {

using opwright::Shape;
using opwright::View;
using opwright::testing::FailureOf;

class ViewTest : public ::testing::Test {
 protected:
  ViewTest() {
    std::iota(values_, values_ + 24, 0);
    table_.rank = 3;
    table_.dims = dims_;
    table_.elements = 24;
    table_.data = values_;
  }
  const int64_t dims_[3] = {2, 3, 4};
  int values_[24];
  OpwrightTensor table_ = opwright::detail::Sized<OpwrightTensor>();
};

TEST_F(ViewTest, KnowsItsShape) {
  const View<int> view(table_);
  EXPECT_EQ(view.size(), 24);
  EXPECT_EQ(view.rank(), 3);
  EXPECT_EQ(view.dim(0), 2);
  EXPECT_EQ(view.dim(-1), 4);
  EXPECT_EQ(view.shape(), (Shape{2, 3, 4}));
  EXPECT_EQ(view.data(), values_);
  EXPECT_EQ(view.end() - view.begin(), 24);
  EXPECT_EQ(FailureOf([&] { view.dim(3); }), "dimension 3 was asked for of a shape of rank 3");
  EXPECT_EQ(FailureOf([&] { view.dim(-4); }), "dimension -4 was asked for of a shape of rank 3");
}

TEST_F(ViewTest, LastIndexRunsFastest) {
  const View<const int> view(table_);
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t j = 0; j < 3; ++j) {
      for (int64_t k = 0; k < 4; ++k) EXPECT_EQ(view(i, j, k), 12 * i + 4 * j + k);
    }
  }
  EXPECT_EQ(view[23], 23);
}

TEST_F(ViewTest, Writes) {
  const View<int> view(table_);
  view(1, 0, 2) = -1;
  view[0] = -2;
  EXPECT_EQ(values_[14], -1);
  EXPECT_EQ(values_[0], -2);
}

TEST_F(ViewTest, ChecksIndices) {
  const View<int> view(table_);
  EXPECT_EQ(FailureOf([&] { view[24]; }), "element 24 was asked for of a tensor with 24");
  EXPECT_EQ(FailureOf([&] { view[-1]; }), "element -1 was asked for of a tensor with 24");
  EXPECT_EQ(FailureOf([&] { view(0, 3, 0); }), "index 3 was asked for in dimension 1 of [2,3,4]");
  EXPECT_EQ(FailureOf([&] { view(-1, 0, 0); }), "index -1 was asked for in dimension 0 of [2,3,4]");
  EXPECT_EQ(FailureOf([&] { view(0, 0); }), "2 indices for a tensor of rank 3");
}

TEST_F(ViewTest, OfAScalarAndOfNothing) {
  table_.rank = 0;
  table_.dims = nullptr;
  table_.elements = 1;
  const View<int> scalar(table_);
  EXPECT_EQ(scalar(), 0);
  EXPECT_EQ(scalar.shape(), Shape());

  const int64_t none[] = {0};
  table_.rank = 1;
  table_.dims = none;
  table_.elements = 0;
  table_.data = nullptr;
  const View<int> empty(table_);
  EXPECT_EQ(empty.begin(), empty.end());
  EXPECT_EQ(FailureOf([&] { empty[0]; }), "element 0 was asked for of a tensor with 0");
}

}  // namespace
