#pragma once

// The bridge makes the ops of op libraries ops of one TensorFlow. It is the only part of opwright
// that includes TensorFlow, and is built once for each minor version of it.
//
//   attach.cc      the table of a library, checked, becomes registered ops and kernels
//   phase.h        what the calls of an op through the table have in common
//   create.h       an op with the attributes of one node
//   attributes.cc  attributes of a node, as the table wants them
//   shape.cc       shape inference while a graph is built
//   kernel.cc      runs on the CPU
//   gradient.cc    records the gradient of one node
//   gradients.py   plays such a recording in Python
//   python.cc      runs gradients.py in this process's Python, if there is one
//   open_cc.cc     opens the bridge's second library, where that can be
//   cc/            the second library: C++ gradients and XLA
//
// There are two libraries, because all but cc/ needs libtensorflow_framework alone, which every
// process with TensorFlow has. Both are built together.
//
// Tested by opwright/testing/conformance and tests/, in TensorFlow.

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "opwright/op/abi.h"
#include "tensorflow/core/framework/op_def.pb.h"

// What the second library uses of the first.
#define OPWRIGHT_SHARED __attribute__((visibility("default")))

namespace opwright::bridge {

// An op of an attached library. Lives as long as the process.
struct Op {
  const OpwrightLibrary* library = nullptr;
  const OpwrightOp* table = nullptr;
  std::string name;
  std::string library_file;
  uint64_t fingerprint = 0;  // of the file's bytes when it was opened
  tensorflow::OpDef def;
  std::vector<std::string> kernel_attrs;  // by which a kernel is chosen
  std::vector<const OpwrightKernel*> cpu_kernels;
  std::vector<bool> host_inputs;              // by argument
  std::vector<bool> value_inputs;             // by argument: those that Shape may read
  std::vector<std::pair<int, int>> forwards;  // input argument to output argument
  std::string no_gradient;                    // why there is none
};

// An argument that holds a list of tensors.
inline bool IsList(const tensorflow::OpDef::ArgDef& arg) {
  return !arg.number_attr().empty() || !arg.type_list_attr().empty();
}

// The op of this name, or null if it is none of ours.
OPWRIGHT_SHARED const Op* FindOp(const std::string& name);

// "a" of input or output tensor `flat`, or "xs[2]" in a list. begin as in OpwrightContext.
OPWRIGHT_SHARED std::string TensorName(const Op& op, absl::Span<const int32_t> begin, bool output,
                                       int flat);

// The file of the library that holds this address.
std::string FileOf(const void* address);

// Structs of the other side may be longer or shorter than ours.
template <typename T>
const T& At(const T* first, int64_t i) {
  return *reinterpret_cast<const T*>(reinterpret_cast<const char*>(first) +
                                     static_cast<int64_t>(first->size) * i);
}
#define OPWRIGHT_HAS(STRUCT, FIELD) \
  ((STRUCT).size >= offsetof(std::decay_t<decltype(STRUCT)>, FIELD) + sizeof((STRUCT).FIELD))

// attach.cc calls these for newly registered ops. The results are empty, or a sentence.
void RegisterKernels(const Op& op);
std::string RegisterPythonGradients(const std::vector<const Op*>& ops);
std::string RegisterInCc(const std::vector<const Op*>& ops);

// What the second library exports, as opwright_cc. The two see each other's structs, so both must
// be of one build.
struct CcLibrary {
  const char* version;
  size_t size_of_op;
  // Nothing is thrown; *why stays empty, or becomes a sentence.
  void (*attach)(const Op* const* ops, size_t count, std::string* why);
};

}  // namespace opwright::bridge
