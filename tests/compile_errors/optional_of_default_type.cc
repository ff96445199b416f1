// expect: or the type of an input that is always there
#include "opwright/op.h"

struct Op {
  using T = opwright::Types<float, double>;
  static constexpr auto Declare() {
    return opwright::Declare()
        .Attr<T>("T", opwright::DType::kFloat)
        .OptionalInput("x: T")
        .Output("y: float");
  }
  static constexpr auto kNoGradient = "it is a test";
  explicit Op(const opwright::Attributes&) {}
  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, c.input(0)); }
  template <typename T>
  void Compute(opwright::CpuCall&) const {}
};
OPWRIGHT_OP(Op);
