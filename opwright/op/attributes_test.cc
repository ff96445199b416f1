#include "opwright/op/attributes.h"

#include <gtest/gtest.h>

#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "opwright/testing/failure.h"
#include "opwright/testing/host.h"

namespace {

using opwright::Attributes;
using opwright::DType;
using opwright::testing::AttrMap;
using opwright::testing::FailureOf;
using opwright::testing::Host;

// Returns what its constructor read, as text.
struct Report {
  static constexpr auto kNoGradient = "text has none";
  static constexpr auto Declare() { return opwright::Declare().Output("text: uint8"); }
  void Shape(opwright::ShapeContext& c) const {
    c.SetOutput(0, {static_cast<int64_t>(text.size())});
  }
  void Compute(opwright::CpuCall& call) const {
    memcpy(call.output<uint8_t>(0).data(), text.data(), text.size());
  }
  std::string text;
};

std::string ReportOf(const std::string& op, const AttrMap& attrs) {
  const auto text = Host().Op(op, attrs).Run({})[0].values<uint8_t>();
  return std::string(text.begin(), text.end());
}

template <typename T>
std::string List(const std::vector<T>& values) {
  std::ostringstream out;
  for (const auto& value : values) out << value << ';';
  return out.str();
}

struct EveryKind : Report {
  static constexpr auto Declare() {
    return opwright::Declare()
        .Attr("i: int = -3")
        .Attr("f: float = 0.5")
        .Attr("b: bool = true")
        .Attr("s: string = 'it\\'s'")
        .Attr("t: type = DT_BFLOAT16")
        .Attr("shape: shape = { dim { size: 2 } dim { size: -1 } }")
        .Attr("mode: {'open', 'closed'} = 'open'")
        .Output("text: uint8");
  }
  explicit EveryKind(const Attributes& a) {
    std::ostringstream out;
    out << a.Get<int64_t>("i") << ' ' << a.Get<float>("f") << ' ' << a.Get<double>("f") << ' '
        << a.Get<bool>("b") << ' ' << a.Get<std::string>("s") << ' ' << a.Get<DType>("t") << ' '
        << a.Get<opwright::Shape>("shape") << ' ' << a.Get<std::string>("mode");
    text = out.str();
  }
};

TEST(Attributes, ReadsDefaultsOfEveryKind) {
  EXPECT_EQ(ReportOf("EveryKind", {}), "-3 0.5 0.5 1 it's bfloat16 [2,?] open");
}

TEST(Attributes, ReadsValuesOfEveryKind) {
  EXPECT_EQ(ReportOf("EveryKind", {{"i", int64_t{1} << 40},
                                   {"f", 2},
                                   {"b", false},
                                   {"s", std::string("a\0b", 3)},
                                   {"t", DType::kInt8},
                                   {"shape", opwright::Shape::Unknown()},
                                   {"mode", "closed"}}),
            std::string("1099511627776 2 2 0 a\0b int8 [unknown rank] closed", 50));
}

struct EveryList : Report {
  static constexpr auto Declare() {
    return opwright::Declare()
        .Attr("i: list(int) = [1, -2]")
        .Attr("f: list(float) = []")
        .Attr("b: list(bool) = [true, false]")
        .Attr("s: list(string) = ['a', 'b c']")
        .Attr("t: list({float, int32}) = [DT_FLOAT, DT_INT32]")
        .Attr("shapes: list(shape) = [{ dim { size: 3 } }, { unknown_rank: true }]")
        .Output("text: uint8");
  }
  explicit EveryList(const Attributes& a) {
    text = List(a.Get<std::vector<int64_t>>("i")) + List(a.Get<std::vector<int32_t>>("i")) +
           List(a.Get<std::vector<double>>("f")) + List(a.Get<std::vector<bool>>("b")) +
           List(a.Get<std::vector<std::string>>("s")) + List(a.Get<std::vector<DType>>("t")) +
           List(a.Get<std::vector<opwright::Shape>>("shapes"));
  }
};

TEST(Attributes, ReadsDefaultsOfLists) {
  EXPECT_EQ(ReportOf("EveryList", {}), "1;-2;1;-2;1;0;a;b c;float;int32;[3];[unknown rank];");
}

TEST(Attributes, ReadsLists) {
  EXPECT_EQ(
      ReportOf("EveryList",
               {{"i", std::vector<int>{}},
                {"f", std::vector<float>{0.25f, -1}},
                {"b", std::vector<bool>{}},
                {"s", std::vector<std::string>{""}},
                {"t", std::vector<DType>{DType::kInt32}},
                {"shapes", std::vector<opwright::Shape>{{}, {1, 2}, opwright::Shape::Unknown()}}}),
      "0.25;-1;;int32;[];[1,2];[unknown rank];");
}

// Reads attribute i as another type.
template <typename T>
struct Narrow : Report {
  static constexpr auto Declare() {
    return opwright::Declare().Attr("i: int").Output("text: uint8");
  }
  explicit Narrow(const Attributes& a) { text = std::to_string(a.Get<T>("i")); }
};
struct NarrowInt8 : Narrow<int8_t> {
  using Narrow::Narrow;
};
struct NarrowUint32 : Narrow<uint32_t> {
  using Narrow::Narrow;
};
struct NarrowUint64 : Narrow<uint64_t> {
  using Narrow::Narrow;
};

TEST(Attributes, SmallerIntegersRefuseWhatTheyCannotHold) {
  EXPECT_EQ(ReportOf("NarrowInt8", {{"i", -128}}), "-128");
  EXPECT_EQ(ReportOf("NarrowInt8", {{"i", 127}}), "127");
  EXPECT_EQ(ReportOf("NarrowUint32", {{"i", 4294967295}}), "4294967295");
  EXPECT_EQ(FailureOf([] {
              ReportOf("NarrowInt8", {{"i", 128}});
            }),
            "NarrowInt8: attribute i is 128, which a signed integer of 8 bits cannot hold");
  EXPECT_EQ(
      FailureOf([] {
        ReportOf("NarrowUint32", {{"i", 4294967296}});
      }),
      "NarrowUint32: attribute i is 4294967296, which an unsigned integer of 32 bits cannot hold");
  EXPECT_NE(FailureOf([] { ReportOf("NarrowUint32", {{"i", -1}}); }), "(no failure)");
  EXPECT_EQ(FailureOf([] {
              ReportOf("NarrowUint64", {{"i", -1}});
            }),
            "NarrowUint64: attribute i is -1, which an unsigned integer of 64 bits cannot hold");
}

// Reads one attribute, wrongly if the others say so.
struct Misread : Report {
  static constexpr auto Declare() {
    return opwright::Declare()
        .Attr("how: {'absent', 'other kind', 'list', 'throws'}")
        .Attr("i: int = 1")
        .Output("text: uint8");
  }
  explicit Misread(const Attributes& a) {
    const auto how = a.Get<std::string>("how");
    if (how == "absent") a.Get<int64_t>("no_such");
    if (how == "other kind") a.Get<float>("i");
    if (how == "list") a.Get<std::vector<int64_t>>("i");
    if (how == "throws") opwright::Fail("i must be 2, it is ", a.Get<int64_t>("i"));
  }
};

TEST(Attributes, AWrongReadIsASentence) {
  const auto failure = [](const char* how) {
    return FailureOf([how] { ReportOf("Misread", {{"how", how}}); });
  };
  EXPECT_EQ(failure("absent"), "Misread: the op has no attribute no_such");
  EXPECT_EQ(failure("other kind"), "Misread: attribute i is declared as int and read as float");
  EXPECT_EQ(failure("list"), "Misread: attribute i is declared as int and read as list(int)");
}

TEST(Attributes, TheConstructorMayRefuseThem) {
  EXPECT_EQ(FailureOf([] {
              ReportOf("Misread", {{"how", "throws"}});
            }),
            "Misread: i must be 2, it is 1");
}

}  // namespace

OPWRIGHT_OP(EveryKind);
OPWRIGHT_OP(EveryList);
OPWRIGHT_OP(NarrowInt8);
OPWRIGHT_OP(NarrowUint32);
OPWRIGHT_OP(NarrowUint64);
OPWRIGHT_OP(Misread);
