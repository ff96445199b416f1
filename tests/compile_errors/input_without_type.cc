// expect: attributes, inputs and outputs are declared as "name: type"
#include "opwright/op.h"

struct Op {
  static constexpr auto Declare() { return opwright::Declare().Input("x").Output("y: float"); }
  static constexpr auto kNoGradient = "it is a test";
  explicit Op(const opwright::Attributes&) {}
  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, c.input(0)); }
  void Compute(opwright::CpuCall&) const {}
};
OPWRIGHT_OP(Op);
