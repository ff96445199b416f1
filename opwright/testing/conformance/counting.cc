#include <atomic>
#include <cmath>

#include "opwright/op.h"

// A gradient of a cheap and an expensive part: it uses outputs, attributes and Needed, and the
// expensive part counts how often it runs.

namespace {

std::atomic<int64_t> runs{0};

// y = exp(rate * a) * b.
template <bool kCounted>
struct ExpMulBase {
  using T = opwright::Types<opwright::half, opwright::bfloat16, float, double>;

  static constexpr auto Declare() {
    return opwright::Declare()
        .Name(kCounted ? "Conformance>CountedExpMul" : "Conformance>ExpMul")
        .template Attr<T>("T")
        .Attr("rate: float = 1.0")
        .Input("a: T")
        .Input("b: T")
        .Output("y: T");
  }
  static void Gradient(opwright::Gradient& g) {
    if (g.Needed(0)) {
      auto rate = g.Scalar(g.Get<opwright::DType>("T"), g.Get<double>("rate"));
      g.d_input(0) = g.Call("Mul", {g.Call("Mul", {rate, g.output(0)}), g.d_output(0)});
    }
    if (g.Needed(1)) {
      g.d_input(1) = g.Call("Conformance>CountedExpMul", {g.input(0), g.d_output(0)});
    }
  }
  explicit ExpMulBase(const opwright::Attributes& a) : rate_(a.Get<float>("rate")) {}

  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, c.Same(0, 1)); }

  template <typename T>
  void Compute(opwright::CpuCall& call) const {
    if (kCounted) ++runs;
    auto a = call.input<T>(0), b = call.input<T>(1);
    auto y = call.output<T>(0);
    call.ParallelFor(y.size(), /*cost=*/30, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        // Of double for double, of float for the others.
        const auto exponent = rate_ * a[i];
        y[i] = std::exp(exponent) * b[i];
      }
    });
  }

 private:
  float rate_;
};

using ExpMul = ExpMulBase<false>;
using CountedExpMul = ExpMulBase<true>;

// How often CountedExpMul has run since this op last ran.
struct TakeCount {
  static constexpr auto Declare() {
    return opwright::Declare().Name("Conformance>TakeCount").Stateful().Output("runs: int64");
  }
  static constexpr auto kNoGradient = "it has no input";

  explicit TakeCount(const opwright::Attributes&) {}

  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, opwright::Shape::OfRank(0)); }

  void Compute(opwright::CpuCall& call) const { call.output<int64_t>(0)[0] = runs.exchange(0); }
};

}  // namespace

OPWRIGHT_OP(ExpMul);
OPWRIGHT_OP(CountedExpMul);
OPWRIGHT_OP(TakeCount);
