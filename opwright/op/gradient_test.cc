#include "opwright/op/gradient.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "opwright/testing/failure.h"
#include "opwright/testing/host.h"

namespace {

using opwright::DType;
using opwright::Gradient;
using opwright::Shape;
using opwright::testing::FailureOf;
using opwright::testing::Host;
using opwright::testing::Known;
using opwright::testing::Recording;

// An op that is differentiated only.
struct Differentiated {
  explicit Differentiated(const opwright::Attributes&) {}
  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, c.input(0)); }
  void Compute(opwright::CpuCall&) const {}
};

struct Product : Differentiated {
  using Differentiated::Differentiated;
  static constexpr auto Declare() {
    return opwright::Declare()
        .Attr("conjugate: bool = false")
        .Attr("scale: float = 1")
        .Input("a: float")
        .Input("b: float")
        .Input("axis: int32")
        .Output("y: float");
  }
  static void Gradient(opwright::Gradient& g) {
    if (g.Needed(0)) g.d_input(0) = g.Call("Product", {g.d_output(0), g.input(1), g.input(2)});
    if (g.Needed(1)) {
      g.d_input(1) = g.Call("Product", {g.input(0), g.d_output(0), g.input(2)},
                            {{"conjugate", !g.Get<bool>("conjugate")}});
    }
  }
};

const std::vector<Known> kThree = {Shape{2}, Shape{2}, Shape::Unknown()};

TEST(Gradient, RecordsCallsAndTakesOverAttributes) {
  const Recording recording =
      Host().Op("Product", {{"conjugate", true}, {"scale", 2}}).RecordGradient(kThree);
  EXPECT_EQ(recording.text,
            "call0 = Product(d_y, b, axis, conjugate=true, scale=2)\n"
            "call1 = Product(a, d_y, axis, conjugate=false, scale=2)\n"
            "d_a = call0\n"
            "d_b = call1\n");
  ASSERT_EQ(recording.calls.size(), 2u);
  EXPECT_EQ(recording.needed, (std::vector<bool>{true, true, false})) << "integers need none";
  EXPECT_EQ(recording.d_inputs[1].source, OPWRIGHT_CALL + 1);
  EXPECT_EQ(recording.d_inputs[2].source, OPWRIGHT_NONE);
}

TEST(Gradient, IsAskedForWhatIsNeeded) {
  const auto op = Host().Op("Product");
  EXPECT_EQ(op.RecordGradient(kThree, {false, true, true}).text,
            "call0 = Product(a, d_y, axis, conjugate=true, scale=1)\n"
            "d_b = call0\n");
  EXPECT_EQ(op.RecordGradient(kThree, {false, false, false}).text, "");
  EXPECT_EQ(FailureOf([&] { op.RecordGradient(kThree, {true}); }),
            "Product (a: [2], b: [2], axis: [unknown rank]): `needed` has 1 elements for 3 input "
            "tensors");
}

struct Lists : Differentiated {
  using Differentiated::Differentiated;
  static constexpr auto Declare() {
    return opwright::Declare()
        .Attr("N: int")
        .Attr("T: {float, int32} = DT_FLOAT")
        .Input("xs: N * T")
        .OptionalInput("bias: float")
        .Output("ys: N * T")
        .Output("z: float");
  }
  static void Gradient(opwright::Gradient& g) {
    std::vector<opwright::Ref> d_ys;
    for (int k = 0; k < g.count(0); ++k) d_ys.push_back(g.d_output(0, k));
    const auto calls = g.Call("Many", {d_ys, g.inputs(0), {}, g.output(0, 1), g.output(1)});
    for (int k = 0; k < g.count(0); ++k) {
      if (g.Needed(0, k)) g.d_input(0, k) = calls[k];
    }
    if (g.Needed(1)) g.d_input(1) = g.d_output(1);
  }
};

