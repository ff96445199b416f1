// expect: the op needs `static constexpr auto Declare()
#include "opwright/op.h"

struct Op {
  static constexpr auto kNoGradient = "it is a test";
  explicit Op(const opwright::Attributes&) {}
  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, c.input(0)); }
  void Compute(opwright::CpuCall&) const {}
};
OPWRIGHT_OP(Op);
