#include "opwright/testing/host.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "opwright/testing/failure.h"

namespace {

using opwright::CpuCall;
using opwright::DType;
using opwright::Shape;
using opwright::ShapeContext;
using opwright::testing::Dims;
using opwright::testing::FailureOf;
using opwright::testing::Host;
using opwright::testing::Prepared;
using opwright::testing::Tensor;

// y = x + by.
struct Add {
  using T = opwright::Types<float, int32_t>;

  static constexpr auto Declare() {
    return opwright::Declare()
        .Attr<T>("T")
        .Attr("by: int = 1")
        .Input("x: T")
        .Output("y: T")
        .Forward(0, 0);
  }
  static void Gradient(opwright::Gradient& g) { g.d_input(0) = g.d_output(0); }
  explicit Add(const opwright::Attributes& a) : by_(a.Get<int64_t>("by")) {}
  void Shape(ShapeContext& c) const { c.SetOutput(0, c.WithRankAtLeast(0, 1)); }
  template <typename T>
  void Compute(CpuCall& call) const {
    auto x = call.input<T>(0);
    auto y = call.output<T>(0);
    call.ParallelFor(y.size(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) y[i] = x[i] + static_cast<T>(by_);
    });
  }
  int64_t by_;
};

TEST(Host, RunsAnOpAndInfersItsType) {
  const Host host(3);
  const auto op = host.Op("Add", {{"by", 10}});
  EXPECT_EQ(op.Run({Tensor::Of<float>({2}, {1, 2})})[0].values<float>(),
            (std::vector<float>{11, 12}));
  EXPECT_EQ(op.Run({Tensor::Of<int32_t>({1}, {-3})})[0].values<int32_t>(),
            (std::vector<int32_t>{7}));
}

TEST(Host, SaysWhatTensorFlowWouldSay) {
  const auto op = Host().Op("Add");
  EXPECT_EQ(FailureOf([&] { op.Run({Tensor::Of<float>({}, {1})}); }),
            "Add (x: float []): input x must have rank 1 or more, its shape is []");
  EXPECT_EQ(FailureOf([&] { op.Run({Tensor::Of<double>({1}, {1})}); }),
            "Add (x: double [1]): attribute T is double, it must be float or int32");
  EXPECT_EQ(FailureOf([&] { op.Run({}); }), "Add: the op takes 1 input (x), 0 were given");
  EXPECT_EQ(FailureOf([&] { op.Run({Tensor()}); }), "Add (x: []): input x is given no tensor");
  EXPECT_EQ(FailureOf([] {
              Host().Op("Add", {{"by", "x"}});
            }),
            "Add: attribute by is 'x', which is of kind string, not int");
  EXPECT_EQ(FailureOf([] { Host().Op("Sub"); })
                .find("there is no op Sub in this program; it has "
                      "Add, "),
            0u);
}

TEST(Host, KeepsTheCodeOfAFailure) {
  try {
    Host().Op("Sub");
  } catch (const opwright::Error& e) {
    EXPECT_EQ(e.code(), opwright::Code::kNotFound);
  }
  try {
    Host().Op("Add").Run({Tensor::Of<float>({}, {1})});
  } catch (const opwright::Error& e) {
    EXPECT_EQ(e.code(), opwright::Code::kInvalidArgument);
  }
}

TEST(Host, ForwardsWhatIsGivenAway) {
  const auto op = Host().Op("Add");
  Tensor x = Tensor::Of<float>({2}, {1, 2});
  const void* memory = x.raw();
  EXPECT_NE(op.Run({x})[0].raw(), memory) << "x is still ours";
  EXPECT_EQ(x.values<float>(), (std::vector<float>{1, 2}));
  const Tensor y = op.Run({std::move(x)})[0];
  EXPECT_EQ(y.raw(), memory);
  EXPECT_EQ(y.values<float>(), (std::vector<float>{2, 3}));

  std::vector<Tensor> all = {Tensor::Of<float>({2}, {1, 2})};
  memory = all[0].raw();
  EXPECT_EQ(op.Run(std::move(all))[0].raw(), memory);
}

TEST(Host, MayBeUsedByManyThreads) {
  const Host host(2);
  const auto op = host.Op("Add");
  const Tensor floats = Tensor::Filled<float>({100}, 1), ints = Tensor::Filled<int32_t>({50}, 1);
  std::vector<std::thread> users;
  for (int k = 0; k < 4; ++k) {
    users.emplace_back([&, k] {
      for (int repeat = 0; repeat < 20; ++repeat) {
        const bool real = (k + repeat) % 2 == 0;
        EXPECT_EQ(op.Run({real ? floats : ints})[0].doubles()[49], 2);
      }
    });
  }
  for (std::thread& user : users) user.join();
}

