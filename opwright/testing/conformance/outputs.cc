#include "opwright/op.h"

// Several outputs, one of them integer; a gradient that combines calls and TensorFlow's own ops.

namespace {

// positive = max(x, 0), negative = max(-x, 0), sign = -1, 0 or 1.
struct SplitSign {
  using T = opwright::Types<float, double>;

  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Conformance>SplitSign")
        .Attr<T>("T")
        .Input("x: T")
        .Output("positive: T")
        .Output("negative: T")
        .Output("sign: int8");
  }
  static void Gradient(opwright::Gradient& g) {
    auto rising = g.Call("Conformance>Gate", {g.output(2), g.d_output(0)}, {{"open_at", 1}});
    auto falling = g.Call("Conformance>Gate", {g.output(2), g.d_output(1)}, {{"open_at", -1}});
    g.d_input(0) = g.Call("Sub", {rising, falling});
  }
  explicit SplitSign(const opwright::Attributes&) {}

  void Shape(opwright::ShapeContext& c) const {
    for (int i = 0; i < 3; ++i) c.SetOutput(i, c.input(0));
  }

  template <typename T>
  void Compute(opwright::CpuCall& call) const {
    auto x = call.input<T>(0);
    auto positive = call.output<T>(0), negative = call.output<T>(1);
    auto sign = call.output<int8_t>(2);
    call.ParallelFor(x.size(), /*cost=*/4, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        positive[i] = x[i] > 0 ? x[i] : T(0);
        negative[i] = x[i] < 0 ? -x[i] : T(0);
        sign[i] = static_cast<int8_t>((x[i] > 0) - (x[i] < 0));
      }
    });
  }
};

// y = x where sign is open_at, else 0.
struct Gate {
  using T = opwright::Types<float, double>;

  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Conformance>Gate")
        .Attr<T>("T")
        .Attr("open_at: int")
        .Input("sign: int8")
        .Input("x: T")
        .Output("y: T");
  }
  static void Gradient(opwright::Gradient& g) {
    g.d_input(1) = g.Call("Conformance>Gate", {g.input(0), g.d_output(0)});
  }
  explicit Gate(const opwright::Attributes& a) : open_at_(a.Get<int8_t>("open_at")) {
    opwright::Require(open_at_ >= -1 && open_at_ <= 1, "open_at must be -1, 0 or 1, it is ",
                      open_at_);
  }

  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, c.Same(0, 1)); }

  template <typename T>
  void Compute(opwright::CpuCall& call) const {
    auto sign = call.input<int8_t>(0);
    auto x = call.input<T>(1);
    auto y = call.output<T>(0);
    for (int64_t i = 0; i < y.size(); ++i) y[i] = sign[i] == open_at_ ? x[i] : T(0);
  }

 private:
  int8_t open_at_;
};

}  // namespace

OPWRIGHT_OP(SplitSign);
OPWRIGHT_OP(Gate);
