#include <dlfcn.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "absl/status/status.h"
#include "opwright/bridge/bridge.h"
#include "opwright/bridge/phase.h"
#include "opwright/bridge/shape.h"
#include "opwright/op/dtype.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_def_builder.h"
#include "tensorflow/core/framework/op_def_util.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/platform/fingerprint.h"

namespace opwright::bridge {
namespace {

using tensorflow::OpRegistrationData;
using tensorflow::OpRegistry;

std::mutex& Mutex() {
  static std::mutex* mutex = new std::mutex;
  return *mutex;
}
std::unordered_map<std::string, std::unique_ptr<Op>>& Ops() {
  static auto* ops = new std::unordered_map<std::string, std::unique_ptr<Op>>;
  return *ops;
}

// Of a file's bytes, as they are now; 0 if it cannot be read. A later build may take its place.
uint64_t Fingerprint(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return 0;
  const std::string bytes((std::istreambuf_iterator<char>(stream)),
                          std::istreambuf_iterator<char>());
  return tensorflow::Fingerprint64(bytes);
}

// Reads the lines of a declaration into op and builder; returns a sentence if that fails.
std::string ReadDeclaration(const char* text, Op* op, tensorflow::OpDefBuilder* builder) {
  const auto add_input = [&](const std::string& spec, bool host, bool value) {
    builder->Input(spec);
    op->host_inputs.push_back(host);
    op->value_inputs.push_back(value);
  };
  for (const char* line = text; *line;) {
    const char* end = line;
    while (*end && *end != '\n') ++end;
    const std::string all(line, end);
    line = *end ? end + 1 : end;
    const size_t space = all.find(' ');
    const std::string key = all.substr(0, space);
    const std::string rest = space == std::string::npos ? "" : all.substr(space + 1);
    if (key == "opwright" || key == "abi" || key == "compiler" || key == "op" || key == "device" ||
        key == "gradient") {
      continue;  // for readers of the file, or known from the table
    } else if (key == "type_attr") {
      builder->Attr(rest);
      op->kernel_attrs.push_back(rest.substr(0, rest.find(':')));
    } else if (key == "attr") {
      builder->Attr(rest);
    } else if (key == "input" || key == "optional_input") {
      add_input(rest, false, false);
    } else if (key == "host_input") {
      add_input(rest, true, false);
    } else if (key == "shape_value") {
      add_input(rest, true, true);
    } else if (key == "output") {
      builder->Output(rest);
    } else if (key == "forward") {
      int from = 0, to = 0;
      if (std::sscanf(rest.c_str(), "%d %d", &from, &to) != 2) {
        return "its declaration has the line '" + all + "'; the library is damaged";
      }
      op->forwards.emplace_back(from, to);
    } else if (key == "stateful") {
      builder->SetIsStateful();
    } else if (key == "no_gradient") {
      op->no_gradient = rest;
    } else {
      return "its declaration has the line '" + all +
             "', which this bridge does not know; install an opwright at least as new as the op "
             "library's";
    }
  }
  return "";
}

bool TableComplete(const OpwrightOp& op) {
  return OPWRIGHT_HAS(op, gradient) && OPWRIGHT_HAS(op, next) && op.name && op.declaration &&
         op.create && op.destroy && op.shape;
}

// Finds the kernels of an op whose declaration has been read. Empty, or what is wrong with them.
std::string FindKernels(Op* op) {
  for (const OpwrightKernel* kernel = op->library->kernels; kernel; kernel = kernel->next) {
    if (!OPWRIGHT_HAS(*kernel, next) || !kernel->op || !kernel->device || !kernel->compute ||
        (kernel->n_dtypes > 0 && !kernel->dtypes)) {
      return "a kernel's table is incomplete; the library is damaged";
    }
    if (op->name != kernel->op) continue;
    if (static_cast<size_t>(kernel->n_dtypes) != op->kernel_attrs.size()) {
      return "a kernel has " + std::to_string(kernel->n_dtypes) + " dtypes, the declaration " +
             std::to_string(op->kernel_attrs.size()) + " type attributes; the library is damaged";
    }
    for (int32_t i = 0; i < kernel->n_dtypes; ++i) {
      if (SizeOf(static_cast<DType>(kernel->dtypes[i])) > 0) continue;
      return "a kernel is for dtype " + std::to_string(kernel->dtypes[i]) +
             ", which this bridge does not know; install a newer opwright beside TensorFlow";
    }
    if (std::string(kernel->device) == tensorflow::DEVICE_CPU) op->cpu_kernels.push_back(kernel);
  }
  return "";
}

std::string CheckForwards(const Op& op) {
  for (const auto& [from, to] : op.forwards) {
    if (from >= 0 && from < op.def.input_arg_size() && to >= 0 && to < op.def.output_arg_size() &&
        !IsList(op.def.input_arg(from)) && !IsList(op.def.output_arg(to))) {
      continue;
    }
    return "its declaration forwards input " + std::to_string(from) + " to output " +
           std::to_string(to) + "; the library is damaged";
  }
  return "";
}

// Registers one op; null and a sentence if that fails.
const Op* AddOp(const OpwrightLibrary& library, const OpwrightOp& table, std::string* why) {
  if (!TableComplete(table)) {
    *why = "an op's table is incomplete; the library is damaged";
    return nullptr;
  }
  auto op = std::make_unique<Op>();
  op->library = &library;
  op->table = &table;
  op->name = table.name;
  op->library_file = FileOf(&library);
  op->fingerprint = Fingerprint(op->library_file);

  tensorflow::OpDefBuilder builder(op->name);
  *why = ReadDeclaration(table.declaration, op.get(), &builder);
  if (!why->empty()) return nullptr;
  // What help() of its function begins with.
  builder.Doc("The op " + op->name + " of " +
              op->library_file.substr(op->library_file.find_last_of('/') + 1) + ".");
  OpRegistrationData data;
  // A definition that TensorFlow refuses at registration would end the process: ask before.
  absl::Status status = builder.Finalize(&data);
  if (status.ok()) status = tensorflow::ValidateOpDef(data.op_def);
  if (!status.ok()) {
    *why = "TensorFlow does not accept its declaration: " + std::string(status.message());
    return nullptr;
  }
  op->def = data.op_def;
  *why = FindKernels(op.get());
  if (why->empty()) *why = CheckForwards(*op);
  if (!why->empty()) return nullptr;

  const Op* added = op.get();
  Ops()[op->name] = std::move(op);
  OpRegistry::Global()->Register([added](OpRegistrationData* registration) {
    registration->op_def = added->def;
    registration->shape_inference_fn = [added](tensorflow::shape_inference::InferenceContext* c) {
      return InferShapes(*added, c);
    };
    return absl::OkStatus();
  });
  RegisterKernels(*added);
  return added;
}

// An op of this name is there already. Empty if that is as it should be.
std::string Conflict(const OpwrightLibrary& library, const OpwrightOp& table, const Op& present) {
  if (present.table == &table) return "";
  if (present.library == &library) return "two ops of the library have the name " + present.name;
  const std::string file = FileOf(&library);
  const uint64_t fingerprint = Fingerprint(file);
  if (fingerprint != 0 && fingerprint == present.fingerprint) return "";
  if (file == present.library_file || Fingerprint(present.library_file) != present.fingerprint) {
    return "op " + present.name + " is already registered by " + present.library_file +
           ", which was built again since; a process keeps what it has opened, so start Python "
           "again";
  }
  return "op " + present.name + " is already registered by another library, " +
         present.library_file +
         "; load only one of the two, or give one op another name with "
         "Declare().Name(\"MyProject>" +
         present.name + "\")";
}

int32_t Attach(const OpwrightLibrary* library, std::string* why) {
  if (!library || !OPWRIGHT_HAS(*library, minor)) {
    *why = "the library offers no table; it is damaged";
    return 0;
  }
  if (library->major != OPWRIGHT_ABI_MAJOR) {
    const bool newer = library->major > OPWRIGHT_ABI_MAJOR;
    *why =
        "the op library was built for version " + std::to_string(library->major) +
        " of opwright's interface, the bridge for version " + std::to_string(OPWRIGHT_ABI_MAJOR) +
        (newer ? "; install a newer opwright beside TensorFlow" : "; build the op library again");
    return 0;
  }
  if (!OPWRIGHT_HAS(*library, kernels)) {
    *why = "the library's table is incomplete; the library is damaged";
    return 0;
  }
  std::vector<const Op*> added;
  std::unique_lock<std::mutex> lock(Mutex());
  for (const OpwrightOp* table = library->ops; table; table = table->next) {
    std::string problem;
    const std::string name = OPWRIGHT_HAS(*table, name) && table->name ? table->name : "?";
    const auto present = Ops().find(name);
    const OpRegistrationData* foreign = nullptr;
    if (present != Ops().end()) {
      problem = Conflict(*library, *table, *present->second);
    } else if (OpRegistry::Global()->LookUp(name, &foreign).ok()) {
      problem = "TensorFlow, or another plugin, already has an op " + name +
                "; give this one another name with Declare().Name(\"MyProject>" + name + "\")";
    } else if (const Op* op = AddOp(*library, *table, &problem)) {
      added.push_back(op);
    } else {
      problem = "op " + name + ": " + problem;
    }
    if (why->empty()) *why = problem;
  }
  lock.unlock();  // whoever holds Python's lock may be waiting for this one
  for (const std::string& problem : {RegisterPythonGradients(added), RegisterInCc(added)}) {
    if (why->empty()) *why = problem;
  }
  return why->empty();
}

}  // namespace

std::string FileOf(const void* address) {
  Dl_info info{};
  dladdr(address, &info);
  return info.dli_fname ? info.dli_fname : "";
}

const Op* FindOp(const std::string& name) {
  std::lock_guard<std::mutex> lock(Mutex());
  const auto it = Ops().find(name);
  return it == Ops().end() ? nullptr : it->second.get();
}

std::string TensorName(const Op& op, absl::Span<const int32_t> begin, bool output, int flat) {
  const auto& args = output ? op.def.output_arg() : op.def.input_arg();
  for (int i = 0; i < args.size(); ++i) {
    const size_t arg = static_cast<size_t>(i);
    if (flat >= begin[arg + 1]) continue;
    return IsList(args[i]) ? args[i].name() + "[" + std::to_string(flat - begin[arg]) + "]"
                           : args[i].name();
  }
  return "?";
}

}  // namespace opwright::bridge

extern "C" __attribute__((visibility("default"))) int32_t opwright_attach(
    const OpwrightLibrary* library, char* message, int32_t message_size) noexcept {
  std::string why;
  int32_t ok = 0;
  try {
    ok = opwright::bridge::Attach(library, &why);
  } catch (...) {
    why = opwright::bridge::WhatIsThrown();
  }
  if (message_size > 0)
    std::snprintf(message, static_cast<size_t>(message_size), "%s", why.c_str());
  return ok;
}

// The names of a library's ops, a line each; for opwright.load. Valid until the thread's next call;
// null without memory.
extern "C" __attribute__((visibility("default"))) const char* opwright_op_names(
    const OpwrightLibrary* library) noexcept {
  thread_local std::string names;
  try {
    names.clear();
    for (const OpwrightOp* op = library->ops; op; op = op->next) {
      names += std::string(op->name) + "\n";
    }
    return names.c_str();
  } catch (...) {
    return nullptr;
  }
}
