#pragma once

#include <string>
#include <utility>
#include <vector>

#include "opwright/testing/library.h"
#include "opwright/testing/phase.h"

namespace opwright OPWRIGHT_HIDDEN {
namespace testing {

// What an op's Gradient asked for.
struct Recording {
  struct Argument {
    bool is_list;
    std::vector<OpwrightRef> refs;
  };
  struct Call {
    std::string op;
    std::vector<Argument> args;
    AttrMap attrs;    // those that were given, and those of the node that go with them
    Tensor constant;  // of a constant; op is then empty
  };

  std::vector<Call> calls;   // in order: OPWRIGHT_CALL + k is a result of calls[k]
  std::vector<bool> needed;  // for each input tensor
  // For each input tensor, its gradient; OPWRIGHT_NONE if there is none, or none was wanted.
  std::vector<OpwrightRef> d_inputs;

  // To compare with in tests. One line a call, then one a needed input:
  //   call0 = MatMul(d_y, w, transpose_b=true)
  //   call1 = int32 [2] {0, 2}
  //   call2 = Split([d_y, call0[1]], call1)
  //   d_x = call0
  //   d_w = none
  std::string text;
};

// Runs Gradient of a node. needed: one for each input tensor.
Recording RecordGradient(const Library& library, const Library::Entry& entry,
                         const Binding& binding, const std::vector<bool>& needed,
                         const std::string& where);

}  // namespace testing
}  // namespace opwright
