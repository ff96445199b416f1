#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "opwright/bridge/bridge.h"
#include "tensorflow/core/framework/graph.pb.h"
#include "tensorflow/core/framework/node_def.pb.h"

namespace opwright::bridge {

// Plays Gradient of an op for one node, which has all its attributes, and writes down what it asks
// for. needed: a byte for each input tensor. The recording has a node for each call in order, with
// the attributes that Gradient or the forward node gave (types and lengths that follow from the
// arguments are left out), then one named "d_inputs". Their inputs are
//   "input:2"  "output:0"  "d_output:1"   tensors of the node, counted flat
//   "3:1"                                 result 1 of call 3
//   "[" ... "]"                           a list argument
//   ""                                    in d_inputs: no gradient
OPWRIGHT_SHARED absl::Status RecordGradient(const tensorflow::NodeDef& node, const uint8_t* needed,
                                            tensorflow::GraphDef* recording);

}  // namespace opwright::bridge
