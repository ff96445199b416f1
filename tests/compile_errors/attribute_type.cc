// expect: attributes are read as int64_t, float, bool, std::string
#include "opwright/op.h"

struct Op {
  static constexpr auto Declare() {
    return opwright::Declare().Attr("s: string").Input("x: float").Output("y: float");
  }
  static constexpr auto kNoGradient = "it is a test";
  explicit Op(const opwright::Attributes& a) { a.Get<const char*>("s"); }
  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, c.input(0)); }
  void Compute(opwright::CpuCall&) const {}
};
OPWRIGHT_OP(Op);
