#include "opwright/op/shape_context.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "opwright/testing/failure.h"
#include "opwright/testing/host.h"

namespace {

using opwright::DType;
using opwright::kUnknown;
using opwright::Shape;
using opwright::ShapeContext;
using opwright::testing::FailureOf;
using opwright::testing::Host;
using opwright::testing::Known;
using opwright::testing::Tensor;

const Shape kAny = Shape::Unknown();
constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();

// Calls the function that its attribute names, on its inputs; the output has the result's shape.
struct ShapeTest {
  using I = opwright::Types<int32_t, int64_t>;

  static constexpr auto kNoGradient = "it is a test";
  static constexpr auto Declare() {
    return opwright::Declare()
        .Attr<I>("I", DType::kInt32)
        .Attr("check: string")
        .Attr("n: int = 0")
        .Input("a: float")
        .Input("b: float")
        .ShapeValue("v: I")
        .OptionalInput("extra: float")
        .Output("y: float");
  }
  explicit ShapeTest(const opwright::Attributes& a)
      : check_(a.Get<std::string>("check")), n_(static_cast<int>(a.Get<int64_t>("n"))) {}

  void Shape(ShapeContext& c) const {
    if (check_ != "forgets") c.SetOutput(0, Result(c));
    if (check_ == "twice") c.SetOutput(0, Result(c));
  }
  template <typename I>
  void Compute(opwright::CpuCall& call) const {
    for (float& y : call.output<float>(0)) y = 0;
  }

 private:
  opwright::Shape Result(ShapeContext& c) const {
    if (check_ == "same") return c.Same(0, 1);
    if (check_ == "rank") return c.WithRank(0, n_);
    if (check_ == "rank_at_least") return c.WithRankAtLeast(0, n_);
    if (check_ == "merge") return c.Merge(c.input(0), c.input(1), "a and b must agree");
    if (check_ == "same_dim") return {c.MergeDims(c.input(0)[0], c.input(1)[0], "length")};
    if (check_ == "multiply") return {c.MultiplyDims(c.input(0)[0], c.input(1)[0])};
    if (check_ == "add") return {c.AddDims(c.input(0)[0], c.input(1)[0])};
    if (check_ == "value_as_shape") return c.value_as_shape(2);
    if (check_ == "value") return Value(c);
    if (check_ == "value of a") return {c.value<float>(0)->size()};
    if (check_ == "value of another type") return {c.value<float>(2)->size()};
    if (check_ == "no such input") return c.input(n_);
    if (check_ == "no such tensor") return c.input(3);
    if (check_ == "counts") return {c.count(0), c.count(3), c.has(3) ? 1 : 0, c.running() ? 1 : 0};
    if (check_ == "dtype") return {static_cast<int64_t>(c.input_dtype(2))};
    if (check_ == "negative") return {-1 - n_};
    if (check_ == "unknown") return opwright::Shape::Unknown();
    if (check_ == "throws") throw 1;
    return c.input(0);
  }
  static opwright::Shape Value(ShapeContext& c) {
    const auto value = c.value<int32_t>(2);
    if (!value) return opwright::Shape::Unknown();
    int64_t sum = 0;
    for (const int32_t x : *value) sum += x;
    return {value->size(), sum};
  }

