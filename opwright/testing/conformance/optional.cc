#include "opwright/op.h"

// Optional inputs, one for each way in which the type of an absent input is known.

namespace {

// y = scale * x + bias; x [m, n], bias [n] or absent. The type is that of another input.
struct Affine {
  using T = opwright::Types<float, double>;

  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Conformance>Affine")
        .Attr<T>("T")
        .Attr("scale: float = 1.0")
        .Input("x: T")
        .OptionalInput("bias: T")
        .Output("y: T");
  }
  static void Gradient(opwright::Gradient& g) {
    g.d_input(0) = g.Call("Conformance>Affine", {g.d_output(0), {}});
    if (g.has(1)) g.d_input(1) = g.Call("Sum", {g.d_output(0), g.Constant<int32_t>({0})});
  }
  explicit Affine(const opwright::Attributes& a) : scale_(a.Get<float>("scale")) {}

  void Shape(opwright::ShapeContext& c) const {
    auto x = c.WithRank(0, 2);
    if (c.has(1)) {
      x[1] = c.MergeDims(x[1], c.WithRank(1, 1)[0], "the columns of x and the length of bias");
    }
    c.SetOutput(0, x);
  }

  template <typename T>
  void Compute(opwright::CpuCall& call) const {
    auto x = call.input<T>(0);
    auto y = call.output<T>(0);
    const T* bias = call.has(1) ? call.input<T>(1).data() : nullptr;
    const int64_t columns = x.dim(-1);
    call.ParallelFor(x.dim(0), columns, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        for (int64_t j = 0; j < columns; ++j) {
          y(i, j) = static_cast<T>(scale_) * x(i, j) + (bias ? bias[j] : T(0));
        }
      }
    });
  }

 private:
  float scale_;
};

// The sum of x where mask says so. The type is fixed.
struct MaskedSum {
  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Conformance>MaskedSum")
        .Input("x: double")
        .OptionalInput("mask: bool")
        .Output("sum: double");
  }
  static void Gradient(opwright::Gradient& g) {
    auto ones = g.Call("OnesLike", {g.input(0)});
    auto weight =
        g.has(1) ? g.Call("Cast", {g.input(1)}, {{"DstT", opwright::DType::kDouble}}) : ones;
    g.d_input(0) = g.Call("Mul", {weight, g.d_output(0)});
  }
  explicit MaskedSum(const opwright::Attributes&) {}

  void Shape(opwright::ShapeContext& c) const {
    if (c.has(1)) c.Same(0, 1);
    c.SetOutput(0, opwright::Shape::OfRank(0));
  }

  void Compute(opwright::CpuCall& call) const {
    auto x = call.input<double>(0);
    double sum = 0;
    for (int64_t i = 0; i < x.size(); ++i) {
      if (!call.has(1) || call.input<bool>(1)[i]) sum += x[i];
    }
    call.output<double>(0)[0] = sum;
  }
};

}  // namespace

OPWRIGHT_OP(Affine);
OPWRIGHT_OP(MaskedSum);
