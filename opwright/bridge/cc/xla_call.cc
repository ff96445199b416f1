#include "opwright/bridge/cc/xla_call.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "absl/strings/escaping.h"
#include "opwright/bridge/cc/pool.h"
#include "opwright/bridge/create.h"
#include "opwright/bridge/phase.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/lib/strings/proto_serialization.h"
#include "tensorflow/core/util/determinism.h"

namespace opwright::bridge {
namespace {

using tensorflow::AttrValue;
using tensorflow::NodeDef;

// Beside the op's own attributes, whose names begin with a letter.
constexpr char kInputs[] = "_inputs", kOutputs[] = "_outputs";

// A call that has been read. Immutable, so that any number of threads may run it.
class Call {
 public:
  static absl::Status Parse(std::string_view text, std::shared_ptr<const Call>* result) {
    auto call = std::make_shared<Call>();
    const absl::Status status = call->Read(text);
    if (status.ok()) *result = std::move(call);
    return status;
  }

  absl::Status Run(void* const* inputs, void* const* outputs) const;

  // What Shape says of an output before a run is what the program was compiled with.
  absl::Status CheckOutput(int32_t index, bool again, int32_t rank, const int64_t* dims) const;

 private:
  absl::Status Read(std::string_view text);
  static bool FillTensors(const NodeDef& node, const char* shapes_name,
                          const tensorflow::DataTypeVector& dtypes, std::vector<Dims>* dims,
                          std::vector<OpwrightTensor>* tensors);

  const Op* op_ = nullptr;
  Layout layout_;
  const OpwrightKernel* kernel_ = nullptr;
  Instance self_;
  std::vector<Dims> dims_;
  std::vector<OpwrightTensor> inputs_, outputs_;  // without data
};

bool Call::FillTensors(const NodeDef& node, const char* shapes_name,
                       const tensorflow::DataTypeVector& dtypes, std::vector<Dims>* dims,
                       std::vector<OpwrightTensor>* tensors) {
  const auto found = node.attr().find(shapes_name);
  if (found == node.attr().end()) return false;
  const AttrValue& shapes = found->second;
  if (static_cast<size_t>(shapes.list().shape_size()) != dtypes.size()) return false;
  for (size_t i = 0; i < dtypes.size(); ++i) {
    Dims& sizes = dims->emplace_back();
    OpwrightTensor& t = tensors->emplace_back();
    t = {};
    t.size = sizeof t;
    t.dtype = dtypes[i];
    t.elements = 1;
    for (const auto& dim : shapes.list().shape(static_cast<int>(i)).dim()) {
      sizes.push_back(dim.size());
      t.elements *= dim.size();
    }
    t.rank = static_cast<int32_t>(sizes.size());
    t.dims = sizes.data();  // stays where it is when the vector of vectors grows
  }
  return true;
}

absl::Status Call::Read(std::string_view text) {
  const size_t space = text.find(' ');
  std::string bytes;
  NodeDef node;
  if (space == text.npos || !absl::Base64Unescape(text.substr(space + 1), &bytes) ||
      !node.ParseFromString(bytes)) {
    return absl::InternalError("opwright: a compiled program has a call that cannot be read");
  }
  op_ = FindOp(node.op());
  if (!op_) {
    return absl::FailedPreconditionError(
        "a compiled program calls the op " + node.op() +
        ", which this process does not have: load its library (opwright.load)");
  }
  tensorflow::DataTypeVector input_types, output_types;
  absl::Status status = tensorflow::InOutTypesForNode(node, op_->def, &input_types, &output_types);
  if (status.ok()) status = MakeLayout(*op_, node, &layout_);
  if (!status.ok()) return Explain(*op_, "", status);
  kernel_ = FindCpuKernel(*op_, node);
  if (!kernel_ || !FillTensors(node, kInputs, input_types, &dims_, &inputs_) ||
      !FillTensors(node, kOutputs, output_types, &dims_, &outputs_)) {
    return Explain(*op_, "",
                   absl::FailedPreconditionError("the compiled program is of another build of the "
                                                 "op library; compile it again, without what "
                                                 "TensorFlow has kept on disk"));
  }
  self_ = Create(*op_, node, layout_, &status);
  return status;
}

// ---- a run --------------------------------------------------------------------------------------

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

struct CallPhase : Phase {
  CallPhase(const Call& which, size_t n_outputs) : call(which), set(n_outputs) {}