  std::string check_;
  int n_;
};

std::vector<Shape> InferAll(const std::string& check, const Known& a, const Known& b,
                            const Known& v = kAny, int n = 0) {
  return Host().Op("ShapeTest", {{"check", check}, {"n", n}}).InferShapes({a, b, v, {}});
}
Shape Infer(const std::string& check, const Known& a, const Known& b = kAny, const Known& v = kAny,
            int n = 0) {
  return InferAll(check, a, b, v, n).at(0);
}
// Behind the op's name and inputs.
template <typename Function>
std::string Reason(const Function& function) {
  const std::string all = FailureOf(function);
  const size_t end = all.find("): ");
  return end == all.npos ? all : all.substr(end + 3);
}

TEST(ShapeContext, SameKnowsWhatEitherKnows) {
  EXPECT_EQ(Infer("same", Shape{-1, 3}, Shape{2, -1}), (Shape{2, 3}));
  EXPECT_EQ(Infer("same", kAny, Shape{2, -1}), (Shape{2, -1}));
  EXPECT_EQ(Infer("same", Shape{2, -1}, kAny), (Shape{2, -1}));
  EXPECT_EQ(Infer("same", kAny, kAny), kAny);
  EXPECT_EQ(Infer("same", Shape(), kAny), Shape());
}

TEST(ShapeContext, SameRefusesWhatDiffers) {
  EXPECT_EQ(FailureOf([] {
              Infer("same", Shape{2, 3}, Shape{2, 4});
            }),
            "ShapeTest (a: [2,3], b: [2,4], v: [unknown rank]): inputs a and b must have the same "
            "shape, they have [2,3] and [2,4]");
  EXPECT_EQ(Reason([] {
              Infer("same", Shape{-1}, Shape{-1, 4});
            }),
            "inputs a and b must have the same shape, they have [?] and [?,4]");
}

TEST(ShapeContext, WithRank) {
  EXPECT_EQ(Infer("rank", Shape{4, -1}, kAny, kAny, 2), (Shape{4, -1}));
  EXPECT_EQ(Infer("rank", kAny, kAny, kAny, 2), Shape::OfRank(2));
  EXPECT_EQ(Infer("rank", kAny, kAny, kAny, 0), Shape());
  EXPECT_EQ(Reason([] {
              Infer("rank", Shape{4, -1}, kAny, kAny, 3);
            }),
            "input a must have rank 3, its shape is [4,?]");
}

TEST(ShapeContext, WithRankAtLeast) {
  EXPECT_EQ(Infer("rank_at_least", Shape{4, 5, 6}, kAny, kAny, 2), (Shape{4, 5, 6}));
  EXPECT_EQ(Infer("rank_at_least", Shape{4, 5}, kAny, kAny, 2), (Shape{4, 5}));
  EXPECT_EQ(Infer("rank_at_least", kAny, kAny, kAny, 2), kAny);
  EXPECT_EQ(Reason([] { Infer("rank_at_least", Shape{4}, kAny, kAny, 2); }),
            "input a must have rank 2 or more, its shape is [4]");
}

TEST(ShapeContext, MergeSaysWhatMustHold) {
  EXPECT_EQ(Infer("merge", Shape{-1, 3}, Shape{2, -1}), (Shape{2, 3}));
  EXPECT_EQ(Reason([] { Infer("merge", Shape{2}, Shape{3}); }),
            "a and b must agree: [2] and [3] differ");
}

TEST(ShapeContext, SameDim) {
  EXPECT_EQ(Infer("same_dim", Shape{-1}, Shape{7}), Shape{7});
  EXPECT_EQ(Infer("same_dim", Shape{7}, Shape{-1}), Shape{7});
  EXPECT_EQ(Infer("same_dim", Shape{7}, Shape{7}), Shape{7});
  EXPECT_EQ(Infer("same_dim", Shape{-1}, Shape{-1}), Shape{-1});
  EXPECT_EQ(Reason([] { Infer("same_dim", Shape{7}, Shape{0}); }), "length: 7 and 0 differ");
}

TEST(ShapeContext, ArithmeticOfDimensionsIsChecked) {
  EXPECT_EQ(Infer("multiply", Shape{6}, Shape{7}), Shape{42});
  EXPECT_EQ(Infer("multiply", Shape{-1}, Shape{7}), Shape{-1});
  EXPECT_EQ(Infer("multiply", Shape{-1}, Shape{0}), Shape{0});
  EXPECT_EQ(Infer("add", Shape{6}, Shape{7}), Shape{13});
  EXPECT_EQ(Infer("add", Shape{6}, Shape{-1}), Shape{-1});
  // Two of rank 1, whose elements have no bytes to count while another dimension is 0.
  EXPECT_EQ(Reason([] {
              Infer("multiply", Shape{kHuge / 8, 0}, Shape{9, 0});
            }),
            "a dimension of 1152921504606846975 times 9 is too large");
  EXPECT_EQ(Reason([] {
              Infer("add", Shape{kHuge, 0}, Shape{1, 0});
            }),
            "a dimension of 9223372036854775807 plus 1 is too large");
}

TEST(ShapeContext, ValueIsWholeOrNothing) {
  EXPECT_EQ(Infer("value", kAny, kAny, Tensor::Of<int32_t>({2}, {3, 4})), (Shape{2, 7}));
  EXPECT_EQ(Infer("value", kAny, kAny, Tensor::Of<int32_t>({0}, {})), (Shape{0, 0}));
  EXPECT_EQ(Infer("value", kAny, kAny, Shape{2}), kAny);
  EXPECT_EQ(Infer("value", kAny, kAny, Known::Partly(DType::kInt32, {3, -1})), kAny);
  EXPECT_EQ(Infer("value", kAny, kAny, Shape{0}), (Shape{0, 0})) << "nothing is unknown";
}

TEST(ShapeContext, ValueIsOfShapeValueInputsAndOfTheirType) {
  EXPECT_EQ(Reason([] { Infer("value of a", Tensor::Of<float>({1}, {1})); }),
            "Shape asks for the value of input a, which is declared otherwise; declare it with "
            "ShapeValue(\"a: float\")");
  EXPECT_EQ(
      Reason([] { Infer("value of another type", kAny, kAny, Tensor::Of<int32_t>({1}, {1})); }),
      "the value of v is int32, the op reads it as float");
}

TEST(ShapeContext, ValueAsShapeIsAsKnownAsTheValue) {
  const auto infer = [](const Known& v) { return Infer("value_as_shape", kAny, kAny, v); };
  EXPECT_EQ(infer(Tensor::Of<int32_t>({2}, {3, 4})), (Shape{3, 4}));
  EXPECT_EQ(infer(Tensor::Of<int64_t>({2}, {3, 4})), (Shape{3, 4}));
  EXPECT_EQ(infer(Tensor::Of<int32_t>({0}, {})), Shape());
  EXPECT_EQ(infer(Known::Partly(DType::kInt64, {3, -1})), (Shape{3, -1}));
  EXPECT_EQ(infer(Shape{2}), Shape::OfRank(2));
  EXPECT_EQ(infer(kAny), kAny);
}

TEST(ShapeContext, ValueAsShapeRefusesWhatIsNoShape) {
  const auto reason = [](const Known& v) {
    return Reason([&] { Infer("value_as_shape", kAny, kAny, v); });
  };
  EXPECT_EQ(reason(Tensor::Of<int32_t>({2}, {3, -1})), "input v asks for dimension 1 to be -1");
  EXPECT_EQ(reason(Tensor::Of<int32_t>({1, 1}, {3})),
            "input v must be a vector, its shape is [1,1]");
  EXPECT_EQ(reason(Shape{-1, 2}), "input v must be a vector, its shape is [?,2]");
  EXPECT_EQ(reason(Shape{255}), "input v is a shape of rank 255");
}

TEST(ShapeContext, KnowsItsInputs) {
  const auto node = Host().Op("ShapeTest", {{"check", "counts"}});
  EXPECT_EQ(node.InferShapes({Shape{2}, kAny, kAny, {}})[0], (Shape{1, 0, 0, 0}));
  EXPECT_EQ(node.InferShapes({Shape{2}, kAny, kAny, Shape{3}})[0], (Shape{1, 1, 1, 0}));
  const Tensor one = Tensor::Of<float>({1}, {1});
  const auto run = node.Run({one, one, Tensor::Of<int32_t>({}, {1}), {one}});
  EXPECT_EQ(run[0].shape(), (Shape{1, 1, 1, 1}));
  EXPECT_EQ(Infer("dtype", kAny, kAny, Known(DType::kInt64, kAny)), Shape{9});
  EXPECT_EQ(Infer("dtype", kAny), Shape{3}) << "the default";
}

TEST(ShapeContext, RefusesInputsThatThereAreNot) {
  EXPECT_EQ(Reason([] { Infer("no such input", kAny, kAny, kAny, 4); }),
            "input 4 was asked for, the op has 4");
  EXPECT_EQ(Reason([] { Infer("no such input", kAny, kAny, kAny, -1); }),
            "input -1 was asked for, the op has 4");
  EXPECT_EQ(Reason([] { Infer("no such tensor", kAny); }),
            "tensor 0 of input extra was asked for, it has 0: ask has(i) or count(i) first");
}

TEST(ShapeContext, EveryOutputIsSetOnceToAShape) {
  EXPECT_EQ(Reason([] { Infer("forgets", kAny); }), "Shape does not set output y");
  EXPECT_EQ(Reason([] { Infer("twice", Shape{2}); }), "Shape twice sets output y");
  EXPECT_EQ(Reason([] { Infer("negative", Shape{2}, kAny, kAny, 1); }),
            "Shape sets dimension 0 to -2 of output y");
  EXPECT_EQ(Reason([] { Infer("throws", kAny); }),
            "the op threw something that is not a std::exception");
}

TEST(ShapeContext, BeforeARunNothingIsUnknown) {
  const auto reason = [](const std::string& check) {
    const Tensor one = Tensor::Of<float>({1}, {1});
    const auto node = Host().Op("ShapeTest", {{"check", check}});
    return Reason([&] { node.Run({one, one, Tensor::Of<int32_t>({}, {1}), {}}); });
  };
  EXPECT_EQ(reason("unknown"), "Shape leaves open, before a run, the rank of output y");
  EXPECT_EQ(reason("negative"), "Shape sets, before a run, dimension 0 to -1 of output y");
  EXPECT_EQ(reason("forgets"), "Shape does not set output y");
}

}  // namespace

OPWRIGHT_OP(ShapeTest);
