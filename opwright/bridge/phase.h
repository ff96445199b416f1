#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "opwright/bridge/bridge.h"
#include "tensorflow/core/framework/node_def.pb.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/types.h"

namespace opwright::bridge {

// How many tensors each argument of a node has: begin[i] to begin[i + 1]. In place, because a run
// of one of many nodes finds what is elsewhere not in the cache.
struct Layout {
  absl::InlinedVector<int32_t, 6> inputs, outputs;
};

// What OpwrightContext.runner points to; each kind of phase derives from it.
struct Phase {
  absl::Status status;  // the first failure

  void Fail(absl::Status failure) {
    if (status.ok()) status = std::move(failure);
  }
  static Phase& Of(OpwrightContext* c) { return *static_cast<Phase*>(c->runner); }
};

// The sentence for the exception that is being handled.
inline std::string WhatIsThrown() {
  try {
    throw;
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "something was thrown that is not a std::exception";
  }
}

// No exception crosses the table: what `function` throws becomes the failure of the phase, and the
// result is then `failed`.
template <typename P, typename Result, typename Function>
Result Guard(OpwrightContext* c, Result failed, const Function& function) noexcept {
  P& phase = static_cast<P&>(Phase::Of(c));
  try {
    return function(phase);
  } catch (...) {
    phase.Fail(absl::InternalError(WhatIsThrown()));
  }
  return failed;
}

// Python takes a message for UTF-8, and throws away one that is not. What a message quotes, or
// where it was cut, may be any bytes; those that are none become '?'.
inline std::string AsUtf8(const std::string& text) {
  std::string clean;
  for (size_t i = 0; i < text.size();) {
    const unsigned char lead = static_cast<unsigned char>(text[i]);
    const size_t n = lead < 0x80 ? 1 : lead >= 0xf0 && lead < 0xf5 ? 4 : lead >= 0xe0 ? 3 : 2;
    bool good = lead < 0x80 || (lead >= 0xc2 && lead < 0xf5 && i + n <= text.size());
    for (size_t k = 1; good && k < n; ++k) good = (text[i + k] & 0xc0) == 0x80;
    clean += good ? text.substr(i, n) : "?";
    i += good ? n : 1;
  }
  return clean;
}

// OpwrightApi.fail, for all phases. A failure has a code that is one.
inline void FailPhase(OpwrightContext* c, int32_t code, const char* message) {
  Guard<Phase>(c, 0, [&](Phase& phase) {
    const bool known = code >= 1 && code <= 16;
    phase.Fail(
        absl::Status(known ? static_cast<absl::StatusCode>(code) : absl::StatusCode::kInternal,
                     AsUtf8(message)));
    return 0;
  });
}

// OpwrightApi.attribute, for the phases that have a member `attributes`.
template <typename P>
int32_t ReadAttribute(OpwrightContext* c, const char* name, OpwrightAttr* attr) {
  return Guard<P>(c, int32_t{0},
                  [&](P& phase) { return int32_t{phase.attributes.Read(name, attr)}; });
}

// The layout of a node that has all its attributes.
inline absl::Status MakeLayout(const Op& op, const tensorflow::NodeDef& node, Layout* layout) {
  tensorflow::NameRangeMap inputs, outputs;
  const absl::Status status = tensorflow::NameRangesForNode(node, op.def, &inputs, &outputs);
  if (!status.ok()) return status;
  layout->inputs = {0};
  layout->outputs = {0};
  for (const auto& arg : op.def.input_arg()) layout->inputs.push_back(inputs[arg.name()].second);
  for (const auto& arg : op.def.output_arg()) layout->outputs.push_back(outputs[arg.name()].second);
  return absl::OkStatus();
}

inline OpwrightContext MakeContext(const Op& op, const OpwrightApi& api, Phase* phase,
                                   const Layout& layout, uint32_t flags) {
  return {sizeof(OpwrightContext), flags,   &api,   phase, op.table, layout.inputs.data(),
          layout.outputs.data(),   nullptr, nullptr};
}

[[gnu::cold, gnu::noinline]] inline absl::Status BadOutput(const Op& op, const Layout& layout,
                                                           int tensor, const std::string& what) {
  return absl::InternalError("Shape " + what + " output " +
                             TensorName(op, layout.outputs, true, tensor));
}

// The shape that Shape sets for an output before a run. again: it has set one before.
inline absl::Status MakeOutputShape(const Op& op, const Layout& layout, int tensor, bool again,
                                    int32_t rank, const int64_t* dims,
                                    tensorflow::TensorShape* shape) {
  if (again) return BadOutput(op, layout, tensor, "twice sets");
  if (rank < 0) return BadOutput(op, layout, tensor, "leaves open, before a run, the rank of");
  for (int32_t k = 0; k < rank; ++k) {
    if (dims[k] >= 0) continue;
    return BadOutput(op, layout, tensor,
                     "sets, before a run, dimension " + std::to_string(k) + " to " +
                         std::to_string(dims[k]) + " of");
  }
  return tensorflow::TensorShape::BuildTensorShape(
      absl::MakeConstSpan(dims, static_cast<size_t>(rank)), shape);
}

// "[2,3]"
inline std::string ShapeText(absl::Span<const int64_t> dims) {
  return "[" + absl::StrJoin(dims, ",") + "]";
}

// "a: float [2,3], b: float []"
[[gnu::cold, gnu::noinline]] inline std::string InputList(const Op& op, const Layout& layout,
                                                          const OpwrightTensor* inputs) {
  std::string text;
  for (int32_t i = 0; i < layout.inputs.back(); ++i) {
    if (i) text += ", ";
    if (i == 8) return text + std::to_string(layout.inputs.back() - i) + " more";
    text += TensorName(op, layout.inputs, false, i) + ": " +
            tensorflow::DataTypeString(static_cast<tensorflow::DataType>(inputs[i].dtype)) + " " +
            ShapeText({inputs[i].dims, static_cast<size_t>(inputs[i].rank)});
  }
  return text;
}

// A failure, as the user reads it: "ElementMul (a: float [2], b: float [3]): why".
inline absl::Status Explain(const Op& op, const std::string& inputs, const absl::Status& status) {
  const std::string where = inputs.empty() ? op.name : op.name + " (" + inputs + ")";
  return absl::Status(status.code(), where + ": " + std::string(status.message()));
}

}  // namespace opwright::bridge
