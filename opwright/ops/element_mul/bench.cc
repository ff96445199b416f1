#include <benchmark/benchmark.h>

#include <vector>

#include "opwright/testing/host.h"

// The kernel on one and on two threads, and what a call costs beside it.

namespace {

using opwright::DType;
using opwright::testing::Host;
using opwright::testing::Prepared;
using opwright::testing::Tensor;
using opwright::testing::WithType;

// A product of 1 stays 1, whatever the number of runs.
Tensor Ones(DType dtype, int64_t n) {
  return WithType(dtype, [&](auto type) {
    using T = decltype(type);
    return Tensor::Of<T>({n}, std::vector<float>(static_cast<size_t>(n), 1));
  });
}

Prepared Prepare(const Host& host, DType dtype, int64_t n) {
  Prepared run = host.Op("Opwright>ElementMul").Prepare({Ones(dtype, n), Ones(dtype, n)});
  run.Allocate();
  return run;
}

void Compute(benchmark::State& state, DType dtype, int threads) {
  const Host host(threads);
  Prepared run = Prepare(host, dtype, state.range(0));
  for (auto _ : state) run.Compute();
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetBytesProcessed(state.iterations() * state.range(0) * 3 * SizeOf(dtype));
}
// From what lies in the first cache to what lies in none that a core owns: floats of 4 KiB to 64
// MiB.
#define OPWRIGHT_COMPUTE(TYPE)                                                          \
  BENCHMARK_CAPTURE(Compute, TYPE##_1_thread, DType::TYPE, 1)->Range(1 << 10, 1 << 24); \
  BENCHMARK_CAPTURE(Compute, TYPE##_2_threads, DType::TYPE, 2)->Arg(1 << 24)->UseRealTime()
OPWRIGHT_COMPUTE(kHalf);
OPWRIGHT_COMPUTE(kBfloat16);
OPWRIGHT_COMPUTE(kFloat);
OPWRIGHT_COMPUTE(kDouble);
OPWRIGHT_COMPUTE(kInt32);
OPWRIGHT_COMPUTE(kInt64);

void CheckShapes(benchmark::State& state) {
  const Host host;
  Prepared run = Prepare(host, DType::kFloat, 4);
  for (auto _ : state) run.CheckShapes();
}
BENCHMARK(CheckShapes);

void CheckShapesAndAllocate(benchmark::State& state) {
  const Host host;
  Prepared run = Prepare(host, DType::kFloat, state.range(0));
  for (auto _ : state) run.Allocate();
}
BENCHMARK(CheckShapesAndAllocate)->Arg(4)->Arg(1 << 10);

void ComputeOneElement(benchmark::State& state) {
  const Host host;
  Prepared run = Prepare(host, DType::kFloat, 1);
  for (auto _ : state) run.Compute();
}
BENCHMARK(ComputeOneElement);

}  // namespace
