#pragma once

#include <cstdint>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "opwright/bridge/bridge.h"

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

inline void FailPhase(OpwrightContext* c, int32_t code, const char* message) {
  Phase::Of(c).Fail(absl::Status(static_cast<absl::StatusCode>(code), message));
}

inline OpwrightContext MakeContext(const Op& op, const OpwrightApi& api, Phase* phase,
                                   const Layout& layout, uint32_t flags) {
  return {sizeof(OpwrightContext), flags,   &api,   phase, op.table, layout.inputs.data(),
          layout.outputs.data(),   nullptr, nullptr};
}

// A failure, as the user reads it: "ElementMul (a: float [2], b: float [3]): why".
inline absl::Status Explain(const Op& op, const std::string& inputs, const absl::Status& status) {
  const std::string where = inputs.empty() ? op.name : op.name + " (" + inputs + ")";
  return absl::Status(status.code(), where + ": " + std::string(status.message()));
}

}  // namespace opwright::bridge
