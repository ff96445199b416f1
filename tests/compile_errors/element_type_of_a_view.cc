// expect: this C++ type is not an element type of tensors
#include "opwright/op.h"

struct Op {
  using T = opwright::Types<float, double>;
  static constexpr auto Declare() {
    return opwright::Declare().Attr<T>("T").Input("x: T").Output("y: T");
  }
  static constexpr auto kNoGradient = "it is a test";
  explicit Op(const opwright::Attributes&) {}
  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, c.input(0)); }
  template <typename T>
  void Compute(opwright::CpuCall& call) const {
    call.input<char*>(0);
  }
};
OPWRIGHT_OP(Op);
