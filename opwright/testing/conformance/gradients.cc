#include <cmath>

#include "opwright/op.h"

// What a gradient may say besides the gradient: that there is none, for an op or for one input;
// and one that forgets an input.

namespace {

struct Opaque {
  static constexpr auto Declare() {
    return opwright::Declare().Name("Conformance>Opaque").Input("x: double").Output("y: double");
  }
  static constexpr auto kNoGradient = "floor is flat almost everywhere";

  explicit Opaque(const opwright::Attributes&) {}

  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, c.input(0)); }

  void Compute(opwright::CpuCall& call) const {
    auto x = call.input<double>(0);
    auto y = call.output<double>(0);
    for (int64_t i = 0; i < y.size(); ++i) y[i] = std::floor(x[i]);
  }
};

// y = a + b, with a gradient for a alone.
struct Forgetful {
  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Conformance>Forgetful")
        .Input("a: double")
        .Input("b: double")
        .Output("y: double");
  }
  static void Gradient(opwright::Gradient& g) { g.d_input(0) = g.d_output(0); }

  explicit Forgetful(const opwright::Attributes&) {}

  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, c.Same(0, 1)); }

  void Compute(opwright::CpuCall& call) const {
    auto a = call.input<double>(0), b = call.input<double>(1);
    auto y = call.output<double>(0);
    for (int64_t i = 0; i < y.size(); ++i) y[i] = a[i] + b[i];
  }
};

// table[position], the position rounded to the nearest: nothing flows back to it.
struct Lookup {
  using T = opwright::Types<float, double>;

  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Conformance>Lookup")
        .Attr<T>("T")
        .Input("table: T")
        .Input("position: double")
        .Output("y: T");
  }
  static void Gradient(opwright::Gradient& g) {
    constexpr auto kIndex = opwright::DType::kInt32;
    auto index = g.Call("Cast", {g.Call("Rint", {g.input(1)})}, {{"DstT", kIndex}});
    auto length = g.Call("Size", {g.input(0)}, {{"out_type", kIndex}});
    g.d_input(0) = g.Call("UnsortedSegmentSum", {g.d_output(0), index, length});
    g.NoGradient(1);
  }
  explicit Lookup(const opwright::Attributes&) {}

  void Shape(opwright::ShapeContext& c) const {
    c.WithRank(0, 1);
    c.SetOutput(0, c.input(1));
  }

  template <typename T>
  void Compute(opwright::CpuCall& call) const {
    auto table = call.input<T>(0);
    auto position = call.input<double>(1);
    auto y = call.output<T>(0);
    for (int64_t i = 0; i < y.size(); ++i) {
      const double at = std::nearbyint(position[i]);
      opwright::Require(at >= 0 && at < static_cast<double>(table.size()), "position ", position[i],
                        " is outside of the table of length ", table.size());
      y[i] = table[static_cast<int64_t>(at)];
    }
  }
};

// y = x * gain, a gain for each row; its gradient forgets to sum over the row, or is of another
// type.
struct Careless {
  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Conformance>Careless")
        .Attr("fault: {'shape', 'dtype', 'result'}")
        .Input("x: double")
        .Input("gain: double")
        .Output("y: double");
  }
  static void Gradient(opwright::Gradient& g) {
    const auto fault = g.Get<std::string>("fault");
    auto product = g.Call("Mul", {g.d_output(0), g.input(0)});
    g.d_input(0) = g.d_output(0);
    if (fault == "dtype") {
      g.d_input(1) = g.Call("Cast", {g.input(1)}, {{"DstT", opwright::DType::kFloat}});
    } else {
      g.d_input(1) = product[fault == "result" ? 7 : 0];
    }
  }
  explicit Careless(const opwright::Attributes&) {}

  void Shape(opwright::ShapeContext& c) const {
    auto x = c.WithRank(0, 2);
    c.MergeDims(x[0], c.WithRank(1, 1)[0], "x must have a row for each gain");
    c.SetOutput(0, x);
  }

  void Compute(opwright::CpuCall& call) const {
    auto x = call.input<double>(0), gain = call.input<double>(1);
    auto y = call.output<double>(0);
    for (int64_t i = 0; i < x.dim(0); ++i) {
      for (int64_t j = 0; j < x.dim(1); ++j) y(i, j) = x(i, j) * gain[i];
    }
  }
};

}  // namespace

OPWRIGHT_OP(Opaque);
OPWRIGHT_OP(Forgetful);
OPWRIGHT_OP(Lookup);
OPWRIGHT_OP(Careless);
