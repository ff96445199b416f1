#include "opwright/op/call.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "opwright/testing/failure.h"
#include "opwright/testing/host.h"

namespace {

using opwright::CpuCall;
using opwright::DType;
using opwright::testing::AttrMap;
using opwright::testing::FailureOf;
using opwright::testing::Host;
using opwright::testing::Tensor;

// An op of one input and one output of the same shape, for tests of Compute.
struct Elementwise {
  static constexpr auto kNoGradient = "it is a test";
  static constexpr auto Declare() {
    return opwright::Declare().Attr("n: int = 0").Input("x: int64").Output("y: int64");
  }
  explicit Elementwise(const opwright::Attributes& a) : n(a.Get<int64_t>("n")) {}
  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, c.input(0)); }
  int64_t n;
};

Tensor Counting(int64_t n) {
  std::vector<int64_t> values(static_cast<size_t>(n));
  std::iota(values.begin(), values.end(), 0);
  return Tensor::Of<int64_t>({n}, values);
}

// Adds 1 to each element for each time that ParallelFor visits it.
struct Visit : Elementwise {
  using Elementwise::Elementwise;
  void Compute(CpuCall& call) const {
    auto x = call.input<int64_t>(0);
    auto y = call.output<int64_t>(0);
    for (int64_t i = 0; i < y.size(); ++i) y[i] = x[i];
    call.ParallelFor(y.size(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) ++y[i];
    });
    call.ParallelFor(-1, 1, [&](int64_t, int64_t) { y[0] = -1; });
  }
};

TEST(ParallelFor, VisitsEachElementOnce) {
  for (const int threads : {1, 2, 7}) {
    for (const int64_t block : {0, 1, 3, 1000}) {
      Host host(threads);
      host.set_blocks(block);
      const auto op = host.Op("Visit");
      for (const int64_t n : {0, 1, 2, 5, 97}) {
        const auto y = op.Run({Counting(n)})[0].values<int64_t>();
        for (int64_t i = 0; i < n; ++i) {
          ASSERT_EQ(y[static_cast<size_t>(i)], i + 1)
              << threads << " threads, blocks of " << block << ", n = " << n;
        }
      }
    }
  }
}

// Sums rows in a loop inside a loop.
struct Nested : Elementwise {
  using Elementwise::Elementwise;
  void Compute(CpuCall& call) const {
    auto x = call.input<int64_t>(0);
    auto y = call.output<int64_t>(0);
    const int64_t rows = y.dim(0), columns = y.dim(1);
    call.ParallelFor(rows, 1, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        call.ParallelFor(columns, 1, [&](int64_t first, int64_t last) {
          for (int64_t k = first; k < last; ++k) y(r, k) = x(r, k) * 2;
        });
      }
    });
  }
};

TEST(ParallelFor, MayBeNested) {
  const Tensor x = Tensor::Of<int64_t>({3, 5}, Counting(15).values<int64_t>());
  EXPECT_EQ(Host(3).Op("Nested").Run({x})[0].values<int64_t>()[14], 28);
}

// Throws at each element that is a multiple of n, which the message tells.
struct Throws : Elementwise {
  using Elementwise::Elementwise;
  void Compute(CpuCall& call) const {
    auto y = call.output<int64_t>(0);
    call.ParallelFor(y.size(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        y[i] = i;
        if (n > 0 && i > 0 && i % n == 0) opwright::Fail("element ", i, " is bad");
        if (n < 0) throw std::bad_alloc();
      }
    });
    opwright::Fail("nothing was thrown");
  }
};

TEST(ParallelFor, ThrowsWhatThePartNearestToTheBeginThrew) {
  for (const int threads : {1, 2, 7}) {
    for (const int64_t block : {0, 1, 2}) {
      Host host(threads);
      host.set_blocks(block);
      for (int repeat = 0; repeat < 20; ++repeat) {
        EXPECT_EQ(FailureOf([&] {
                    host.Op("Throws", {{"n", 13}}).Run({Counting(100)});
                  }),
                  "Throws (x: int64 [100]): element 13 is bad")
            << threads << " threads, blocks of " << block;
      }
    }
  }
}

