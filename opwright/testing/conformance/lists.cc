#include <vector>

#include "opwright/complex.h"
#include "opwright/op.h"

// Lists: of one dtype ("N * T") and of several ("Ts"), as inputs and outputs, in gradients too.

namespace {

// weights[k] for each of n tensors.
std::vector<double> ReadWeights(const opwright::Attributes& a) {
  auto weights = a.Get<std::vector<double>>("weights");
  const int64_t n = a.Get<int64_t>("N");
  opwright::Require(static_cast<int64_t>(weights.size()) == n, "weights must have N = ", n,
                    " elements, it has ", weights.size());
  return weights;
}

// y = sum of weights[k] * xs[k].
struct WeightedSum {
  using T = opwright::Types<float, double>;

  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Conformance>WeightedSum")
        .Attr<T>("T")
        .Attr("N: int >= 1")
        .Attr("weights: list(float)")
        .Input("xs: N * T")
        .Output("y: T");
  }
  static void Gradient(opwright::Gradient& g) {
    auto spread = g.Call("Conformance>Spread", {g.d_output(0)}, {{"N", g.count(0)}});
    for (int k = 0; k < g.count(0); ++k) g.d_input(0, k) = spread[k];
  }
  explicit WeightedSum(const opwright::Attributes& a) : weights_(ReadWeights(a)) {}

  void Shape(opwright::ShapeContext& c) const {
    auto shape = c.input(0, 0);
    for (int k = 1; k < c.count(0); ++k) {
      shape = c.Merge(shape, c.input(0, k), "all xs must have one shape");
    }
    c.SetOutput(0, shape);
  }

  template <typename T>
  void Compute(opwright::CpuCall& call) const {
    auto y = call.output<T>(0);
    for (T& value : y) value = T(0);
    for (int k = 0; k < call.count(0); ++k) {
      auto x = call.input<T>(0, k);
      const T weight = static_cast<T>(weights_[static_cast<size_t>(k)]);
      for (int64_t i = 0; i < y.size(); ++i) y[i] += weight * x[i];
    }
  }

 private:
  std::vector<double> weights_;
};

// ys[k] = weights[k] * x.
struct Spread {
  using T = opwright::Types<float, double>;

  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Conformance>Spread")
        .Attr<T>("T")
        .Attr("N: int >= 1")
        .Attr("weights: list(float)")
        .Input("x: T")
        .Output("ys: N * T");
  }
  static void Gradient(opwright::Gradient& g) {
    std::vector<opwright::Ref> d_ys;
    for (int64_t k = 0; k < g.Get<int64_t>("N"); ++k) {
      d_ys.push_back(g.d_output(0, static_cast<int>(k)));
    }
    g.d_input(0) = g.Call("Conformance>WeightedSum", {d_ys});
  }
  explicit Spread(const opwright::Attributes& a) : weights_(ReadWeights(a)) {}

  void Shape(opwright::ShapeContext& c) const {
    for (size_t k = 0; k < weights_.size(); ++k) c.SetOutput(0, c.input(0), static_cast<int>(k));
  }

  template <typename T>
  void Compute(opwright::CpuCall& call) const {
    auto x = call.input<T>(0);
    for (size_t k = 0; k < weights_.size(); ++k) {
      auto y = call.output<T>(0, static_cast<int>(k));
      for (int64_t i = 0; i < y.size(); ++i) y[i] = static_cast<T>(weights_[k]) * x[i];
    }
  }

 private:
  std::vector<double> weights_;
};

// ys = xs, each of its own dtype; and the dtype and the number of elements of each.
struct Mixed {
  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Conformance>Mixed")
        .Attr("Ts: list({float, double, int32, bool, complex64}) >= 0")
        .Input("xs: Ts")
        .Output("ys: Ts")
        .Output("dtypes: int32")
        .Output("sizes: int64");
  }
  static void Gradient(opwright::Gradient& g) {
    for (int k = 0; k < g.count(0); ++k) {
      if (g.Needed(0, k)) g.d_input(0, k) = g.d_output(0, k);
    }
  }
  explicit Mixed(const opwright::Attributes&) {}

  void Shape(opwright::ShapeContext& c) const {
    for (int k = 0; k < c.count(0); ++k) c.SetOutput(0, c.input(0, k), k);
    c.SetOutput(1, {c.count(0)});
    c.SetOutput(2, {c.count(0)});
  }

  void Compute(opwright::CpuCall& call) const;
};

template <typename T>
int64_t CopyOne(const opwright::CpuCall& call, int k) {
  auto x = call.input<T>(0, k);
  auto y = call.output<T>(0, k);
  for (int64_t i = 0; i < y.size(); ++i) y[i] = x[i];
  return y.size();
}

int64_t CopyAny(const opwright::CpuCall& call, int k) {
  const opwright::DType dtype = call.input_dtype(0, k);
  switch (dtype) {
    case opwright::DType::kFloat:
      return CopyOne<float>(call, k);
    case opwright::DType::kDouble:
      return CopyOne<double>(call, k);
    case opwright::DType::kInt32:
      return CopyOne<int32_t>(call, k);
    case opwright::DType::kBool:
      return CopyOne<bool>(call, k);
    case opwright::DType::kComplex64:
      return CopyOne<std::complex<float>>(call, k);
    default:
      opwright::Fail("no copy of ", dtype);
  }
}

void Mixed::Compute(opwright::CpuCall& call) const {
  auto dtypes = call.output<int32_t>(1);
  auto sizes = call.output<int64_t>(2);
  for (int k = 0; k < call.count(0); ++k) {
    dtypes[k] = static_cast<int32_t>(call.input_dtype(0, k));
    sizes[k] = CopyAny(call, k);
  }
}

}  // namespace

OPWRIGHT_OP(WeightedSum);
OPWRIGHT_OP(Spread);
OPWRIGHT_OP(Mixed);
