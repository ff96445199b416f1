// The gradient of ElementMul for programs in C++, which ask by tensorflow::AddSymbolicGradients or
// TF_AddGradients. It needs libtensorflow_cc.so.2; op.cc does not.

#include <vector>

#include "absl/status/status.h"
#include "tensorflow/cc/framework/grad_op_registry.h"
#include "tensorflow/cc/framework/ops.h"
#include "tensorflow/cc/framework/scope.h"
#include "tensorflow/core/graph/node_builder.h"

namespace {

using tensorflow::Node;
using tensorflow::NodeBuilder;
using tensorflow::Operation;
using tensorflow::Output;
using tensorflow::Scope;

// A node of the op itself, so that the gradient has a gradient. No generated class stands for an op
// of one's own, as tensorflow::ops::Mul does for Mul.
absl::Status AddProduct(const Scope& scope, const Output& a, const Output& b,
                        std::vector<Output>* products) {
  if (!scope.ok()) return scope.status();
  NodeBuilder builder(scope.GetUniqueNameForOp("ElementMul"), "ElementMul");
  builder.Input(a.node(), a.index()).Input(b.node(), b.index());
  scope.UpdateBuilder(&builder);
  Node* node = nullptr;
  scope.UpdateStatus(builder.Finalize(scope.graph(), &node));
  if (!scope.ok()) return scope.status();
  scope.UpdateStatus(scope.DoShapeInference(node));
  products->push_back(Output(node, 0));
  return scope.status();
}

absl::Status ElementMulGradient(const Scope& scope, const Operation& op,
                                const std::vector<Output>& d_outputs,
                                std::vector<Output>* d_inputs) {
  const Output& d_product = d_outputs[0];
  const absl::Status status = AddProduct(scope, d_product, op.input(1), d_inputs);
  return status.ok() ? AddProduct(scope, op.input(0), d_product, d_inputs) : status;
}
REGISTER_GRADIENT_OP("ElementMul", ElementMulGradient);

}  // namespace
