#include <dlfcn.h>

#include <cstdio>
#include <string>

#include "opwright/bridge/bridge.h"

namespace opwright::bridge {
namespace {

// Where the first library is, the second lies beside it.
std::string CcFile() {
  Dl_info self{};
  dladdr(reinterpret_cast<const void*>(&RegisterInCc), &self);
  const std::string own = self.dli_fname ? self.dli_fname : "";
  return own.substr(0, own.find_last_of('/') + 1) + "libopwright_bridge_cc_tf2." +
         std::to_string(OPWRIGHT_TF_MINOR) + ".so";
}

// Null in a process that has libtensorflow_framework alone, where nothing could use it.
CcAttach Open() {
  if (!dlopen("libtensorflow_cc.so.2", RTLD_NOW | RTLD_NOLOAD)) return nullptr;
  void* handle = dlopen(CcFile().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    // The ops work without it, so this does not stop anybody.
    std::fprintf(stderr,
                 "opwright: jit_compile=True and C++ gradients of ops are missing, because %s; "
                 "`opwright bridge` builds that library\n",
                 dlerror());
    return nullptr;
  }
  return reinterpret_cast<CcAttach>(dlsym(handle, "opwright_cc_attach"));
}

}  // namespace

std::string RegisterInCc(const std::vector<const Op*>& ops) {
  if (ops.empty()) return "";
  static const CcAttach attach = Open();
  std::string why;
  if (attach) attach(ops.data(), ops.size(), &why);
  return why;
}

}  // namespace opwright::bridge
