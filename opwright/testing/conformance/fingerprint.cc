#include <cmath>
#include <string>
#include <vector>

#include "opwright/op.h"

// A gradient that passes on attributes of every kind, named one by one or left to be inherited.

namespace {

template <typename Declaration>
constexpr auto WithAllKinds(Declaration declaration) {
  return declaration.Attr("integer: int = 1")
      .Attr("real: float = 0.5")
      .Attr("boolean: bool = true")
      .Attr("text: string = 't'")
      .Attr("dtype: type = DT_FLOAT")
      .Attr("shape: shape = { unknown_rank: true }")
      .Attr("integers: list(int) = []")
      .Attr("reals: list(float) = []")
      .Attr("booleans: list(bool) = []")
      .Attr("texts: list(string) = []")
      .Attr("dtypes: list(type) = []")
      .Attr("shapes: list(shape) = []");
}

// A number that changes with each value of each attribute.
class Hash {
 public:
  explicit Hash(const opwright::Attributes& a) {
    Add(a.Get<int64_t>("integer"));
    Add(a.Get<double>("real"));
    Add(a.Get<bool>("boolean"));
    Add(a.Get<std::string>("text"));
    Add(a.Get<opwright::DType>("dtype"));
    Add(a.Get<opwright::Shape>("shape"));
    for (int64_t value : a.Get<std::vector<int64_t>>("integers")) Add(value);
    for (double value : a.Get<std::vector<double>>("reals")) Add(value);
    for (bool value : a.Get<std::vector<bool>>("booleans")) Add(value);
    for (const std::string& value : a.Get<std::vector<std::string>>("texts")) Add(value);
    for (opwright::DType value : a.Get<std::vector<opwright::DType>>("dtypes")) Add(value);
    for (const opwright::Shape& value : a.Get<std::vector<opwright::Shape>>("shapes")) Add(value);
  }

  double value() const { return value_; }

 private:
  void Add(double x) { value_ = std::fmod(value_ * 31 + 4 * x, 65521.0); }
  void Add(int64_t x) { Add(static_cast<double>(x)); }
  void Add(bool x) { Add(x ? 1.0 : 0.0); }
  void Add(opwright::DType x) { Add(static_cast<double>(x)); }
  void Add(const std::string& x) {
    Add(static_cast<double>(x.size()));
    for (char c : x) Add(static_cast<double>(static_cast<unsigned char>(c)));
  }
  void Add(const opwright::Shape& x) {
    Add(static_cast<double>(x.rank()));
    for (int k = 0; k < x.rank(); ++k) Add(x[k]);
  }

  double value_ = 1;
};

// y = x * hash of all attributes.
struct Fingerprint {
  static constexpr auto Declare() {
    return WithAllKinds(opwright::Declare().Name("Conformance>Fingerprint"))
        .Attr("inherit: bool = true")
        .Input("x: double")
        .Output("y: double");
  }
  static void Gradient(opwright::Gradient& g) {
    if (g.Get<bool>("inherit")) {
      g.d_input(0) = g.Call("Conformance>Fingerprint", {g.d_output(0)});
      return;
    }
    g.d_input(0) = g.Call("Conformance>FingerprintOfOthers", {g.d_output(0)},
                          {{"integer", g.Get<int64_t>("integer")},
                           {"real", g.Get<float>("real")},
                           {"boolean", g.Get<bool>("boolean")},
                           {"text", g.Get<std::string>("text")},
                           {"dtype", g.Get<opwright::DType>("dtype")},
                           {"shape", g.Get<opwright::Shape>("shape")},
                           {"integers", g.Get<std::vector<int64_t>>("integers")},
                           {"reals", g.Get<std::vector<float>>("reals")},
                           {"booleans", g.Get<std::vector<bool>>("booleans")},
                           {"texts", g.Get<std::vector<std::string>>("texts")},
                           {"dtypes", g.Get<std::vector<opwright::DType>>("dtypes")},
                           {"shapes", g.Get<std::vector<opwright::Shape>>("shapes")}});
  }
  explicit Fingerprint(const opwright::Attributes& a) : hash_(a) {}

  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, c.input(0)); }

  void Compute(opwright::CpuCall& call) const {
    auto x = call.input<double>(0);
    auto y = call.output<double>(0);
    for (int64_t i = 0; i < y.size(); ++i) y[i] = x[i] * hash_.value();
  }

 protected:
  Hash hash_;
};

// The same under another name and without `inherit`: nothing of it is inherited unnoticed.
struct FingerprintOfOthers : Fingerprint {
  static constexpr auto Declare() {
    return WithAllKinds(opwright::Declare().Name("Conformance>FingerprintOfOthers"))
        .Input("x: double")
        .Output("y: double");
  }
  static void Gradient(opwright::Gradient& g) {
    g.d_input(0) = g.Call("Conformance>FingerprintOfOthers", {g.d_output(0)});
  }
  explicit FingerprintOfOthers(const opwright::Attributes& a) : Fingerprint(a) {}
};

}  // namespace

OPWRIGHT_OP(Fingerprint);
OPWRIGHT_OP(FingerprintOfOthers);
