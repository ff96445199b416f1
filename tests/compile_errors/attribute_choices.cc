// expect: what an attribute may be stands in quotes
#include "opwright/op.h"

struct Op {
  static constexpr auto Declare() {
    return opwright::Declare()
        .Attr("mode: {leaky, clip} = leaky")
        .Input("x: float")
        .Output("y: float");
  }
  static constexpr auto kNoGradient = "it is a test";
  explicit Op(const opwright::Attributes&) {}
  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, c.input(0)); }
  void Compute(opwright::CpuCall&) const {}
};
OPWRIGHT_OP(Op);
