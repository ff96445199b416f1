#include <string>

#include "opwright/op.h"

// Ops with faults that an author may make: each must end as an error with a sentence.

namespace {

// Sets shapes that no tensor can have, or none at all.
struct BadShape {
  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Conformance>BadShape")
        .Attr(
            "fault: {'none', 'forgets', 'twice', 'negative', 'unknown_dim', 'unknown_rank', "
            "'high_rank', "
            "'overflow', 'too_large'}")
        .Input("x: float")
        .Output("y: float")
        .Output("z: float");
  }
  static constexpr auto kNoGradient = "it is a test of shapes";

  explicit BadShape(const opwright::Attributes& a) : fault_(a.Get<std::string>("fault")) {}

  void Shape(opwright::ShapeContext& c) const {
    c.SetOutput(0, c.input(0));
    if (fault_ == "none" || fault_ == "twice") c.SetOutput(1, c.input(0));
    if (fault_ == "twice") c.SetOutput(1, c.input(0));
    if (fault_ == "negative") c.SetOutput(1, {2, -5});
    if (fault_ == "unknown_dim") c.SetOutput(1, {2, opwright::kUnknown});
    if (fault_ == "unknown_rank") c.SetOutput(1, opwright::Shape::Unknown());
    if (fault_ == "high_rank") c.SetOutput(1, opwright::Shape::OfRank(300));
    if (fault_ == "overflow") c.SetOutput(1, {int64_t{1} << 32, int64_t{1} << 32});
    if (fault_ == "too_large") c.SetOutput(1, {int64_t{1} << 55});
  }

  void Compute(opwright::CpuCall& call) const {
    for (int i = 0; i < 2; ++i) {
      for (float& value : call.output<float>(i)) value = 0;
    }
  }

 private:
  std::string fault_;
};

// Asks the SDK for what is not there.
struct Misuse {
  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Conformance>Misuse")
        .Attr(
            "fault: {'none', 'no_attribute', 'attribute_kind', 'narrow_attribute', 'no_input', "
            "'absent_input', 'no_output', 'no_dimension', 'value_of_input', 'input_dtype', "
            "'output_dtype', 'no_tensor', 'negative_scratch', 'huge_scratch'}")
        .Attr("wide: int = 300")
        .Input("x: float")
        .OptionalInput("extra: float")
        .Output("y: float");
  }
  static constexpr auto kNoGradient = "it is a test of faults";

  explicit Misuse(const opwright::Attributes& a) : fault_(a.Get<std::string>("fault")) {
    if (fault_ == "no_attribute") a.Get<bool>("shiny");
    if (fault_ == "attribute_kind") a.Get<float>("wide");
    if (fault_ == "narrow_attribute") a.Get<int8_t>("wide");
  }

  void Shape(opwright::ShapeContext& c) const {
    if (fault_ == "no_input") c.input(7);
    if (fault_ == "absent_input") c.input(1);
    if (fault_ == "no_output") c.SetOutput(3, opwright::Shape::OfRank(0));
    if (fault_ == "no_dimension") c.SetOutput(0, {opwright::Shape{1, 2}[5]});
    if (fault_ == "value_of_input") c.value<float>(0);
    c.SetOutput(0, c.input(0));
  }

  void Compute(opwright::CpuCall& call) const {
    if (fault_ == "input_dtype") call.input<int32_t>(0);
    if (fault_ == "output_dtype") call.output<double>(0);
    if (fault_ == "no_tensor") call.input<float>(0, 4);
    if (fault_ == "negative_scratch") call.scratch<double>(-3);
    if (fault_ == "huge_scratch") call.scratch<double>(int64_t{1} << 50);
    for (float& value : call.output<float>(0)) value = 0;
  }

 private:
  std::string fault_;
};

}  // namespace

OPWRIGHT_OP(BadShape);
OPWRIGHT_OP(Misuse);
