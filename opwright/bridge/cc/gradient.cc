#include "opwright/bridge/gradient.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "opwright/bridge/cc/cc.h"
#include "opwright/bridge/phase.h"
#include "tensorflow/cc/framework/grad_op_registry.h"
#include "tensorflow/cc/framework/gradients.h"
#include "tensorflow/cc/framework/scope_internal.h"
#include "tensorflow/core/common_runtime/shape_refiner.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/graph/node_builder.h"

// The same recording that gradients.py plays in Python, played into a graph of TensorFlow's C++.
// What both say of a gradient that cannot be one, they say in the same words.

namespace opwright::bridge {
namespace {

using tensorflow::DataType;
using tensorflow::Node;
using tensorflow::NodeBuilder;
using tensorflow::NodeDef;
using tensorflow::OpDef;
using tensorflow::Operation;
using tensorflow::Output;
using tensorflow::Scope;

// A scope offers everything about its graph but the shapes that are inferred as it grows; those are
// in a private member, which an explicit instantiation may name.
using RefinerMember = std::shared_ptr<tensorflow::ShapeRefiner> Scope::Impl::*;
RefinerMember Refiner();
template <RefinerMember kMember>
struct Opened {
  friend RefinerMember Refiner() { return kMember; }
};
template struct Opened<&Scope::Impl::refiner_>;

// A shape as far as the graph shows it.
struct StaticShape {
  bool known = false;         // its rank is
  std::vector<int64_t> dims;  // -1: unknown

  // One tensor could have both.
  bool CompatibleWith(const StaticShape& other) const {
    if (!known || !other.known) return true;
    if (dims.size() != other.dims.size()) return false;
    for (size_t k = 0; k < dims.size(); ++k) {
      if (dims[k] >= 0 && other.dims[k] >= 0 && dims[k] != other.dims[k]) return false;
    }
    return true;
  }

  std::string Text() const {
    if (!known) return "<unknown>";
    std::string text = "(";
    for (size_t k = 0; k < dims.size(); ++k) {
      text += (k ? ", " : "") + (dims[k] < 0 ? "None" : std::to_string(dims[k]));
    }
    return text + (dims.size() == 1 ? ",)" : ")");
  }
};

StaticShape ShapeOf(const Scope& scope, const Output& tensor) {
  StaticShape shape;
  const auto& refiner = scope.impl()->*Refiner();
  auto* c = refiner ? refiner->GetContext(tensor.node()) : nullptr;
  if (!c || !c->RankKnown(c->output(tensor.index()))) return shape;
  shape.known = true;
  const auto handle = c->output(tensor.index());
  for (int k = 0; k < c->Rank(handle); ++k) shape.dims.push_back(c->Value(c->Dim(handle, k)));
  return shape;
}

// As Python calls it.
std::string NameOf(DataType dtype) {
  switch (dtype) {
    case tensorflow::DT_HALF:
      return "float16";
    case tensorflow::DT_FLOAT:
      return "float32";
    case tensorflow::DT_DOUBLE:
      return "float64";
    default:
      return tensorflow::DataTypeString(dtype);
  }
}

bool IsDifferentiable(DataType dtype) {
  return tensorflow::DataTypeIsFloating(dtype) || tensorflow::DataTypeIsComplex(dtype);
}

class Player {
 public:
  Player(const Scope& scope, const Operation& forward, const std::vector<Output>& d_outputs)
      : scope_(scope), forward_(forward), d_outputs_(d_outputs) {}

