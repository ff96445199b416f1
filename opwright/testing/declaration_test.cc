#include "opwright/testing/declaration.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "opwright/testing/failure.h"

namespace {

using opwright::DType;
using opwright::Shape;
using opwright::testing::ArgumentKind;
using opwright::testing::AttrDeclaration;
using opwright::testing::AttrValue;
using opwright::testing::FailureOf;
using opwright::testing::OpDeclaration;
using opwright::testing::ParseAttr;
using opwright::testing::ParseDeclaration;

TEST(ParseDeclaration, ReadsEveryLine) {
  const OpDeclaration op = ParseDeclaration(
      "opwright 0.1.0\n"
      "abi 1.0\n"
      "compiler g++ 12.2.0\n"
      "op Test>Op\n"
      "type_attr T: {half,float} = DT_FLOAT\n"
      "attr N: int >= 1\n"
      "attr Ts: list(type)\n"
      "input a: T\n"
      "host_input scale : double\n"
      "shape_value size: int32\n"
      "attr n_bias: int >= 0\n"
      "optional_input bias: n_bias * T\n"
      "input xs: N*T\n"
      "output y: Ts\n"
      "forward 0 0\n"
      "stateful\n"
      "no_gradient it counts\n"
      "device CPU\n"
      "device GPU\n");
  EXPECT_EQ(op.sdk_version, "0.1.0");
  EXPECT_EQ(op.abi_version, "1.0");
  EXPECT_EQ(op.compiler, "g++ 12.2.0");
  EXPECT_EQ(op.name, "Test>Op");
  ASSERT_EQ(op.attrs.size(), 4u);
  EXPECT_TRUE(op.attrs[0].selects_kernel);
  EXPECT_EQ(op.attrs[0].name, "T");
  EXPECT_EQ(op.attrs[0].text, "{half,float} = DT_FLOAT");
  EXPECT_FALSE(op.attrs[1].selects_kernel);
  EXPECT_EQ(op.attr("Ts"), &op.attrs[2]);
  EXPECT_EQ(op.attr("no"), nullptr);
  ASSERT_EQ(op.inputs.size(), 5u);
  EXPECT_EQ(op.inputs[0].type_attr, "T");
  EXPECT_FALSE(op.inputs[0].is_list());
  EXPECT_EQ(op.inputs[1].name, "scale");
  EXPECT_EQ(op.inputs[1].dtype, DType::kDouble);
  EXPECT_EQ(op.inputs[1].kind, ArgumentKind::kHostInput);
  EXPECT_EQ(op.inputs[2].kind, ArgumentKind::kShapeValue);
  EXPECT_EQ(op.inputs[3].kind, ArgumentKind::kOptionalInput);
  EXPECT_EQ(op.inputs[3].length_attr, "n_bias");
  EXPECT_EQ(op.inputs[4].length_attr, "N");
  EXPECT_EQ(op.inputs[4].type_attr, "T");
  EXPECT_EQ(op.inputs[4].text, "N*T");
  ASSERT_EQ(op.outputs.size(), 1u);
  EXPECT_EQ(op.outputs[0].types_attr, "Ts");
  EXPECT_TRUE(op.outputs[0].is_list());
  EXPECT_EQ(op.forwards, (std::vector<std::pair<int, int>>{{0, 0}}));
  EXPECT_TRUE(op.stateful);
  EXPECT_FALSE(op.has_gradient);
  EXPECT_EQ(op.no_gradient, "it counts");
  EXPECT_EQ(op.devices, (std::vector<std::string>{"CPU", "GPU"}));
}

TEST(ParseDeclaration, QuotesTheLineThatItCannotRead) {
  const auto failure = [](const std::string& line) {
    return FailureOf(
        [&] { ParseDeclaration("op A\nattr i: int\n" + line + "\noutput y: float\n"); });
  };
  EXPECT_EQ(failure("colour red"),
            "the declaration of A has the line \"colour red\": the keyword colour is not known to "
            "this opwright " OPWRIGHT_VERSION "; a newer one may have written it");
  EXPECT_EQ(failure("input x"),
            "the declaration of A has the line \"input x\": an input or output is \"name: type\"");
  EXPECT_EQ(failure("input x: T"),
            "the declaration of A has the line \"input x: T\": the type T is no dtype, and no "
            "attribute that is a type");
  EXPECT_EQ(failure("input x: i"),
            "the declaration of A has the line \"input x: i\": the type i is no dtype, and no "
            "attribute that is a type");
  EXPECT_EQ(
      failure("input x: N * float"),
      "the declaration of A has the line \"input x: N * float\": the length N is no attribute "
      "of kind int");
  EXPECT_EQ(failure("forward 0 x"),
            "the declaration of A has the line \"forward 0 x\": \"x\" is no number");
  EXPECT_EQ(failure("attr x: long"),
            "the declaration of A has the line \"attr x: long\": \"long\" is no kind of attribute");
  EXPECT_EQ(failure("forward 0 0"),
            "the declaration of A forwards input 0 to output 0; it has 0 and 1");
  EXPECT_EQ(FailureOf([] { ParseDeclaration("output y: float\n"); }),
            "a declaration has no line \"op NAME\"");
}

TEST(ParseAttr, ReadsKinds) {
  const char* const kinds[] = {"int", "float", "bool", "string", "type", "shape"};
  for (int32_t kind = OPWRIGHT_INT; kind <= OPWRIGHT_SHAPE; ++kind) {
    const std::string name = kinds[kind - OPWRIGHT_INT];
    EXPECT_EQ(ParseAttr("a", name).kind, kind);
    EXPECT_FALSE(ParseAttr("a", name).is_list);
    EXPECT_EQ(ParseAttr("a", "list(" + name + ")").kind, kind);
    EXPECT_TRUE(ParseAttr("a", "list(" + name + ")").is_list);
    EXPECT_FALSE(ParseAttr("a", name).fallback.has_value());
    EXPECT_FALSE(ParseAttr("a", name).minimum.has_value());
  }
}

TEST(ParseAttr, ReadsChoicesAndMinima) {
  const AttrDeclaration strings = ParseAttr("a", "{'open', \"half open\"} = 'open'");
  EXPECT_EQ(strings.kind, OPWRIGHT_STRING);
  EXPECT_EQ(strings.allowed_strings, (std::vector<std::string>{"open", "half open"}));
  const AttrDeclaration types = ParseAttr("a", "list({float,int32}) >= 2 = [DT_INT32,DT_FLOAT]");
  EXPECT_EQ(types.kind, OPWRIGHT_TYPE);
  EXPECT_EQ(types.allowed_types, (std::vector<DType>{DType::kFloat, DType::kInt32}));
  EXPECT_EQ(types.minimum, 2);
  EXPECT_EQ(*types.fallback, AttrValue(std::vector<DType>{DType::kInt32, DType::kFloat}));
  EXPECT_EQ(ParseAttr("a", "int >= -3").minimum, -3);
  EXPECT_EQ(ParseAttr("a", "realnumbertype").allowed_types.size(), 12u);
  EXPECT_EQ(ParseAttr("a", "numbertype").allowed_types.size(), 14u);
}

TEST(ParseAttr, ReadsDefaults) {
  const auto fallback = [](const char* text) { return *ParseAttr("a", text).fallback; };
  EXPECT_EQ(fallback("int = -9223372036854775808"), AttrValue(INT64_MIN));
  EXPECT_EQ(fallback("int >= 0 = 5"), AttrValue(5));
  EXPECT_EQ(fallback("float = -1.5e-3"), AttrValue(-1.5e-3f)) << "32 bits";
  EXPECT_EQ(fallback("float = inf"), AttrValue(HUGE_VALF));
  EXPECT_EQ(fallback("bool = false"), AttrValue(false));
  EXPECT_EQ(fallback("string = \"a 'b' = \\n\\\"\""), AttrValue("a 'b' = \n\""));
  EXPECT_EQ(fallback("string = ''"), AttrValue(""));
  EXPECT_EQ(fallback("type = DT_UINT8"), AttrValue(DType::kUint8));
  EXPECT_EQ(fallback("shape = {}"), AttrValue(Shape()));
  EXPECT_EQ(fallback("shape = {dim{size:2} dim { size: -1 }}"), AttrValue(Shape{2, -1}));
  EXPECT_EQ(fallback("shape = {unknown_rank: true}"), AttrValue(Shape::Unknown()));
  EXPECT_EQ(fallback("list(int) = []"), AttrValue(std::vector<int>{}));
  EXPECT_EQ(fallback("list(float) = [1, 0.5]"), AttrValue(std::vector<float>{1, 0.5}));
  EXPECT_EQ(fallback("list(bool) = [true]"), AttrValue(std::vector<bool>{true}));
  EXPECT_EQ(fallback("list(string) = ['a', ',']"), AttrValue(std::vector<std::string>{"a", ","}));
}

TEST(ParseAttr, RefusesWhatItCannotRead) {
  const auto failure = [](const char* text) { return FailureOf([text] { ParseAttr("a", text); }); };
  EXPECT_EQ(failure("int = x"), "\"x\" is not an integer of 64 bits");
  EXPECT_EQ(failure("int = 9223372036854775808"),
            "\"9223372036854775808\" is not an integer of 64 bits");
  EXPECT_EQ(failure("float = 1x"), "\"1x\" is no number");
  EXPECT_EQ(failure("bool = 1"), "\"1\" is neither true nor false");
  EXPECT_EQ(failure("string = a"), "a string in quotes was expected at \"a\"");
  EXPECT_EQ(failure("string = 'a"), "a string has no closing quote");
  EXPECT_EQ(failure("string = 'a\\"), "a string has no closing quote");
  EXPECT_EQ(failure("string = '\\x41'"), "a string has the escape \\x, which is not read");
  EXPECT_EQ(failure("type = float"), "\"float\" is no type; write it as DT_FLOAT");
  EXPECT_EQ(failure("type = DT_STRING"), "\"DT_STRING\" is no type; write it as DT_FLOAT");
  EXPECT_EQ(failure("{float, quint8}"), "\"quint8\" is no dtype");
  EXPECT_EQ(failure("shape = {size: 2}"), "\"size\" is no field of a shape");
  EXPECT_EQ(failure("list(int"), "\")\" was expected at \"\"");
  EXPECT_EQ(failure("list(int) = [1"), "\"\" is not an integer of 64 bits");
  EXPECT_EQ(failure("int 3"), "\"3\" was not understood");
}

}  // namespace
