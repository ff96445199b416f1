#pragma once

#include "absl/status/status.h"
#include "opwright/bridge/bridge.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace opwright::bridge {

// The shape function of an op, while a graph is built.
absl::Status InferShapes(const Op& op, tensorflow::shape_inference::InferenceContext* c);

}  // namespace opwright::bridge
