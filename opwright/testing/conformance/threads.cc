#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include "opwright/op.h"

// What the runner does with a loop, and whether it must be deterministic.

namespace {

// covered[i]: how often a parallel loop over n ran element i; threads: on how many threads in all.
struct Threads {
  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Conformance>Threads")
        .Stateful()
        .ShapeValue("n: int64")
        .Output("covered: int32")
        .Output("threads: int64");
  }
  static constexpr auto kNoGradient = "it counts";

  explicit Threads(const opwright::Attributes&) {}

  void Shape(opwright::ShapeContext& c) const {
    c.WithRank(0, 0);
    int64_t length = opwright::kUnknown;
    if (auto n = c.value<int64_t>(0)) {
      length = (*n)[0];
      opwright::Require(length >= 0, "n must not be negative, it is ", length);
    }
    c.SetOutput(0, {length});
    c.SetOutput(1, opwright::Shape::OfRank(0));
  }

  void Compute(opwright::CpuCall& call) const {
    auto covered = call.output<int32_t>(0);
    for (int32_t& count : covered) count = 0;
    std::mutex mutex;
    std::set<std::thread::id> threads;
    call.ParallelFor(covered.size(), /*cost=*/1000000, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) ++covered[i];
      {
        std::lock_guard<std::mutex> lock(mutex);
        threads.insert(std::this_thread::get_id());
      }
      // Leaves the other parts to other threads, even on one core.
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    });
    call.output<int64_t>(1)[0] = static_cast<int64_t>(threads.size());
  }
};

// Whether the process asked for deterministic ops.
struct Deterministic {
  static constexpr auto Declare() {
    return opwright::Declare()
        .Name("Conformance>Deterministic")
        .Stateful()
        .Output("deterministic: bool");
  }
  static constexpr auto kNoGradient = "it has no input";

  explicit Deterministic(const opwright::Attributes&) {}

  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, opwright::Shape::OfRank(0)); }

  void Compute(opwright::CpuCall& call) const { call.output<bool>(0)[0] = call.deterministic(); }
};

// y[i] = n, counted one by one: loops in the parts of a loop.
struct Nested {
  static constexpr auto Declare() {
    return opwright::Declare().Name("Conformance>Nested").Input("n: int64").Output("y: int64");
  }
  static constexpr auto kNoGradient = "it counts";

  explicit Nested(const opwright::Attributes&) {}

  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, c.input(0)); }

  void Compute(opwright::CpuCall& call) const {
    auto n = call.input<int64_t>(0);
    auto y = call.output<int64_t>(0);
    call.ParallelFor(y.size(), /*cost=*/10000000, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        std::atomic<int64_t> count{0};
        call.ParallelFor(n[i], /*cost=*/10000, [&](int64_t b, int64_t e) { count += e - b; });
        y[i] = count;
      }
    });
  }
};

}  // namespace

OPWRIGHT_OP(Threads);
OPWRIGHT_OP(Deterministic);
OPWRIGHT_OP(Nested);
