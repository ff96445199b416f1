#include "opwright/complex.h"
#include "opwright/op.h"

// Every dtype; a kernel chosen by two of them; complex numbers.

namespace {

// y = x, for all dtypes there are.
struct Copy {
  using T = opwright::Types<bool, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                            uint64_t, opwright::half, opwright::bfloat16, float, double,
                            std::complex<float>, std::complex<double>>;

  static constexpr auto Declare() {
    return opwright::Declare().Name("Conformance>Copy").Attr<T>("T").Input("x: T").Output("y: T");
  }
  static void Gradient(opwright::Gradient& g) {
    if (g.Needed(0)) g.d_input(0) = g.d_output(0);
  }
  explicit Copy(const opwright::Attributes&) {}

  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, c.input(0)); }

  template <typename T>
  void Compute(opwright::CpuCall& call) const {
    auto x = call.input<T>(0);
    auto y = call.output<T>(0);
    call.ParallelFor(y.size(), /*cost=*/1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) y[i] = x[i];
    });
  }
};

// y = x in another dtype; kernel: which of the six kernels ran, 10 * sizeof(To) + sizeof(From).
struct Convert {
  using From = opwright::Types<float, int16_t, int64_t>;
  using To = opwright::Types<double, int32_t>;

  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Conformance>Convert")
        .Attr<From>("From")
        .Attr<To>("To", opwright::DType::kDouble)
        .Input("x: From")
        .Output("y: To")
        .Output("kernel: int32");
  }
  static void Gradient(opwright::Gradient& g) {
    if (!g.Needed(0)) return;
    // An integer output has no gradient, and none comes out of it.
    if (!opwright::IsDifferentiable(g.Get<opwright::DType>("To"))) {
      g.NoGradient(0);
      return;
    }
    g.d_input(0) = g.Call("Cast", {g.d_output(0)}, {{"DstT", g.Get<opwright::DType>("From")}});
  }
  explicit Convert(const opwright::Attributes&) {}

  void Shape(opwright::ShapeContext& c) const {
    c.SetOutput(0, c.input(0));
    c.SetOutput(1, opwright::Shape::OfRank(0));
  }

  template <typename From, typename To>
  void Compute(opwright::CpuCall& call) const {
    auto x = call.input<From>(0);
    auto y = call.output<To>(0);
    for (int64_t i = 0; i < y.size(); ++i) y[i] = static_cast<To>(x[i]);
    call.output<int32_t>(1)[0] = static_cast<int32_t>(10 * sizeof(To) + sizeof(From));
  }
};

// y = scale * a * conj(b).
struct ConjMul {
  using T = opwright::Types<std::complex<float>, std::complex<double>>;

  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Conformance>ConjMul")
        .Attr<T>("T")
        .Attr("scale: float = 1.0")
        .Input("a: T")
        .Input("b: T")
        .Output("y: T");
  }
  static void Gradient(opwright::Gradient& g) {
    auto scale = g.Scalar(g.Get<opwright::DType>("T"), g.Get<double>("scale"));
    g.d_input(0) = g.Call("Mul", {scale, g.Call("Mul", {g.d_output(0), g.input(1)})});
    g.d_input(1) = g.Call("Conformance>ConjMul", {g.input(0), g.d_output(0)});
  }
  explicit ConjMul(const opwright::Attributes& a) : scale_(a.Get<float>("scale")) {}

  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, c.Same(0, 1)); }

  template <typename T>
  void Compute(opwright::CpuCall& call) const {
    auto a = call.input<T>(0), b = call.input<T>(1);
    auto y = call.output<T>(0);
    for (int64_t i = 0; i < y.size(); ++i) y[i] = T(scale_) * a[i] * std::conj(b[i]);
  }

 private:
  float scale_;
};

}  // namespace

OPWRIGHT_OP(Copy);
OPWRIGHT_OP(Convert);
OPWRIGHT_OP(ConjMul);
