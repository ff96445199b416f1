// expect: a least value
#include "opwright/op.h"

struct Taken {
  static constexpr auto Declare() {
    return opwright::Declare().Attr("leak: float >= 0 = 0.1").Input("x: float").Output("y: float");
  }
  static constexpr auto kNoGradient = "a test";

  explicit Taken(const opwright::Attributes&) {}

  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, c.input(0)); }

  void Compute(opwright::CpuCall&) const {}
};
OPWRIGHT_OP(Taken);
