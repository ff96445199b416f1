// AddSymbolicGradients and TF_AddGradients differentiate one node twice; the registered function is
// called without gradients of some outputs, which those two never do.
//
//   symbolic CONFORMANCE_LIBRARY
//
// Prints a line of numbers for each, and which new nodes are not where the scope wants them.

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "tensorflow/c/c_api.h"
#include "tensorflow/cc/framework/grad_op_registry.h"
#include "tensorflow/cc/framework/gradients.h"
#include "tensorflow/cc/framework/scope.h"
#include "tensorflow/cc/ops/const_op.h"
#include "tensorflow/core/graph/node_builder.h"
#include "tensorflow/core/public/session.h"

namespace {

using tensorflow::GraphDef;
using tensorflow::Output;
using tensorflow::Scope;

constexpr char kDevice[] = "/device:CPU:0";

void Check(const absl::Status& status, const char* what) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s failed: %s\n", what, status.ToString().c_str());
  std::exit(1);
}

void Check(TF_Status* status, const char* what) {
  if (TF_GetCode(status) == TF_OK) return;
  std::fprintf(stderr, "%s failed: %s\n", what, TF_Message(status));
  std::exit(1);
}

GraphDef ToGraphDef(const Scope& scope) {
  GraphDef graph;
  Check(scope.ToGraphDef(&graph), "Scope.ToGraphDef");
  return graph;
}

Output Add(const Scope& scope, tensorflow::NodeBuilder& builder) {
  tensorflow::Node* node = nullptr;
  Check(builder.Finalize(scope.graph(), &node), "Building the node");
  Check(scope.DoShapeInference(node), "Inferring its shape");
  return Output(node);
}

void Run(const char* title, const GraphDef& graph, const std::vector<std::string>& names) {
  const std::unique_ptr<tensorflow::Session> session(
      tensorflow::NewSession(tensorflow::SessionOptions()));
  Check(session->Create(graph), "Session.Create");
  std::vector<tensorflow::Tensor> values;
  Check(session->Run({}, names, {}, &values), "Session.Run");
  std::printf("%s", title);
  for (const tensorflow::Tensor& value : values) {
    const auto* x = reinterpret_cast<const double*>(value.tensor_data().data());
    for (int64_t i = 0; i < value.NumElements(); ++i) std::printf(" %.17g", x[i]);
  }
  std::printf("\n");
}

void BySymbolic(const Scope& scope, const Output& y, const std::vector<Output>& xs,
                const Output& ones) {
  const int before = scope.graph()->num_node_ids();
  const Scope inner = scope.NewSubScope("inner").WithDevice(kDevice).WithControlDependencies(xs[0]);
  std::vector<Output> first, second;
  Check(AddSymbolicGradients(inner, {y}, xs, {ones}, &first), "The first gradient");
  Check(AddSymbolicGradients(inner, first, xs, {ones, ones}, &second), "The second gradient");
  std::vector<std::string> names;
  for (const auto& list : {first, second}) {
    for (const Output& tensor : list) names.push_back(tensor.name());
  }
  const GraphDef graph = ToGraphDef(scope);
  Run("AddSymbolicGradients", graph, names);

  int nodes = 0;
  for (int id = before; id < scope.graph()->num_node_ids(); ++id) {
    const tensorflow::Node* node = scope.graph()->FindNodeId(id);
    bool control = false;
    for (const tensorflow::Edge* edge : node->in_edges()) control |= edge->src() == xs[0].node();
    const bool named = node->name().rfind("inner/", 0) == 0;
    ++nodes;
    if (control && named && node->requested_device() == kDevice) continue;
    std::printf("outside: %s on '%s'\n", node->name().c_str(), node->requested_device().c_str());
  }
  std::printf("nodes %d\n", nodes);
}

TF_Output Find(TF_Graph* graph, const Output& tensor) {
  return {TF_GraphOperationByName(graph, tensor.node()->name().c_str()), tensor.index()};
}

void ByCApi(const GraphDef& forward, const Output& y, const std::vector<Output>& inputs,
            const Output& one) {
  TF_Status* status = TF_NewStatus();
  TF_Graph* graph = TF_NewGraph();
  const std::string bytes = forward.SerializeAsString();
  TF_Buffer* buffer = TF_NewBufferFromString(bytes.data(), bytes.size());
  TF_GraphImportGraphDef(graph, buffer, TF_NewImportGraphDefOptions(), status);
  Check(status, "TF_GraphImportGraphDef");
  TF_Output ys[] = {Find(graph, y)};
  TF_Output xs[] = {Find(graph, inputs[0]), Find(graph, inputs[1])};
  TF_Output ones[] = {Find(graph, one), Find(graph, one)};
  TF_Output first[2], second[2];
  TF_AddGradients(graph, ys, 1, xs, 2, ones, status, first);
  Check(status, "The first TF_AddGradients");
  TF_AddGradients(graph, first, 2, xs, 2, ones, status, second);
  Check(status, "The second TF_AddGradients");
  TF_Buffer* answer = TF_NewBuffer();
  TF_GraphToGraphDef(graph, answer, status);
  Check(status, "TF_GraphToGraphDef");
  GraphDef whole;
  whole.ParseFromArray(answer->data, static_cast<int>(answer->length));
  std::vector<std::string> names;
  for (const TF_Output& tensor : {first[0], first[1], second[0], second[1]}) {
    names.push_back(std::string(TF_OperationName(tensor.oper)) + ":" +
                    std::to_string(tensor.index));
  }
  Run("TF_AddGradients", whole, names);
}

void ByRegistry(const Scope& scope, const Output& a, const Output& ones) {
  tensorflow::NodeBuilder builder("split", "Conformance>SplitSign");
  const Output split = Add(scope, builder.Input(a.node()));
  tensorflow::ops::GradFunc gradient = nullptr;
  Check(tensorflow::ops::GradOpRegistry::Global()->Lookup("Conformance>SplitSign", &gradient),
        "Lookup");
  std::vector<std::string> names;
  for (const Output& missing : {tensorflow::NoGradient(), Output()}) {
    std::vector<Output> d_inputs;
    Check(gradient(scope, split.op(), {ones, missing, missing}, &d_inputs), "The gradient");
    for (const Output& d_input : d_inputs) names.push_back(d_input.name());
  }
  Run("GradOpRegistry", ToGraphDef(scope), names);
}

}  // namespace

int main(int argc, char** argv) {
  TF_Status* status = TF_NewStatus();
  TF_LoadLibrary(argc > 1 ? argv[1] : "", status);
  Check(status, "TF_LoadLibrary");
  const Scope scope = Scope::NewRootScope();
  const Output a = tensorflow::ops::Const(scope.WithOpName("a"), {0.5, -1.0, 2.0});
  const Output b = tensorflow::ops::Const(scope.WithOpName("b"), {1.0, 2.0, -3.0});
  const Output ones = tensorflow::ops::Const(scope.WithOpName("ones"), {1.0, 1.0, 1.0});
  tensorflow::NodeBuilder builder("y", "Conformance>ExpMul");
  const Output y = Add(scope, builder.Input(a.node()).Input(b.node()).Attr("rate", -0.5f));
  ByCApi(ToGraphDef(scope), y, {a, b}, ones);
  BySymbolic(scope, y, {a, b}, ones);
  ByRegistry(scope, a, ones);
}
