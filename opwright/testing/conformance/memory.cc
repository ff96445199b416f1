#include "opwright/op.h"

// Scratch memory, and an output that takes over the buffer of its input.

namespace {

// y[i] = x[0] + ... + x[i], or with `reverse` x[i] + ... + x[n - 1]. Blocks of fixed size give the
// same bits for any number of threads.
struct PrefixSum {
  using T = opwright::Types<float, double>;
  static constexpr int64_t kBlock = 1024;

  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Conformance>PrefixSum")
        .Attr<T>("T")
        .Attr("reverse: bool = false")
        .Input("x: T")
        .Output("y: T");
  }
  static void Gradient(opwright::Gradient& g) {
    g.d_input(0) =
        g.Call("Conformance>PrefixSum", {g.d_output(0)}, {{"reverse", !g.Get<bool>("reverse")}});
  }
  explicit PrefixSum(const opwright::Attributes& a) : reverse_(a.Get<bool>("reverse")) {}

  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, c.WithRank(0, 1)); }

  template <typename T>
  void Compute(opwright::CpuCall& call) const {
    auto x = call.input<T>(0);
    auto y = call.output<T>(0);
    const int64_t n = x.size(), blocks = (n + kBlock - 1) / kBlock;
    auto at = [&](int64_t i) { return reverse_ ? n - 1 - i : i; };
    auto end_of = [&](int64_t block) { return block + 1 < blocks ? (block + 1) * kBlock : n; };

    T* before = call.scratch<T>(blocks);
    call.ParallelFor(blocks, kBlock, [&](int64_t begin, int64_t end) {
      for (int64_t block = begin; block < end; ++block) {
        before[block] = 0;
        for (int64_t i = block * kBlock; i < end_of(block); ++i) before[block] += x[at(i)];
      }
    });
    T sum = 0;
    for (int64_t block = 0; block < blocks; ++block) {
      const T next = sum + before[block];
      before[block] = sum;
      sum = next;
    }
    call.ParallelFor(blocks, kBlock, [&](int64_t begin, int64_t end) {
      for (int64_t block = begin; block < end; ++block) {
        T running = before[block];
        for (int64_t i = block * kBlock; i < end_of(block); ++i) y[at(i)] = running += x[at(i)];
      }
    });
  }

 private:
  bool reverse_;
};

// y = -x; shared: 1 if y has taken over the buffer of x, else 0.
struct Negate {
  using T = opwright::Types<float, double>;

  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Conformance>Negate")
        .Attr<T>("T")
        .Input("x: T")
        .Output("y: T")
        .Output("shared: int64")
        .Forward(0, 0);
  }
  static void Gradient(opwright::Gradient& g) {
    g.d_input(0) = g.Call("Conformance>Negate", {g.d_output(0)});
  }
  explicit Negate(const opwright::Attributes&) {}

  void Shape(opwright::ShapeContext& c) const {
    c.SetOutput(0, c.input(0));
    c.SetOutput(1, opwright::Shape::OfRank(0));
  }

  template <typename T>
  void Compute(opwright::CpuCall& call) const {
    auto x = call.input<T>(0);
    auto y = call.output<T>(0);
    call.output<int64_t>(1)[0] = x.data() == y.data();
    for (int64_t i = 0; i < y.size(); ++i) y[i] = -x[i];
  }
};

}  // namespace

OPWRIGHT_OP(PrefixSum);
OPWRIGHT_OP(Negate);
