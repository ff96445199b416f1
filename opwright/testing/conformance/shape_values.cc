#include <cmath>

#include "opwright/op.h"

// Outputs whose shape is the value of an input: partly known while a graph is built (Fill), whole
// or not at all (Stretch).

namespace {

// A tensor of this shape, of this value.
struct Fill {
  using T = opwright::Types<float, double, int32_t>;

  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Conformance>Fill")
        .Attr<T>("T")
        .Attr("Tshape: {int32, int64} = DT_INT32")
        .ShapeValue("shape: Tshape")
        .Input("value: T")
        .Output("y: T");
  }
  static void Gradient(opwright::Gradient& g) {
    if (g.Needed(1)) g.d_input(1) = g.Call("Conformance>SumAll", {g.d_output(0)});
  }
  explicit Fill(const opwright::Attributes&) {}

  void Shape(opwright::ShapeContext& c) const {
    c.WithRank(1, 0);
    c.SetOutput(0, c.value_as_shape(0));
  }

  template <typename T>
  void Compute(opwright::CpuCall& call) const {
    auto y = call.output<T>(0);
    const T value = call.input<T>(1)[0];
    call.ParallelFor(y.size(), /*cost=*/1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) y[i] = value;
    });
  }
};

// The sum of all elements.
struct SumAll {
  using T = opwright::Types<float, double, int32_t>;

  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Conformance>SumAll")
        .Attr<T>("T")
        .Input("x: T")
        .Output("sum: T");
  }
  static void Gradient(opwright::Gradient& g) {
    if (!g.Needed(0)) return;
    auto shape = g.Call("Shape", {g.input(0)}, {{"out_type", opwright::DType::kInt64}});
    g.d_input(0) = g.Call("Conformance>Fill", {shape, g.d_output(0)});
  }
  explicit SumAll(const opwright::Attributes&) {}

  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, opwright::Shape::OfRank(0)); }

  template <typename T>
  void Compute(opwright::CpuCall& call) const {
    T sum = 0;
    for (T x : call.input<T>(0)) sum += x;
    call.output<T>(0)[0] = sum;
  }
};

// x [n], taken at n * factor evenly spaced places.
struct Stretch {
  static constexpr double kLargest = 1e6;

  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Conformance>Stretch")
        .Input("x: float")
        .ShapeValue("factor: double")
        .Output("y: float");
  }
  static constexpr auto kNoGradient = "it picks elements, as for a picture of labels";

  explicit Stretch(const opwright::Attributes&) {}

  void Shape(opwright::ShapeContext& c) const {
    auto x = c.WithRank(0, 1);
    c.WithRank(1, 0);
    int64_t length = opwright::kUnknown;
    if (auto factor = c.value<double>(1)) {
      const double f = (*factor)[0];
      opwright::Require(f > 0 && f <= kLargest, "factor must be above 0 and at most ", kLargest,
                        ", it is ", f);
      if (x[0] >= 0) length = Length(x[0], f);
    }
    c.SetOutput(0, {length});
  }

  void Compute(opwright::CpuCall& call) const {
    auto x = call.input<float>(0);
    auto y = call.output<float>(0);
    for (int64_t i = 0; i < y.size(); ++i) {
      // i < n * factor, but the quotient may still round up to n.
      const auto at = static_cast<int64_t>(static_cast<double>(i) / call.input<double>(1)[0]);
      y[i] = x[at < x.size() ? at : x.size() - 1];
    }
  }

 private:
  static int64_t Length(int64_t n, double factor) {
    const double length = std::ceil(static_cast<double>(n) * factor);
    opwright::Require(length < 0x1p62, "x of length ", n, " times a factor of ", factor,
                      " is too long");
    return static_cast<int64_t>(length);
  }
};

}  // namespace

OPWRIGHT_OP(Fill);
OPWRIGHT_OP(SumAll);
OPWRIGHT_OP(Stretch);
