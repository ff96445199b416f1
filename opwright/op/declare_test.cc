#include <gtest/gtest.h>

#include <string>

#include "opwright/op.h"
#include "opwright/testing/library.h"

// The text of a declaration, as it lies in the table and in the file.

namespace {

using opwright::DType;

// An op with nothing but a declaration.
struct Declared {
  static constexpr auto kNoGradient = "it is a test";
  explicit Declared(const opwright::Attributes&) {}
  void Shape(opwright::ShapeContext&) const {}
  void Compute(opwright::CpuCall&) const {}
};

struct Smallest : Declared {
  using Declared::Declared;
  static constexpr auto Declare() { return opwright::Declare().Output("y: float"); }
};

struct Everything {
  using T = opwright::Types<opwright::half, float>;
  using U = opwright::Types<int32_t, int64_t>;

  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Test>Everything")
        .Attr<T>("T", DType::kFloat)
        .Attr<U>("U")
        .Attr("N: int >= 2")
        .Attr("mode: {'open', 'closed'} = 'open'")
        .Attr("Ts: list(type)")
        .Input("a: T")
        .HostInput("scale: double")
        .ShapeValue("size: U")
        .OptionalInput("bias: T")
        .Input("xs: N * T")
        .Input("mixed: Ts")
        .Output("y: T")
        .Output("ys: N * T")
        .Forward(0, 0)
        .Stateful();
  }
  static void Gradient(opwright::Gradient&) {}
  explicit Everything(const opwright::Attributes&) {}
  void Shape(opwright::ShapeContext&) const {}
  template <typename T, typename U>
  void Compute(opwright::CpuCall&) const {}
};

namespace inner {
struct Qualified : Declared {
  using Declared::Declared;
  static constexpr auto kNoGradient = "two\nlines";
  static constexpr auto Declare() { return opwright::Declare().Output("y: float"); }
};
}  // namespace inner

const opwright::testing::Library& Linked() { return opwright::testing::Library::Linked(); }

// Without the lines that tell the versions and the compiler.
std::string TextOf(const std::string& op) {
  const std::string text = Linked().Get(op).op->declaration;
  return text.substr(text.find("op " + op));
}

TEST(Declare, WritesWhatBuiltIt) {
  const std::string text = Linked().Get("Smallest").op->declaration;
  EXPECT_EQ(text.find("opwright " OPWRIGHT_VERSION "\nabi 1.0\ncompiler "), 0u) << text;
}

TEST(Declare, WritesASmallOp) {
  EXPECT_EQ(TextOf("Smallest"),
            "op Smallest\n"
            "output y: float\n"
            "no_gradient it is a test\n"
            "device CPU\n");
}

TEST(Declare, WritesEveryItemInItsOrder) {
  EXPECT_EQ(TextOf("Test>Everything"),
            "op Test>Everything\n"
            "type_attr T: {half,float} = DT_FLOAT\n"
            "type_attr U: {int32,int64}\n"
            "attr N: int >= 2\n"
            "attr mode: {'open', 'closed'} = 'open'\n"
            "attr Ts: list(type)\n"
            "input a: T\n"
            "host_input scale: double\n"
            "shape_value size: U\n"
            "attr n_bias: int >= 0\n"
            "optional_input bias: n_bias * T\n"
            "input xs: N * T\n"
            "input mixed: Ts\n"
            "output y: T\n"
            "output ys: N * T\n"
            "forward 0 0\n"
            "stateful\n"
            "gradient\n"
            "device CPU\n");
}

TEST(Declare, NamesAnOpByItsStructWithoutNamespaces) {
  EXPECT_EQ(TextOf("Qualified"),
            "op Qualified\n"
            "output y: float\n"
            "no_gradient two lines\n"
            "device CPU\n");
}

TEST(Declare, RegistersAKernelForEachCombination) {
  for (const DType t : {DType::kHalf, DType::kFloat}) {
    for (const DType u : {DType::kInt32, DType::kInt64}) {
      EXPECT_NE(Linked().FindKernel("Test>Everything", "CPU", {t, u}), nullptr);
    }
  }
  EXPECT_EQ(Linked().FindKernel("Test>Everything", "CPU", {DType::kInt32, DType::kHalf}), nullptr);
  EXPECT_EQ(Linked().FindKernel("Test>Everything", "GPU", {DType::kHalf, DType::kInt32}), nullptr);
  EXPECT_NE(Linked().FindKernel("Smallest", "CPU", {}), nullptr);
}

}  // namespace

OPWRIGHT_OP(Smallest);
OPWRIGHT_OP(Everything);
OPWRIGHT_OP(inner::Qualified);
