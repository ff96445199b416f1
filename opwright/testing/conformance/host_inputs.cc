#include "opwright/op.h"

// Parameters that are read on the host: a factor in double, a seed.

namespace {

// y = x * factor, computed in double whatever T is.
struct Scale {
  using T = opwright::Types<float, double>;

  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Conformance>Scale")
        .Attr<T>("T")
        .Input("x: T")
        .HostInput("factor: double")
        .Output("y: T");
  }
  static void Gradient(opwright::Gradient& g) {
    g.d_input(0) = g.Call("Conformance>Scale", {g.d_output(0), g.input(1)});
    if (g.Needed(1)) g.d_input(1) = g.Call("Conformance>Dot", {g.d_output(0), g.input(0)});
  }
  explicit Scale(const opwright::Attributes&) {}

  void Shape(opwright::ShapeContext& c) const {
    c.WithRank(1, 0);
    c.SetOutput(0, c.input(0));
  }

  template <typename T>
  void Compute(opwright::CpuCall& call) const {
    auto x = call.input<T>(0);
    auto y = call.output<T>(0);
    const double factor = call.input<double>(1)[0];
    for (int64_t i = 0; i < y.size(); ++i) y[i] = static_cast<T>(factor * x[i]);
  }
};

// The sum of a * b, in double.
struct Dot {
  using T = opwright::Types<float, double>;

  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Conformance>Dot")
        .Attr<T>("T")
        .Input("a: T")
        .Input("b: T")
        .Output("dot: double");
  }
  static void Gradient(opwright::Gradient& g) {
    g.d_input(0) = g.Call("Conformance>Scale", {g.input(1), g.d_output(0)});
    g.d_input(1) = g.Call("Conformance>Scale", {g.input(0), g.d_output(0)});
  }
  explicit Dot(const opwright::Attributes&) {}

  void Shape(opwright::ShapeContext& c) const {
    c.Same(0, 1);
    c.SetOutput(0, opwright::Shape::OfRank(0));
  }

  template <typename T>
  void Compute(opwright::CpuCall& call) const {
    auto a = call.input<T>(0), b = call.input<T>(1);
    double sum = 0;
    for (int64_t i = 0; i < a.size(); ++i) {
      sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    }
    call.output<double>(0)[0] = sum;
  }
};

// Uniform in [0, 1): element i is a function of the seed and i alone.
struct Noise {
  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Conformance>Noise")
        .ShapeValue("shape: int64")
        .HostInput("seed: uint64")
        .Output("y: double");
  }
  static constexpr auto kNoGradient = "its output does not depend smoothly on any input";

  explicit Noise(const opwright::Attributes&) {}

  void Shape(opwright::ShapeContext& c) const {
    c.WithRank(1, 0);
    c.SetOutput(0, c.value_as_shape(0));
  }

  void Compute(opwright::CpuCall& call) const {
    auto y = call.output<double>(0);
    const uint64_t seed = call.input<uint64_t>(1)[0];
    call.ParallelFor(y.size(), /*cost=*/10, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        y[i] = static_cast<double>(SplitMix64(seed, static_cast<uint64_t>(i)) >> 11) * 0x1p-53;
      }
    });
  }

 private:
  // Number `index` of the generator SplitMix64 (Steele, Lea and Flood, "Fast Splittable
  // Pseudorandom Number Generators", 2014).
  static uint64_t SplitMix64(uint64_t seed, uint64_t index) {
    uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
};

}  // namespace

OPWRIGHT_OP(Scale);
OPWRIGHT_OP(Dot);
OPWRIGHT_OP(Noise);
