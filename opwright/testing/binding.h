#pragma once

#include <map>
#include <string>
#include <vector>

#include "opwright/testing/declaration.h"

namespace opwright OPWRIGHT_HIDDEN {
namespace testing {

using AttrMap = std::map<std::string, AttrValue>;

// One argument as a caller gave it.
struct Actual {
  bool is_list = false;
  std::vector<DType> dtypes;  // kInvalid: not known
  std::vector<Shape> shapes;
};

// A node of an op: all attributes, and how many tensors of which types come and go. Tensors are
// counted flat, as in abi.h.
struct Binding {
  AttrMap attrs;
  std::vector<int32_t> input_begin, output_begin;
  std::vector<DType> inputs, outputs;

  // The types that select the kernel, in the declaration's order.
  std::vector<DType> KernelTypes(const OpDeclaration& op) const;
};

// Checks the attributes that were given, as far as that can be done without inputs; integers that
// are given for floats become such.
AttrMap CheckAttributes(const OpDeclaration& op, const AttrMap& given);

// Infers what was not given from the inputs, then takes defaults, then checks what the declaration
// demands. With `guess`, a type that nothing says is the first that is allowed: shapes and
// gradients seldom depend on it.
Binding Bind(const OpDeclaration& op, const AttrMap& given, const std::vector<Actual>& inputs,
             bool guess);

// The name of a tensor that is counted flat: "a", or "xs[1]" in a list.
std::string TensorName(const std::vector<ArgumentDeclaration>& arguments,
                       const std::vector<int32_t>& begin, int flat);

// The begin of every message of a node, as the bridge to TensorFlow writes it:
// "AddN (xs[0]: float [2], xs[1]: float [2])".
std::string Describe(const OpDeclaration& op, const std::vector<Actual>& inputs);

}  // namespace testing
}  // namespace opwright
