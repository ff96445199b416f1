#include "opwright/testing/library.h"

#include <dlfcn.h>

#include <algorithm>

namespace opwright OPWRIGHT_HIDDEN {
namespace testing {

const Library& Library::Linked() {
  static const Library library(opwright_init(nullptr), "this program");
  return library;
}

Library Library::Open(const std::string& file) {
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* reason = dlerror();
    throw Error(Code::kNotFound, "the op library ", file,
                " does not open: ", reason ? reason : "no reason is known");
  }
  const auto init = reinterpret_cast<OpwrightInit>(dlsym(handle, OPWRIGHT_INIT_NAME));
  if (!init) {
    throw Error(Code::kInvalidArgument, file,
                " is not an op library: it exports no " OPWRIGHT_INIT_NAME);
  }
  return Library(init(nullptr), file);
}

Library::Library(const OpwrightLibrary* table, std::string what)
    : table_(table), what_(std::move(what)) {
  if (table_->major != OPWRIGHT_ABI_MAJOR) {
    throw Error(Code::kFailedPrecondition, what_, " has ABI ", int{table_->major}, ".",
                int{table_->minor}, ", and this runner ", OPWRIGHT_ABI_MAJOR, ".",
                OPWRIGHT_ABI_MINOR, ": build both with one opwright");
  }
  for (const OpwrightOp* op = table_->ops; op; op = op->next) {
    ops_.push_back({op, ParseDeclaration(op->declaration)});
  }
  std::sort(ops_.begin(), ops_.end(),
            [](const Entry& a, const Entry& b) { return a.declaration.name < b.declaration.name; });
}

const Library::Entry* Library::Find(const std::string& op) const {
  for (const Entry& entry : ops_) {
    if (entry.declaration.name == op) return &entry;
  }
  return nullptr;
}

const Library::Entry& Library::Get(const std::string& op) const {
  if (const Entry* entry = Find(op)) return *entry;
  std::string names;
  for (const Entry& entry : ops_) names += (names.empty() ? "" : ", ") + entry.declaration.name;
  throw Error(Code::kNotFound, "there is no op ", op, " in ", what_, "; it has ",
              names.empty() ? "none" : names);
}

const OpwrightKernel* Library::FindKernel(const std::string& op, const std::string& device,
                                          const std::vector<DType>& types) const {
  for (const OpwrightKernel* kernel = table_->kernels; kernel; kernel = kernel->next) {
    if (op != kernel->op || device != kernel->device) continue;
    if (std::equal(types.begin(), types.end(), kernel->dtypes, kernel->dtypes + kernel->n_dtypes,
                   [](DType a, int32_t b) { return static_cast<int32_t>(a) == b; })) {
      return kernel;
    }
  }
  return nullptr;
}

}  // namespace testing
}  // namespace opwright
