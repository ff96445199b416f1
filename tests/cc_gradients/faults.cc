#include <string>
#include <vector>

#include "opwright/op.h"

// Gradients with faults that an author may make, or that look like one.

namespace {

using opwright::DType;

// y = x, z = 2 * x, and the number of elements.
struct Faults {
  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("CcGradients>Faults")
        .Attr("fault: string")
        .Input("x: double")
        .Output("y: double")
        .Output("z: double")
        .Output("count: int32");
  }
  static void Gradient(opwright::Gradient& g) {
    const auto fault = g.Get<std::string>("fault");
    if (fault == "integer_d_output") {
      g.d_input(0) = g.Call("Cast", {g.d_output(2)}, {{"DstT", DType::kDouble}});
    } else if (fault == "bad_call") {
      g.d_input(0) = g.Call("Mul", {g.d_output(0), g.Constant<double>({1, 2, 3, 4, 5, 6, 7})});
    } else if (fault == "wrong_dtype_in_call") {
      g.d_input(0) = g.Call("Mul", {g.d_output(0), g.Constant<float>({1})});
    } else if (fault == "no_such_result") {
      auto parts = g.Call("Split", {g.Scalar(DType::kInt32, 0), g.input(0)}, {{"num_split", 2}});
      g.d_input(0) = g.Call("Neg", {parts[2]});
    } else if (fault == "no_such_result_at_the_end") {
      auto parts = g.Call("Split", {g.Scalar(DType::kInt32, 0), g.input(0)}, {{"num_split", 2}});
      g.d_input(0) = parts[2];
    } else if (fault == "attribute_of_other_kind") {
      auto parts = g.Call("Split", {g.Scalar(DType::kInt32, 0), g.input(0)}, {{"num_split", 2.5}});
      g.d_input(0) = parts[0];
    } else if (fault == "integer_for_float") {
      g.d_input(0) = g.Call("LeakyReluGrad", {g.d_output(0), g.input(0)}, {{"alpha", 2}});
    } else if (fault == "integers_for_floats") {
      const std::vector<int> weights = {3, -2};
      const std::vector<opwright::Ref> both = {g.d_output(0), g.d_output(1)};
      g.d_input(0) = g.Call("Conformance>WeightedSum", {both}, {{"weights", weights}});
    } else {
      g.d_input(0) = g.d_output(0);
    }
  }
  explicit Faults(const opwright::Attributes&) {}

  void Shape(opwright::ShapeContext& c) const {
    c.SetOutput(0, c.input(0));
    c.SetOutput(1, c.input(0));
    c.SetOutput(2, opwright::Shape::OfRank(0));
  }

  void Compute(opwright::CpuCall& call) const {
    auto x = call.input<double>(0);
    auto y = call.output<double>(0), z = call.output<double>(1);
    for (int64_t i = 0; i < y.size(); ++i) {
      y[i] = x[i];
      z[i] = 2 * x[i];
    }
    call.output<int32_t>(2)[0] = static_cast<int32_t>(x.size());
  }
};

}  // namespace

OPWRIGHT_OP(Faults);
