#pragma once

#include "opwright/op.h"

namespace opwright::ops {

// product = a * b, element by element. See README.md for the contract.
struct ElementMul {
  using T = opwright::Types<opwright::half, opwright::bfloat16, float, double, int32_t, int64_t>;

  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Opwright>ElementMul")
        .Attr<T>("T")
        .Input("a: T")
        .Input("b: T")
        .Output("product: T");
  }
  static void Gradient(opwright::Gradient& g) {
    g.d_input(0) = g.Call("Opwright>ElementMul", {g.d_output(0), g.input(1)});
    g.d_input(1) = g.Call("Opwright>ElementMul", {g.input(0), g.d_output(0)});
  }
  explicit ElementMul(const opwright::Attributes&) {}

  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, c.Same(0, 1)); }

  template <typename T>
  void Compute(opwright::CpuCall& call) const;
};

}  // namespace opwright::ops
