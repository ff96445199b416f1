// expect: Forward(input, output) takes the numbers of an Input and an Output of one type
#include "opwright/op.h"

struct Op {
  using T = opwright::Types<float, double>;
  static constexpr auto Declare() {
    return opwright::Declare()
        .Attr<T>("T")
        .Attr("N: int")
        .Input("x: N * T")
        .Output("y: T")
        .Forward(0, 0);
  }
  static constexpr auto kNoGradient = "it is a test";
  explicit Op(const opwright::Attributes&) {}
  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, c.input(0)); }
  template <typename T>
  void Compute(opwright::CpuCall&) const {}
};
OPWRIGHT_OP(Op);
