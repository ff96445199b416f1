#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "opwright/bridge/bridge.h"
#include "tensorflow/core/framework/node_def.pb.h"

namespace opwright::bridge {

using Dims = std::vector<int64_t>;

// The kernel for the type attributes of a node on the CPU, or null.
const OpwrightKernel* FindCpuKernel(const Op& op, const tensorflow::NodeDef& node);

// A call in a compiled program is text: op, attributes, shapes; so a program that is kept on disk
// means the same in every process. `node` has all attributes of the op and no others.
std::string EncodeXlaCall(const tensorflow::NodeDef& node, const std::vector<Dims>& inputs,
                          const std::vector<Dims>& outputs);

// Runs such a call, with as many inputs and outputs as it says.
absl::Status RunXlaCall(std::string_view text, void* const* inputs, void* const* outputs);

// How XLA knows the function that runs all calls.
inline constexpr char kXlaTarget[] = "opwright_call";
inline constexpr bool kTypedFfi = OPWRIGHT_TF_MINOR >= 20;

}  // namespace opwright::bridge