TEST(ParallelFor, CarriesOtherExceptions) {
  EXPECT_EQ(FailureOf([] {
              Host(2).Op("Throws", {{"n", -1}}).Run({Counting(10)});
            }),
            "Throws (x: int64 [10]): out of host memory");
}

// Uses scratch memory as its attribute says.
struct Scratch : Elementwise {
  using Elementwise::Elementwise;
  static constexpr auto Declare() {
    return opwright::Declare()
        .Attr("n: int = 0")
        .Attr("inside: bool = false")
        .Input("x: int64")
        .Output("y: int64");
  }
  explicit Scratch(const opwright::Attributes& a) : Elementwise(a), inside(a.Get<bool>("inside")) {}
  void Compute(CpuCall& call) const {
    auto y = call.output<int64_t>(0);
    for (int64_t& value : y) value = 0;
    if (inside) {
      call.ParallelFor(1, 1, [&](int64_t, int64_t) { call.scratch<char>(1); });
    }
    auto* one = call.scratch<double>(n);
    auto* other = call.scratch<char>(n);
    for (int64_t i = 0; i < n; ++i) {
      one[i] = 1;
      other[i] = 2;
    }
    y[0] = static_cast<int64_t>(reinterpret_cast<uintptr_t>(one) % 64 +
                                reinterpret_cast<uintptr_t>(other) % 64);
    y[1] = n > 0 && one[n - 1] == 1 && other[0] == 2;
  }
  bool inside;
};