TEST(Gradient, RecordsListsAndSeveralResults) {
  EXPECT_EQ(Host().Op("Lists").RecordGradient({{Shape{1}, Shape{2}}, Shape{3}}).text,
            "call0 = Many([d_ys[0], d_ys[1]], [xs[0], xs[1]], [], ys[1], z)\n"
            "d_xs[0] = call0\n"
            "d_xs[1] = call0[1]\n"
            "d_bias[0] = d_z\n");
}

TEST(Gradient, AnAbsentInputNeedsNone) {
  EXPECT_EQ(Host().Op("Lists").RecordGradient({{Shape{1}, Shape{2}}, {}}, {false, true}).text,
            "call0 = Many([d_ys[0], d_ys[1]], [xs[0], xs[1]], [], ys[1], z)\n"
            "d_xs[1] = call0[1]\n");
}

struct CallsOthers : Differentiated {
  using Differentiated::Differentiated;
  static constexpr auto Declare() {
    return opwright::Declare().Input("x: double").Output("y: double");
  }
  static void Gradient(opwright::Gradient& g) {
    g.d_input(0) =
        g.Call("Any", {g.Constant<int32_t>({0, -2}), g.Constant<float>({})},
               {{"i", 3},
                {"f", 0.5f},
                {"b", true},
                {"s", "text"},
                {"t", DType::kHalf},
                {"shape", opwright::Shape{2, -1}},
                {"ints", std::vector<int64_t>{1, 2}},
                {"none", std::vector<float>{}},
                {"strings", std::vector<std::string>{"a", ""}},
                {"shapes", std::vector<opwright::Shape>{{}, opwright::Shape::Unknown()}}});
  }
};

TEST(Gradient, RecordsConstantsAndAttributesOfEveryKind) {
  EXPECT_EQ(Host().Op("CallsOthers").RecordGradient({Shape::Unknown()}).text,
            "call0 = int32 [2] {0, -2}\n"
            "call1 = float [0] {}\n"
            "call2 = Any(call0, call1, b=true, f=0.5, i=3, ints={1, 2}, none={}, s='text', "
            "shape=[2,?], shapes={[], [unknown rank]}, strings={'a', ''}, t=half)\n"
            "d_x = call2\n");
}

struct Scalars : Differentiated {
  using Differentiated::Differentiated;
  static constexpr auto Declare() {
    return opwright::Declare()
        .Attr("T: type = DT_FLOAT")
        .Attr("huge: bool = false")
        .Input("x: float")
        .Output("y: float");
  }
  static void Gradient(opwright::Gradient& g) {
    g.d_input(0) = g.Call("Any", {g.Scalar(g.Get<DType>("T"), g.Get<bool>("huge") ? 1e10 : -2)});
  }
};

TEST(Gradient, ScalarsHaveTheTypeThatIsSaid) {
  for (const char* type : {"half", "bfloat16", "float", "double", "int32", "int64"}) {
    const DType dtype = opwright::testing::ParseDType(type);
    EXPECT_EQ(Host().Op("Scalars", {{"T", dtype}}).RecordGradient({Shape::Unknown()}).text,
              "call0 = " + std::string(type) + " [] {-2}\ncall1 = Any(call0)\nd_x = call1\n");
  }
  for (const char* type : {"complex64", "complex128"}) {
    const DType dtype = opwright::testing::ParseDType(type);
    EXPECT_EQ(Host()
                  .Op("Scalars", {{"T", dtype}})
                  .RecordGradient({Shape::Unknown()})
                  .calls[0]
                  .constant.size(),
              1);
  }
  EXPECT_EQ(FailureOf([] {
              Host().Op("Scalars", {{"T", DType::kBool}}).RecordGradient({Shape::Unknown()});
            }),
            "Scalars (x: [unknown rank]): no scalar constant of dtype bool");
  EXPECT_EQ(FailureOf([] {
              Host()
                  .Op("Scalars", {{"T", DType::kInt32}, {"huge", true}})
                  .RecordGradient({Shape::Unknown()});
            }),
            "Scalars (x: [unknown rank]): the constant 1e+10 is not an integer of 32 bits");
}

