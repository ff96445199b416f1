#include "opwright/op.h"

struct ElementMul {
  using T = opwright::Types<opwright::half, opwright::bfloat16, float, double, int32_t, int64_t>;

  static constexpr auto Declare() {
    return opwright::Declare().Attr<T>("T").Input("a: T").Input("b: T").Output("product: T");
  }
  static void Gradient(opwright::Gradient& g) {
    g.d_input(0) = g.Call("ElementMul", {g.d_output(0), g.input(1)});
    g.d_input(1) = g.Call("ElementMul", {g.input(0), g.d_output(0)});
  }
  explicit ElementMul(const opwright::Attributes&) {}

  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, c.Same(0, 1)); }

  template <typename T>
  void Compute(opwright::CpuCall& call) const {
    auto a = call.input<T>(0), b = call.input<T>(1);
    auto product = call.output<T>(0);
    call.ParallelFor(product.size(), /*cost=*/1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) product[i] = a[i] * b[i];
    });
  }
};
OPWRIGHT_OP(ElementMul);