TEST(Scratch, IsAlignedAndDistinct) {
  const auto y = Host().Op("Scratch", {{"n", 1001}}).Run({Counting(2)});
  EXPECT_EQ(y[0].values<int64_t>(), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(Host().Op("Scratch").Run({Counting(2)})[0].values<int64_t>()[0], 0) << "of no size";
}

TEST(Scratch, RefusesImpossibleSizes) {
  const auto failure = [](const AttrMap& attrs) {
    return FailureOf([&] { Host().Op("Scratch", attrs).Run({Counting(2)}); });
  };
  EXPECT_EQ(failure({{"n", -1}}),
            "Scratch (x: int64 [2]): scratch memory for -1 values of 8 bytes was asked for");
  EXPECT_EQ(failure({{"n", std::numeric_limits<int64_t>::max() / 8 + 1}}),
            "Scratch (x: int64 [2]): scratch memory for 1152921504606846976 values of 8 bytes was "
            "asked for");
  EXPECT_EQ(
      failure({{"n", int64_t{1} << 50}})
          .find("Scratch (x: int64 [2]): 9007199254740992 bytes were asked for, this machine has "),
      0u);
  EXPECT_EQ(failure({{"inside", true}}),
            "Scratch (x: int64 [2]): scratch memory was asked for inside a ParallelFor; ask before "
            "it");
}

struct Deterministic : Elementwise {
  using Elementwise::Elementwise;
  void Compute(CpuCall& call) const {
    for (int64_t& y : call.output<int64_t>(0)) y = call.deterministic();
  }
};

TEST(CpuCall, KnowsWhetherItMustBeDeterministic) {
  Host host;
  EXPECT_EQ(host.Op("Deterministic").Run({Counting(1)})[0].values<int64_t>()[0], 0);
  host.set_deterministic(true);
  EXPECT_EQ(host.Op("Deterministic").Run({Counting(1)})[0].values<int64_t>()[0], 1);
}

// Reads tensors that it has, and those that it has not.
struct Reads : Elementwise {
  static constexpr auto Declare() {
    return opwright::Declare()
        .Attr("n: int = 0")
        .Attr("N: int")
        .Input("x: int64")
        .Input("xs: N * float")
        .OptionalInput("bias: float")
        .Output("y: int64")
        .Output("zs: N * float");
  }
  explicit Reads(const opwright::Attributes& a) : Elementwise(a) {}
  void Shape(opwright::ShapeContext& c) const {
    c.SetOutput(0, {8});
    for (int k = 0; k < c.count(1); ++k) c.SetOutput(1, c.input(1, k), k);
  }
  void Compute(CpuCall& call) const {
    for (int k = 0; k < call.count(1); ++k) {
      auto z = call.output<float>(1, k);
      for (int64_t i = 0; i < z.size(); ++i) z[i] = -call.input<float>(1, k)[i];
    }
    auto y = call.output<int64_t>(0);
    y[0] = call.count(0);
    y[1] = call.count(1);
    y[2] = call.has(2);
    y[3] = static_cast<int64_t>(call.input_dtype(1, 1));
    y[4] = call.input_shape(1, 1).rank();
    y[5] = call.input_shape(1, 1)[-1];
    y[6] = call.input<int64_t>(0)[0];
    y[7] = call.has(2) ? static_cast<int64_t>(call.input<float>(2)[0]) : -1;
    if (n == 1) call.input<double>(0);
    if (n == 2) call.output<int64_t>(1);
    if (n == 3) call.input<float>(1, 2);
    if (n == 4) call.input<float>(3);
    if (n == 5) call.output<float>(2);
    if (n == 6) call.output<float>(1, -1);
    if (n == 7) call.input<float>(2);
  }
};

TEST(CpuCall, ReadsListsAndOptionalInputs) {
  const Tensor x = Tensor::Of<int64_t>({1}, {42});
  const Tensor a = Tensor::Of<float>({2}, {1, 2}), b = Tensor::Of<float>({1, 3}, {3, 4, 5});
  const auto absent = Host().Op("Reads").Run({x, {a, b}, {}});
  ASSERT_EQ(absent.size(), 3u);
  EXPECT_EQ(absent[0].values<int64_t>(), (std::vector<int64_t>{1, 2, 0, 1, 2, 3, 42, -1}));
  EXPECT_EQ(absent[1].values<float>(), (std::vector<float>{-1, -2}));
  EXPECT_EQ(absent[2].dims(), (opwright::testing::Dims{1, 3}));
  const auto given = Host().Op("Reads").Run({x, {a, b}, Tensor::Of<float>({}, {7})});
  EXPECT_EQ(given[0].values<int64_t>(), (std::vector<int64_t>{1, 2, 1, 1, 2, 3, 42, 7}));
}

TEST(CpuCall, RefusesTensorsThatThereAreNot) {
  const auto failure = [](int n) {
    const Tensor x = Tensor::Of<int64_t>({1}, {42}), f = Tensor::Of<float>({1}, {0});
    const std::string all = FailureOf([&] { Host().Op("Reads", {{"n", n}}).Run({x, {f, f}, {}}); });
    return all.substr(all.find("): ") + 3);
  };
  EXPECT_EQ(failure(1), "input x is int64, the op reads it as double");
  EXPECT_EQ(failure(2), "output zs is float, the op reads it as int64");
  EXPECT_EQ(failure(3),
            "tensor 2 of input xs was asked for, it has 2: ask has(i) or count(i) first");
  EXPECT_EQ(failure(4), "input 3 was asked for, the op has 3");
  EXPECT_EQ(failure(5), "output 2 was asked for, the op has 2");
  EXPECT_EQ(failure(6),
            "tensor -1 of output zs was asked for, it has 2: ask has(i) or count(i) first");
  EXPECT_EQ(failure(7),
            "tensor 0 of input bias was asked for, it has 0: ask has(i) or count(i) first");
}

TEST(CpuCall, AnOptionalInputIsOneTensor) {
  const Tensor x = Tensor::Of<int64_t>({1}, {42}), f = Tensor::Of<float>({1}, {0});
  EXPECT_EQ(FailureOf([&] {
              Host().Op("Reads").Run({x, {f, f}, {f, f}});
            }),
            "Reads (x: int64 [1], xs[0]: float [1], xs[1]: float [1], bias[0]: float [1], "
            "bias[1]: float [1]): input bias is optional: it takes a list of no or one tensor, not "
            "of 2");
}

}  // namespace

OPWRIGHT_OP(Visit);
OPWRIGHT_OP(Nested);
OPWRIGHT_OP(Throws);
OPWRIGHT_OP(Scratch);
OPWRIGHT_OP(Deterministic);
OPWRIGHT_OP(Reads);
