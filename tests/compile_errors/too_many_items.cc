// expect: a declaration has at most 96 items
#include "opwright/op.h"

struct Op {
  static constexpr auto kNoGradient = "it is a test";
  static constexpr auto Declare() {
    auto all = opwright::Declare();
    for (int i = 0; i < 97; ++i) all.Attr("a: int");
    return all.Output("y: float");
  }
  explicit Op(const opwright::Attributes&) {}
  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, {1}); }
  void Compute(opwright::CpuCall&) const {}
};
OPWRIGHT_OP(Op);