TEST(Prepared, GoesStepByStep) {
  Prepared run = Host().Op("Add").Prepare({Tensor::Of<float>({2}, {1, 2})});
  run.CheckShapes();
  EXPECT_EQ(run.outputs()[0].dtype(), DType::kInvalid) << "not allocated";
  run.Allocate();
  const void* memory = run.outputs()[0].raw();
  for (int repeat = 0; repeat < 2; ++repeat) {
    run.Compute();
    EXPECT_EQ(run.outputs()[0].values<float>(), (std::vector<float>{2, 3}));
    EXPECT_EQ(run.outputs()[0].raw(), memory);
  }
  Prepared bad = Host().Op("Add").Prepare({Tensor::Of<float>({}, {1})});
  EXPECT_EQ(FailureOf([&] { bad.CheckShapes(); }),
            "Add (x: float []): input x must have rank 1 or more, its shape is []");
}

// What its attribute says is wrong.
struct Fault {
  static constexpr auto kNoGradient = "it is a test";
  static constexpr auto Declare() {
    return opwright::Declare()
        .Attr("fault: string")
        .Attr("at: int = 0")
        .Input("x: float")
        .Output("y: float")
        .Output("bytes: int8");
  }
  explicit Fault(const opwright::Attributes& a)
      : fault_(a.Get<std::string>("fault")), at_(a.Get<int64_t>("at")) {}
  void Shape(ShapeContext& c) const {
    if (fault_ == "huge") {
      c.SetOutput(0, {int64_t{1} << 40, int64_t{1} << 40});
    } else {
      c.SetOutput(0, c.input(0));
    }
    c.SetOutput(1, {256});
  }
  void Compute(CpuCall& call) const {
    auto x = call.input<float>(0);
    auto y = call.output<float>(0);
    auto bytes = call.output<int8_t>(1);
    for (int64_t i = 0; i < y.size(); ++i) y[i] = x[i];
    // All values, so also those that memory is filled with before a run.
    for (int64_t i = 0; i < 256; ++i) {
      if (fault_ != "bytes" || i != at_) bytes[i] = static_cast<int8_t>(i - 128);
    }
    if (fault_ == "y") y.data()[at_] = 1;
    if (fault_ == "x") const_cast<float*>(x.data())[at_] = 1;
    if (fault_ == "scratch") call.scratch<char>(9)[at_] = 1;
    if (fault_ == "scratch is read") y[0] = call.scratch<float>(1)[0];
    if (fault_ == "unset") y[at_] = std::nanf("");
  }
  std::string fault_;
  int64_t at_;
};

std::string Found(const std::string& fault, int64_t at) {
  const Tensor x = Tensor::Of<float>({3}, {5, 6, 7});
  const std::string all = FailureOf([&] {
    Host().Op("Fault", {{"fault", fault}, {"at", at}}).Run({x});
  });
  const std::string where = "Fault (x: float [3]): ";
  return all.find(where) == 0 ? all.substr(where.size()) : all;
}

TEST(Checks, AGoodRunPasses) { EXPECT_EQ(Found("none", 0), "(no failure)"); }

TEST(Checks, ANanOfItsOwnIsNoFault) { EXPECT_EQ(Found("unset", 1), "(no failure)"); }

TEST(Checks, FindsWritesToAnInput) { EXPECT_EQ(Found("x", 1), "the op writes to its input x"); }

TEST(Checks, FindsUnwrittenElements) {
  const int patterns[] = {0xA5 ^ 0x80, 0x5A ^ 0x80, 0, 255};
  for (const int at : patterns) {
    EXPECT_EQ(Found("bytes", at),
              "the op leaves 1 of 256 elements of output bytes unwritten, the first is element " +
                  std::to_string(at) + " of [256]");
  }
}

TEST(Checks, ScratchMemoryIsNan) {
  const Tensor x = Tensor::Of<float>({3}, {5, 6, 7});
  EXPECT_TRUE(std::isnan(
      Host().Op("Fault", {{"fault", "scratch is read"}}).Run({x})[0].values<float>()[0]));
}

TEST(Checks, FindsSizesThatOverflow) {
  EXPECT_EQ(Found("huge", 0),
            "output y of shape [1099511627776,1099511627776] and type float has more than 2^63 "
            "bytes");
}

#if defined(__SANITIZE_ADDRESS__)
TEST(ChecksDeathTest, AddressSanitizerStopsWritesOutside) {
  for (const char* fault : {"x", "y", "scratch"}) {
    for (const int64_t at : {-1, 9, 20}) {
      EXPECT_DEATH(Found(fault, at), "AddressSanitizer: use-after-poison") << fault << at;
    }
  }
}
#else
TEST(Checks, FindsWritesOutside) {
  EXPECT_EQ(Found("y", 3), "the op writes outside of output y, which has 12 bytes: at byte 12");
  EXPECT_EQ(Found("y", -1), "the op writes outside of output y, which has 12 bytes: at byte -1");
  EXPECT_EQ(Found("x", 20), "the op writes outside of input x, which has 12 bytes: at byte 80");
  EXPECT_EQ(Found("scratch", 9),
            "the op writes outside of its scratch memory, which has 9 bytes: at byte 9");
  EXPECT_EQ(Found("scratch", -1),
            "the op writes outside of its scratch memory, which has 9 bytes: at byte -1");
}
#endif

}  // namespace

OPWRIGHT_OP(Add);
OPWRIGHT_OP(Fault);
