#pragma once

// The second library of the bridge, which needs libtensorflow_cc:
//
//   attach.cc      what the first library calls
//   gradient.cc    gradients in C++ graphs
//   xla_kernel.cc  compiles a node: its shapes are computed, a custom call goes into the program
//   xla_call.cc    such a call as text, and what runs when the program comes to it
//   xla_target.cc  the function that XLA calls
//   pool.cc        TensorFlow's threads, for calls that XLA makes on one of them

#include "opwright/bridge/bridge.h"

namespace opwright::bridge {

// For newly attached ops.
void RegisterCcGradient(const Op& op);
void RegisterXla(const std::vector<const Op*>& ops);

}  // namespace opwright::bridge