  const Call& call;
  std::vector<bool> set;  // by output
  std::vector<std::unique_ptr<void, Free>> scratch;
};

void SetOutput(CallPhase& phase, int32_t index, int32_t rank, const int64_t* dims) {
  const size_t at = static_cast<size_t>(index);
  phase.Fail(phase.call.CheckOutput(index, phase.set[at], rank, dims));
  phase.set[at] = true;
}

// Of tensors and of scratch memory, as everywhere in TensorFlow.
constexpr size_t kAlignment = 64;

void* Scratch(CallPhase& phase, int64_t bytes) {
  const size_t whole = (static_cast<size_t>(bytes) + kAlignment - 1) / kAlignment * kAlignment;
  void* memory = std::aligned_alloc(kAlignment, whole);
  if (!memory) {
    phase.Fail(absl::ResourceExhaustedError("scratch memory of " + std::to_string(bytes) +
                                            " bytes could not be allocated"));
    return nullptr;
  }
  phase.scratch.emplace_back(memory);
  return memory;
}

size_t BytesOf(const OpwrightTensor& t) {
  return static_cast<size_t>(t.elements) *
         static_cast<size_t>(tensorflow::DataTypeSize(static_cast<tensorflow::DataType>(t.dtype)));
}

bool IsAligned(const void* data) { return reinterpret_cast<uintptr_t>(data) % kAlignment == 0; }

// The buffer, or where it is not aligned other memory: up to TensorFlow 2.18, XLA's are aligned to
// 16 bytes. Null after a failure.
void* AlignedBuffer(CallPhase& phase, const OpwrightTensor& t, void* buffer) {
  return IsAligned(buffer) || t.elements == 0 ? buffer
                                              : Scratch(phase, static_cast<int64_t>(BytesOf(t)));
}

constexpr OpwrightApi MakeApi() {
  OpwrightApi api = {};
  api.size = sizeof api;
  api.fail = &FailPhase;
  api.set_output = [](OpwrightContext* c, int32_t index, int32_t rank, const int64_t* dims) {
    Guard<CallPhase>(c, 0,
                     [&](CallPhase& phase) { return SetOutput(phase, index, rank, dims), 0; });
  };
  api.parallel_for = [](OpwrightContext*, int64_t n, int64_t cost,
                        void (*body)(void*, int64_t, int64_t),
                        void* arg) { ParallelForInPool(n, cost, body, arg); };
  api.scratch = [](OpwrightContext* c, int64_t bytes) {
    return Guard<CallPhase>(c, static_cast<void*>(nullptr),
                            [&](CallPhase& phase) { return Scratch(phase, bytes); });
  };
  api.deterministic = [](OpwrightContext*) { return int32_t{tensorflow::OpDeterminismRequired()}; };
  return api;
}
constexpr OpwrightApi kApi = MakeApi();

absl::Status Call::Run(void* const* inputs, void* const* outputs) const {
  std::vector<OpwrightTensor> from = inputs_, to = outputs_;
  CallPhase phase(*this, outputs_.size());
  for (size_t i = 0; i < from.size() && phase.status.ok(); ++i) {
    from[i].data = AlignedBuffer(phase, from[i], inputs[i]);
    if (from[i].data != inputs[i] && phase.status.ok())
      std::memcpy(from[i].data, inputs[i], BytesOf(from[i]));
  }
  for (size_t i = 0; i < to.size() && phase.status.ok(); ++i) {
    to[i].data = AlignedBuffer(phase, to[i], outputs[i]);
  }
  if (!phase.status.ok()) return Explain(*op_, InputList(*op_, layout_, from.data()), phase.status);
  OpwrightContext context = MakeContext(*op_, kApi, &phase, layout_, OPWRIGHT_RUNNING);
  context.inputs = from.data();
  context.outputs = to.data();
  // As before any run: a kernel never sees what Shape refuses, also when the program was compiled
  // by another process, with another build of the library.
  op_->table->shape(self_.get(), &context);
  for (size_t i = 0; i < phase.set.size() && phase.status.ok(); ++i) {
    if (!phase.set[i]) phase.Fail(BadOutput(*op_, layout_, static_cast<int>(i), "does not set"));
  }
  if (phase.status.ok()) kernel_->compute(self_.get(), &context);
  for (size_t i = 0; i < to.size(); ++i) {
    if (to[i].data != outputs[i]) std::memcpy(outputs[i], to[i].data, BytesOf(to[i]));
  }
  if (phase.status.ok()) return phase.status;
  return Explain(*op_, InputList(*op_, layout_, from.data()), phase.status);
}

absl::Status Call::CheckOutput(int32_t index, bool again, int32_t rank, const int64_t* dims) const {
  tensorflow::TensorShape shape;
  const absl::Status status = MakeOutputShape(*op_, layout_, index, again, rank, dims, &shape);
  if (!status.ok()) return status;
  const OpwrightTensor& compiled = outputs_[static_cast<size_t>(index)];
  const auto given = absl::MakeConstSpan(dims, static_cast<size_t>(rank));
  const absl::Span<const int64_t> expected(compiled.dims, static_cast<size_t>(compiled.rank));
  if (given == expected) return status;
  return absl::FailedPreconditionError(
      "the program was compiled with output " + TensorName(*op_, layout_.outputs, true, index) +
      " of shape " + ShapeText(expected) + ", the op library now says " + ShapeText(given) +
      ": it was built again; compile the program again, without what TensorFlow has kept on disk");
}

// ---- calls that have been read ------------------------------------------------------------------

// A process may compile any number of programs; those that are running keep their own calls.
constexpr size_t kMaxCalls = 16384;

absl::Status FindCall(std::string_view text, std::shared_ptr<const Call>* call) {
  static auto* mutex = new std::mutex;
  static auto* calls = new std::unordered_map<std::string, std::shared_ptr<const Call>>;
  {
    std::lock_guard<std::mutex> lock(*mutex);
    const auto it = calls->find(std::string(text));
    if (it != calls->end()) {
      *call = it->second;
      return absl::OkStatus();
    }
  }
  const absl::Status status = Call::Parse(text, call);
  if (!status.ok()) return status;
  std::lock_guard<std::mutex> lock(*mutex);
  if (calls->size() >= kMaxCalls) calls->erase(calls->begin());
  calls->emplace(std::string(text), *call);
  return absl::OkStatus();
}

void AddShapes(const std::vector<Dims>& shapes, AttrValue* value) {
  value->mutable_list();
  for (const Dims& dims : shapes) {
    auto* shape = value->mutable_list()->add_shape();
    for (int64_t dim : dims) shape->add_dim()->set_size(dim);
  }
}

}  // namespace

const OpwrightKernel* FindCpuKernel(const Op& op, const NodeDef& node) {
  for (const OpwrightKernel* kernel : op.cpu_kernels) {
    bool match = true;
    for (size_t i = 0; i < op.kernel_attrs.size() && match; ++i) {
      const auto attr = node.attr().find(op.kernel_attrs[i]);
      match = attr != node.attr().end() &&
              static_cast<int32_t>(attr->second.type()) == kernel->dtypes[i];
    }
    if (match) return kernel;
  }
  return nullptr;
}

std::string EncodeXlaCall(const NodeDef& node, const std::vector<Dims>& inputs,
                          const std::vector<Dims>& outputs) {
  NodeDef all = node;
  AddShapes(inputs, &(*all.mutable_attr())[kInputs]);
  AddShapes(outputs, &(*all.mutable_attr())[kOutputs]);
  std::string bytes;
  tensorflow::SerializeToStringDeterministic(all, &bytes);
  // The name once more, for those who read a program.
  return node.op() + " " + absl::Base64Escape(bytes);
}

absl::Status RunXlaCall(std::string_view text, void* const* inputs, void* const* outputs) {
  try {
    std::shared_ptr<const Call> call;
    const absl::Status status = FindCall(text, &call);
    return status.ok() ? call->Run(inputs, outputs) : status;
  } catch (...) {
    return absl::InternalError(WhatIsThrown());
  }
}

}  // namespace opwright::bridge
