// expect: the type of an input or output is a dtype
#include "opwright/op.h"

struct Op {
  static constexpr auto Declare() {
    return opwright::Declare().Input("x: float32").Output("y: float");
  }
  static constexpr auto kNoGradient = "it is a test";
  explicit Op(const opwright::Attributes&) {}
  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, c.input(0)); }
  void Compute(opwright::CpuCall&) const {}
};
OPWRIGHT_OP(Op);
