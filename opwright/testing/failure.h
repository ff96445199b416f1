#pragma once

#include <string>

#include "opwright/op.h"

namespace opwright OPWRIGHT_HIDDEN {
namespace testing {

// The message of the Error that function() throws:
//   EXPECT_EQ(FailureOf([&] { op.Run({a, b}); }), "ElementMul (...): ...");
template <typename Function>
std::string FailureOf(const Function& function) {
  try {
    function();
  } catch (const Error& e) {
    return e.what();
  }
  return "(no failure)";
}

}  // namespace testing
}  // namespace opwright
