#include "opwright/op/error.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "opwright/testing/failure.h"

namespace {

using opwright::Code;
using opwright::DType;
using opwright::Error;
using opwright::Fail;
using opwright::Require;
using opwright::Shape;
using opwright::testing::FailureOf;

TEST(Error, MakesASentenceOfAnyParts) {
  const std::string word = "words";
  const Error error(Code::kOutOfRange, word, " ", true, " ", int8_t{-1}, " ",
                    std::numeric_limits<int64_t>::min(), " ", std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(error.code(), Code::kOutOfRange);
  EXPECT_STREQ(error.what(), "words true -1 -9223372036854775808 18446744073709551615");
}

TEST(Error, WritesFloatsDTypesAndShapes) {
  EXPECT_STREQ(Error(Code::kInternal, 0.1f, " ", 1e300, " ", opwright::half(0.5f)).what(),
               "0.100000001 1e+300 0.5");
  EXPECT_STREQ(Error(Code::kInternal, DType::kBfloat16, " ", static_cast<DType>(99)).what(),
               "bfloat16 ?");
  EXPECT_STREQ(Error(Code::kInternal, Shape{2, -1}, Shape(), Shape::Unknown()).what(),
               "[2,?][][unknown rank]");
}

TEST(Error, DoesNotReadItsPartsAsAFormat) {
  EXPECT_STREQ(Error(Code::kInternal, "100%s %n").what(), "100%s %n");
}

TEST(Error, CutsWhatIsTooLong) {
  const std::string text(5000, 'x');
  const Error error(Code::kInternal, text, "and more", 7);
  EXPECT_EQ(std::string(error.what()), text.substr(0, 999));
}

TEST(Error, FailAndRequireThrowInvalidArgument) {
  const double radius = -2.5;
  EXPECT_EQ(FailureOf([&] { Fail("radius must be positive, it is ", radius); }),
            "radius must be positive, it is -2.5");
  EXPECT_EQ(FailureOf([&] { Require(radius > 0, "radius is ", radius); }), "radius is -2.5");
  EXPECT_EQ(FailureOf([&] { Require(radius < 0, "radius is ", radius); }), "(no failure)");
  try {
    Fail("why");
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Code::kInvalidArgument);
  }
}

}  // namespace
