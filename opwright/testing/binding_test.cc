#include "opwright/testing/binding.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "opwright/testing/failure.h"

namespace {

using opwright::DType;
using opwright::Shape;
using opwright::testing::Actual;
using opwright::testing::AttrMap;
using opwright::testing::AttrValue;
using opwright::testing::Bind;
using opwright::testing::Binding;
using opwright::testing::FailureOf;
using opwright::testing::OpDeclaration;
using opwright::testing::ParseDeclaration;

constexpr DType kF = DType::kFloat, kI = DType::kInt32, kUnknownType = DType::kInvalid;

const OpDeclaration& Op() {
  static const OpDeclaration op = ParseDeclaration(
      "op Op\n"
      "type_attr T: {float,double}\n"
      "type_attr U: {int32,int64} = DT_INT64\n"
      "attr N: int >= 1\n"
      "attr M: int = 2\n"
      "attr Ts: list(type) >= 0\n"
      "attr n_bias: int >= 0\n"
      "attr axes: list(int) >= 1 = [0]\n"
      "attr mode: {'open', 'closed'} = 'open'\n"
      "input a: T\n"
      "input xs: N * T\n"
      "input mixed: Ts\n"
      "optional_input bias: n_bias * float\n"
      "output y: U\n"
      "output ys: M * T\n"
      "output copies: Ts\n");
  return op;
}

Actual One(DType dtype) { return {false, {dtype}, {Shape::Unknown()}}; }
Actual List(const std::vector<DType>& dtypes) {
  return {true, dtypes, std::vector<Shape>(dtypes.size())};
}

const std::vector<Actual> kGood = {One(kF), List({kF, kF}), List({kI, kF}), List({})};

TEST(Bind, InfersTypesAndLengths) {
  const Binding b = Bind(Op(), {}, kGood, false);
  EXPECT_EQ(b.attrs.at("T"), AttrValue(kF));
  EXPECT_EQ(b.attrs.at("U"), AttrValue(DType::kInt64)) << "the default";
  EXPECT_EQ(b.attrs.at("N"), AttrValue(2));
  EXPECT_EQ(b.attrs.at("Ts"), AttrValue(std::vector<DType>{kI, kF}));
  EXPECT_EQ(b.attrs.at("n_bias"), AttrValue(0));
  EXPECT_EQ(b.input_begin, (std::vector<int32_t>{0, 1, 3, 5, 5}));
  EXPECT_EQ(b.inputs, (std::vector<DType>{kF, kF, kF, kI, kF}));
  EXPECT_EQ(b.output_begin, (std::vector<int32_t>{0, 1, 3, 5}));
  EXPECT_EQ(b.outputs, (std::vector<DType>{DType::kInt64, kF, kF, kI, kF}));
  EXPECT_EQ(b.KernelTypes(Op()), (std::vector<DType>{kF, DType::kInt64}));
}

TEST(Bind, TakesWhatIsGiven) {
  const Binding b = Bind(Op(), {{"U", kI}, {"M", 0}, {"N", 2}, {"mode", "closed"}}, kGood, false);
  EXPECT_EQ(b.outputs, (std::vector<DType>{kI, kI, kF}));
  EXPECT_EQ(b.attrs.at("mode"), AttrValue("closed"));
}

TEST(Bind, ASingleTensorIsAListOfOne) {
  const Binding b = Bind(Op(), {}, {One(kF), One(kF), One(kI), One(kF)}, false);
  EXPECT_EQ(b.attrs.at("N"), AttrValue(1));
  EXPECT_EQ(b.attrs.at("n_bias"), AttrValue(1));
}

TEST(Bind, GuessesTypesOnlyIfItMay) {
  const std::vector<Actual> unknown = {One(kUnknownType), List({kUnknownType}), List({}), List({})};
  EXPECT_EQ(Bind(Op(), {}, unknown, true).attrs.at("T"), AttrValue(kF)) << "the first";
  EXPECT_EQ(FailureOf([&] { Bind(Op(), {}, unknown, false); }), "input a is given no tensor");
  const std::vector<Actual> one = {One(kUnknownType), List({DType::kDouble}), List({}), List({})};
  EXPECT_EQ(Bind(Op(), {}, one, true).inputs[0], DType::kDouble);
}

std::string Failure(const AttrMap& attrs, const std::vector<Actual>& inputs) {
  return FailureOf([&] { Bind(Op(), attrs, inputs, false); });
}
std::vector<Actual> With(size_t i, const Actual& actual) {
  std::vector<Actual> inputs = kGood;
  inputs[i] = actual;
  return inputs;
}

TEST(Bind, RefusesInputsThatDoNotFit) {
  EXPECT_EQ(Failure({}, {One(kF)}), "the op takes 4 inputs (a, xs, mixed, bias), 1 was given");
  EXPECT_EQ(Failure({}, With(0, List({kF}))), "input a is one tensor, a list was given");
  EXPECT_EQ(Failure({}, With(0, One(kI))), "attribute T is int32, it must be float or double");
  EXPECT_EQ(Failure({}, With(1, List({kF, DType::kDouble}))),
            "input xs is double, by attribute T it must be float");
  EXPECT_EQ(Failure({}, With(1, List({}))), "attribute N is 0, it must be 1 or more");
  EXPECT_EQ(Failure({}, With(3, One(kI))), "input bias is int32, it must be float");
  EXPECT_EQ(Failure({{"N", 3}}, kGood),
            "input xs is a list of 2, by attribute N it must be one of 3");
  EXPECT_EQ(Failure({{"Ts", std::vector<DType>{kI}}}, kGood),
            "input mixed is a list of {int32, float}, by attribute Ts it must be one of {int32}");
}

TEST(Bind, RefusesAttributesThatAreNotAllowed) {
  EXPECT_EQ(Failure({{"no", 1}}, kGood),
            "the op has no attribute no; it has T, U, N, M, Ts, n_bias, axes, mode");
  EXPECT_EQ(Failure({{"mode", "ajar"}}, kGood),
            "attribute mode is 'ajar', it must be 'open' or 'closed'");
  EXPECT_EQ(Failure({{"mode", 1}}, kGood), "attribute mode is 1, which is of kind int, not string");
  EXPECT_EQ(Failure({{"M", std::vector<int>{1}}}, kGood),
            "attribute M is {1}, which is of kind list(int), not int");
  EXPECT_EQ(Failure({{"M", 1.0}}, kGood), "attribute M is 1, which is of kind float, not int");
  EXPECT_EQ(Failure({{"U", kF}}, kGood), "attribute U is float, it must be int32 or int64");
  EXPECT_EQ(Failure({{"axes", std::vector<int>{}}}, kGood),
            "attribute axes has 0 values, it must have 1 or more");
}

TEST(Bind, RefusesALengthThatNothingTells) {
  const OpDeclaration op = ParseDeclaration("op Op\nattr N: int\noutput y: N * float\n");
  EXPECT_EQ(FailureOf([&] { Bind(op, {}, {}, false); }),
            "attribute N is not given, has no default, and does not follow from the inputs");
  EXPECT_EQ(FailureOf([&] {
              Bind(op, {{"N", -1}}, {}, false);
            }),
            "attribute N is -1, which is no length of a list");
}

}  // namespace
