#include <new>
#include <stdexcept>
#include <string>

#include "opwright/op.h"

// Exceptions of every kind from every place where an op may throw.

namespace {

[[noreturn]] void Throw(const std::string& what, int64_t number) {
  using opwright::Code;
  const struct {
    const char* name;
    Code code;
  } codes[] = {{"invalid_argument", Code::kInvalidArgument},
               {"not_found", Code::kNotFound},
               {"resource_exhausted", Code::kResourceExhausted},
               {"failed_precondition", Code::kFailedPrecondition},
               {"out_of_range", Code::kOutOfRange},
               {"unimplemented", Code::kUnimplemented},
               {"internal", Code::kInternal}};
  for (const auto& c : codes) {
    if (what == c.name) throw opwright::Error(c.code, "an ", what, " with number ", number);
  }
  if (what == "runtime_error") throw std::runtime_error("a runtime_error of the standard library");
  if (what == "bad_alloc") throw std::bad_alloc();
  throw 42;
}

// y = x, unless it throws.
struct ThrowAt {
  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Conformance>Throw")
        .Attr(
            "place: {'nowhere', 'constructor', 'shape', 'shape_of_run', 'compute', 'parallel', "
            "'gradient'}")
        .Attr(
            "what: {'invalid_argument', 'not_found', 'resource_exhausted', 'failed_precondition', "
            "'out_of_range', 'unimplemented', 'internal', 'runtime_error', 'bad_alloc', 'int'} = "
            "'invalid_argument'")
        .Input("x: double")
        .Output("y: double");
  }
  static void Gradient(opwright::Gradient& g) {
    if (g.Get<std::string>("place") == "gradient") Throw(g.Get<std::string>("what"), 5);
    g.d_input(0) = g.d_output(0);
  }
  explicit ThrowAt(const opwright::Attributes& a)
      : place_(a.Get<std::string>("place")), what_(a.Get<std::string>("what")) {
    if (place_ == "constructor") Throw(what_, 1);
  }

  void Shape(opwright::ShapeContext& c) const {
    if (place_ == "shape") Throw(what_, 2);
    if (place_ == "shape_of_run" && c.running()) Throw(what_, 3);
    c.SetOutput(0, c.input(0));
  }

  void Compute(opwright::CpuCall& call) const {
    if (place_ == "compute") Throw(what_, 4);
    auto x = call.input<double>(0);
    auto y = call.output<double>(0);
    call.ParallelFor(x.size(), /*cost=*/100000, [&](int64_t begin, int64_t end) {
      // Every part throws; the number is that of the part whose exception is kept.
      if (place_ == "parallel") Throw(what_, begin);
      for (int64_t i = begin; i < end; ++i) y[i] = x[i];
    });
  }

 private:
  std::string place_, what_;
};

}  // namespace

OPWRIGHT_OP(ThrowAt);
