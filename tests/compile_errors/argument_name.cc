// expect: the name of an input or output begins with a lower-case letter
#include "opwright/op.h"

struct Taken {
  static constexpr auto Declare() {
    return opwright::Declare().Input("Gain: float").Output("y: float");
  }
  static constexpr auto kNoGradient = "a test";

  explicit Taken(const opwright::Attributes&) {}

  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, c.input(0)); }

  void Compute(opwright::CpuCall&) const {}
};
OPWRIGHT_OP(Taken);