// Faults of a Gradient, chosen by its attribute.
struct Faulty : Differentiated {
  using Differentiated::Differentiated;
  static constexpr auto Declare() {
    return opwright::Declare()
        .Attr("fault: string")
        .Input("a: float")
        .Input("b: float")
        .Output("y: float");
  }
  static void Gradient(opwright::Gradient& g) {
    const auto fault = g.Get<std::string>("fault");
    g.d_input(0) = g.d_output(0);
    if (fault == "no such input") g.input(2);
    if (fault == "no such output") g.d_output(0, 1);
    if (fault == "no such slot") g.d_input(2) = g.d_output(0);
    if (fault == "arguments") g.Call("Faulty", {g.input(0)});
    if (fault == "list") g.Call("Faulty", {g.input(0), g.inputs(1)});
    if (fault == "attribute") g.Call("Faulty", {g.input(0), g.input(1)}, {{"x", 1}});
    if (fault == "kind") g.Call("Faulty", {g.input(0), g.input(1)}, {{"fault", 1}});
    if (fault == "result") g.Call("Any", {g.Call("Any", {})[-1]});
    if (fault == "throws") throw std::runtime_error("why not");
    if (fault != "incomplete") g.NoGradient(1);
  }
};

TEST(Gradient, AFaultIsASentence) {
  const auto failure = [](const char* fault) {
    const std::string all = FailureOf([fault] {
      Host().Op("Faulty", {{"fault", fault}}).RecordGradient({Shape::Unknown(), Shape::Unknown()});
    });
    return all.substr(all.find("): ") + 3);
  };
  EXPECT_EQ(failure("incomplete"),
            "Gradient does not set d_input(1) (b); set it, or say NoGradient(1)");
  EXPECT_EQ(failure("no such input"), "input 2 was asked for, the op has 2");
  EXPECT_EQ(failure("no such output"),
            "tensor 1 of output y was asked for, it has 1: ask has(i) or count(i) first");
  EXPECT_EQ(failure("no such slot"), "input 2 was asked for, the op has 2");
  EXPECT_EQ(failure("arguments"), "Gradient calls Faulty with 1 arguments, it takes 2");
  EXPECT_EQ(failure("list"),
            "Gradient calls Faulty with a list for its argument b, which is a tensor");
  EXPECT_EQ(failure("attribute"), "the op has no attribute x; it has fault");
  EXPECT_EQ(failure("kind"), "attribute fault is 1, which is of kind int, not string");
  EXPECT_EQ(failure("result"),
            "Gradient gives Any a tensor that does not exist: source 3, index -1");
  EXPECT_EQ(failure("throws"), "why not");
}

TEST(Gradient, NoGradientIsSaid) {
  EXPECT_EQ(Host()
                .Op("Faulty", {{"fault", ""}})
                .RecordGradient({Shape::Unknown(), Shape::Unknown()})
                .text,
            "d_a = d_y\n"
            "d_b = none\n");
}

struct HasNone : Differentiated {
  using Differentiated::Differentiated;
  static constexpr auto kNoGradient = "it counts";
  static constexpr auto Declare() {
    return opwright::Declare().Input("x: float").Output("y: int64");
  }
};

TEST(Gradient, AnOpWithoutOneSaysWhy) {
  EXPECT_EQ(FailureOf([] { Host().Op("HasNone").RecordGradient({Shape::Unknown()}); }),
            "HasNone (x: [unknown rank]): the op has no gradient: it counts");
}

}  // namespace

OPWRIGHT_OP(Product);
OPWRIGHT_OP(Lists);
OPWRIGHT_OP(CallsOthers);
OPWRIGHT_OP(Scalars);
OPWRIGHT_OP(Faulty);
OPWRIGHT_OP(HasNone);
