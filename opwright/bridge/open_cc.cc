#include <dlfcn.h>

#include <cstdio>
#include <string>

#include "opwright/bridge/bridge.h"
#include "opwright/op/version.h"

namespace opwright::bridge {
namespace {

// Where the first library is, the second lies beside it.
std::string CcFile() {
  const std::string own = FileOf(reinterpret_cast<const void*>(&RegisterInCc));
  return own.substr(0, own.find_last_of('/') + 1) + "libopwright_bridge_cc_tf2." +
         std::to_string(OPWRIGHT_TF_MINOR) + ".so";
}

// The ops work without it, so this does not stop anybody.
const CcLibrary* Miss(const std::string& why) {
  std::fprintf(stderr,
               "opwright: jit_compile=True and C++ gradients do not know the ops, because %s; "
               "`opwright bridge` builds both libraries of the bridge\n",
               why.c_str());
  return nullptr;
}

// Null in a process that has libtensorflow_framework alone, where nothing could use it.
const CcLibrary* Open() {
  if (!dlopen("libtensorflow_cc.so.2", RTLD_NOW | RTLD_NOLOAD)) return nullptr;
  const std::string file = CcFile();
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return Miss(dlerror());
  const auto* library = static_cast<const CcLibrary*>(dlsym(handle, "opwright_cc"));
  if (!library || std::string(library->version) != OPWRIGHT_VERSION ||
      library->size_of_op != sizeof(Op)) {
    return Miss(file + " is of another opwright than the library beside it");
  }
  return library;
}

}  // namespace

std::string RegisterInCc(const std::vector<const Op*>& ops) {
  if (ops.empty()) return "";
  static const CcLibrary* const library = Open();
  std::string why;
  if (library) library->attach(ops.data(), ops.size(), &why);
  return why;
}

}  // namespace opwright::bridge
