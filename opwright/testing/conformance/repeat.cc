#include "opwright/op.h"

// A vector of counts as a ShapeValue, read whole; its gradient reads the same counts on the host.

namespace {

// x[i], times[i] times over.
struct Repeat {
  using T = opwright::Types<float, double>;

  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Conformance>Repeat")
        .Attr<T>("T")
        .Input("x: T")
        .ShapeValue("times: int64")
        .Output("y: T");
  }
  static void Gradient(opwright::Gradient& g) {
    g.d_input(0) = g.Call("Conformance>SumRuns", {g.d_output(0), g.input(1)});
  }
  explicit Repeat(const opwright::Attributes&) {}

  void Shape(opwright::ShapeContext& c) const {
    c.MergeDims(c.WithRank(0, 1)[0], c.WithRank(1, 1)[0], "the lengths of x and times");
    int64_t length = opwright::kUnknown;
    if (auto times = c.value<int64_t>(1)) {
      length = 0;
      for (int64_t n : *times) {
        opwright::Require(n >= 0, "times must not be negative, it has ", n);
        length = c.AddDims(length, n);
      }
    }
    c.SetOutput(0, {length});
  }

  template <typename T>
  void Compute(opwright::CpuCall& call) const {
    auto x = call.input<T>(0);
    auto times = call.input<int64_t>(1);
    T* y = call.output<T>(0).data();
    for (int64_t i = 0; i < x.size(); ++i) {
      for (int64_t k = 0; k < times[i]; ++k) *y++ = x[i];
    }
  }
};

// The sums of x over runs of times[i] elements.
struct SumRuns {
  using T = opwright::Types<float, double>;

  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Conformance>SumRuns")
        .Attr<T>("T")
        .Input("x: T")
        .HostInput("times: int64")
        .Output("y: T");
  }
  static void Gradient(opwright::Gradient& g) {
    g.d_input(0) = g.Call("Conformance>Repeat", {g.d_output(0), g.input(1)});
  }
  explicit SumRuns(const opwright::Attributes&) {}

  void Shape(opwright::ShapeContext& c) const {
    c.WithRank(0, 1);
    c.SetOutput(0, c.WithRank(1, 1));
  }

  template <typename T>
  void Compute(opwright::CpuCall& call) const {
    auto x = call.input<T>(0);
    auto times = call.input<int64_t>(1);
    auto y = call.output<T>(0);
    int64_t at = 0;
    for (int64_t i = 0; i < y.size(); ++i) {
      // Values of host inputs are checked here: Shape does not see them.
      opwright::Require(times[i] >= 0 && times[i] <= x.size() - at, "times[", i, "] is ", times[i],
                        ", and ", x.size() - at, " elements of x are left");
      T sum = 0;
      for (int64_t k = 0; k < times[i]; ++k) sum += x[at++];
      y[i] = sum;
    }
    opwright::Require(at == x.size(), "times covers ", at, " of the ", x.size(), " elements of x");
  }
};

}  // namespace

OPWRIGHT_OP(Repeat);
OPWRIGHT_OP(SumRuns);