  absl::Status Play(const tensorflow::GraphDef& recording, std::vector<Output>* d_inputs) {
    const int calls = recording.node_size() - 1;
    for (int k = 0; k < calls; ++k) {
      Node* node = nullptr;
      const absl::Status status = Call(recording.node(k), &node);
      if (!status.ok()) return status;
      results_.push_back(node);
    }
    d_inputs->clear();
    for (const std::string& text : recording.node(calls).input()) {
      Output& d_input = d_inputs->emplace_back();
      absl::Status status = Find(text, &d_input);
      if (status.ok()) status = Check(static_cast<int>(d_inputs->size()) - 1, d_input);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  // The tensor of this name in the recording.
  absl::Status Find(const std::string& text, Output* tensor) {
    *tensor = tensorflow::NoGradient();
    if (text.empty()) return absl::OkStatus();
    const size_t colon = text.find(':');
    const std::string source = text.substr(0, colon);
    const int index = std::stoi(text.substr(colon + 1));
    if (source == "d_output") return FindDOutput(index, tensor);
    if (source == "input") {
      *tensor = forward_.input(index);
    } else if (source == "output") {
      *tensor = forward_.output(index);
    } else {
      Node* node = results_.at(std::stoul(source));
      if (index >= node->num_outputs()) {
        return absl::InternalError("Gradient uses a tensor that does not exist: result " +
                                   std::to_string(index) + " of " + node->type_string() +
                                   ", which has " + std::to_string(node->num_outputs()));
      }
      *tensor = Output(node, index);
    }
    return absl::OkStatus();
  }

  absl::Status FindDOutput(int index, Output* tensor) {
    const DataType dtype = forward_.output_type(index);
    const std::string output = "output " + std::to_string(index);
    if (!IsDifferentiable(dtype)) {
      return absl::InternalError(output + " is " + NameOf(dtype) +
                                 ", which has no gradient; Gradient must not ask for its d_output");
    }
    const size_t at = static_cast<size_t>(index);
    if (at < d_outputs_.size() && d_outputs_[at].node()) {
      *tensor = d_outputs_[at];
      const DataType given = tensorflow::BaseType(tensor->type());
      if (given == dtype) return absl::OkStatus();
      return absl::InvalidArgumentError("the gradient of " + output + " is given as " +
                                        NameOf(given) + ", the output is " + NameOf(dtype) +
                                        "; give dx of TF_AddGradients the dtype of y");
    }
    Node* node = nullptr;
    NodeDef zeros;
    zeros.set_op("ZerosLike");
    zeros.add_input("output:" + std::to_string(index));
    const absl::Status status = Call(zeros, &node);
    if (!status.ok()) return status;
    *tensor = Output(node, 0);
    return absl::OkStatus();
  }

  absl::Status Call(const NodeDef& call, Node** node) {
    const OpDef* def = nullptr;
    absl::Status status = tensorflow::OpRegistry::Global()->LookUpOpDef(call.op(), &def);
    if (!status.ok()) return status;
    NodeBuilder builder(scope_.GetUniqueNameForOp(call.op()), def);
    status = AddInputs(call, &builder);
    if (!status.ok()) return status;
    for (const auto& [name, value] : call.attr()) builder.Attr(name, value);
    scope_.UpdateBuilder(&builder);
    status = builder.Finalize(scope_.graph(), node);
    if (status.ok()) {
      status = scope_.DoShapeInference(*node);
      // A graph with such a node could be written out, and not be read again.
      if (!status.ok()) scope_.graph()->RemoveNode(*node);
    }
    if (status.ok()) return status;
    return absl::Status(status.code(),
                        "its call of " + call.op() + ": " + std::string(status.message()));
  }

  absl::Status AddInputs(const NodeDef& call, NodeBuilder* builder) {
    std::vector<NodeBuilder::NodeOut> list;
    bool in_list = false;
    for (const std::string& text : call.input()) {
      if (text == "[" || text == "]") {
        if (in_list) builder->Input(list);
        list.clear();
        in_list = !in_list;
        continue;
      }
      Output tensor;
      const absl::Status status = Find(text, &tensor);
      if (!status.ok()) return status;
      const NodeBuilder::NodeOut input(tensor.node(), tensor.index());
      if (in_list) {
        list.push_back(input);
      } else {
        builder->Input(input);
      }
    }
    return absl::OkStatus();
  }

  // A gradient has its input's dtype and shape. What has not would be noticed far from here.
  absl::Status Check(int i, const Output& d_input) const {
    if (!d_input.node()) return absl::OkStatus();
    const DataType dtype = tensorflow::BaseType(d_input.type());
    const StaticShape shape = ShapeOf(scope_, d_input), own = ShapeOf(scope_, forward_.input(i));
    if (dtype == forward_.input_type(i) && shape.CompatibleWith(own)) return absl::OkStatus();
    return absl::InternalError(
        "that of input tensor " + std::to_string(i) + " is " + NameOf(dtype) + " " + shape.Text() +
        ", the input " + NameOf(forward_.input_type(i)) + " " + own.Text() +
        "; in Gradient, d_input must be of the input's dtype and shape (a sum may be missing after "
        "a product that broadcasts)");
  }

  const Scope& scope_;
  const Operation& forward_;
  const std::vector<Output>& d_outputs_;
  std::vector<Node*> results_;  // by call
};

absl::Status Differentiate(const Scope& scope, const Operation& forward,
                           const std::vector<Output>& d_outputs, std::vector<Output>* d_inputs) {
  const Op* op = FindOp(forward.node()->type_string());
  if (!op) return absl::InternalError(forward.node()->type_string() + " is not an op of opwright");
  if (!op->table->gradient) {
    return absl::UnimplementedError(op->name + " has no gradient: " + op->no_gradient);
  }
  NodeDef node = forward.node()->def();
  tensorflow::AddDefaultsToNodeDef(op->def, &node);
  // All that can be: which of them are asked for is not told, and a run leaves out the rest.
  std::vector<uint8_t> needed;
  for (int i = 0; i < forward.num_inputs(); ++i) {
    needed.push_back(IsDifferentiable(forward.input_type(i)));
  }
  // Nothing is, as of integers: an op's Gradient is not asked, in Python neither.
  if (std::count(needed.begin(), needed.end(), 1) == 0) {
    d_inputs->assign(needed.size(), tensorflow::NoGradient());
    return absl::OkStatus();
  }
  tensorflow::GraphDef recording;
  absl::Status status = RecordGradient(node, needed.data(), &recording);
  const bool recorded = status.ok();
  if (recorded) status = Player(scope, forward, d_outputs).Play(recording, d_inputs);
  if (status.ok()) return status;
  // What the recorder says begins with the op's name.
  return absl::Status(status.code(), "gradient of " + (recorded ? op->name + ": " : "") +
                                         std::string(status.message()));
}

// The registry takes a plain function, so there is one for all ops, which finds its op by name.
absl::Status Gradient(const Scope& scope, const Operation& forward,
                      const std::vector<Output>& d_outputs,
                      std::vector<Output>* d_inputs) noexcept {
  try {
    return Differentiate(scope, forward, d_outputs, d_inputs);
  } catch (...) {
    return absl::InternalError("gradient of " + forward.node()->type_string() + ": " +
                               WhatIsThrown());
  }
}

}  // namespace

void RegisterCcGradient(const Op& op) {
  static std::mutex* mutex = new std::mutex;  // the registry has none
  const std::lock_guard<std::mutex> lock(*mutex);
  auto* registry = tensorflow::ops::GradOpRegistry::Global();
  tensorflow::ops::GradFunc present = nullptr;
  // A gradient that is there stays: it is the author's own, and a second one ends the process.
  if (!registry->Lookup(op.name, &present).ok()) registry->Register(op.name, &Gradient);
}

}  // namespace opwright::bridge
