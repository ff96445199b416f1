#pragma once

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "opwright/op/abi.h"
#include "opwright/op/version.h"
#include "opwright/op/visibility.h"

// How an op library finds the TensorFlow of its process and the bridge to it. The library itself
// has no TensorFlow symbol, so the same file works with every version that has a bridge.

namespace opwright OPWRIGHT_HIDDEN {
namespace detail {

// The table of this library; OPWRIGHT_OP adds to it.
inline OpwrightLibrary library = {sizeof(OpwrightLibrary),
                                  OPWRIGHT_ABI_MAJOR,
                                  OPWRIGHT_ABI_MINOR,
                                  OPWRIGHT_VERSION,
                                  nullptr,
                                  nullptr};

// Why the ops are not registered; empty if they are.
inline char attach_message[2000] = "";

class Attacher {
 public:
  // Returns whether the ops are registered.
  [[gnu::noinline, gnu::cold]] bool Run() {
    dl_iterate_phdr(&Attacher::Visit, this);
    if (!FindVersion()) {
      return Say("no TensorFlow is loaded in this process");
    }
    snprintf(bridge_, sizeof bridge_, "libopwright_bridge_tf%.*s.so", MinorLength(version_),
             version_);
    void* handle = OpenBridge();
    if (!handle) return Explain();
    const auto attach = reinterpret_cast<OpwrightAttach>(dlsym(handle, OPWRIGHT_ATTACH_NAME));
    if (!attach) return Say("this bridge is of another opwright: ", opened_.c_str());
    return attach(&library, attach_message, sizeof attach_message) != 0;
  }

  bool found_tensorflow() const { return version_ != nullptr; }

 private:
  // Called under the loader's lock: only notes names.
  static int Visit(dl_phdr_info* info, size_t, void* self) {
    const char* path = info->dlpi_name ? info->dlpi_name : "";
    if (strstr(Base(path), "libtensorflow")) {
      static_cast<Attacher*>(self)->tensorflow_.push_back(path);
    }
    if (strstr(Base(path), "libopwright_bridge_tf")) {
      static_cast<Attacher*>(self)->loaded_bridges_.push_back(path);
    }
    return 0;
  }

  // TF_Version is in libtensorflow_cc.so.2; RTLD_DEFAULT does not see it, because Python loads
  // TensorFlow's libraries privately.
  [[gnu::noinline, gnu::cold]] bool FindVersion() {
    for (const std::string& path : tensorflow_) {
      void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
      void* function = handle ? dlsym(handle, "TF_Version") : nullptr;
      if (handle) dlclose(handle);
      if (!function) continue;
      version_ = reinterpret_cast<const char* (*)()>(function)();
      return true;
    }
    return false;
  }

  // Of "2.15.1": the length of "2.15".
  static int MinorLength(const char* version) {
    const char* dot = strchr(version, '.');
    if (!dot) return static_cast<int>(strlen(version));
    return static_cast<int>(dot + 1 - version + static_cast<long>(strspn(dot + 1, "0123456789")));
  }

  [[gnu::noinline, gnu::cold]] void* OpenBridge() {
    for (const std::string& path : loaded_bridges_) {
      if (strcmp(Base(path.c_str()), bridge_) == 0) {
        if (void* handle = Try(path)) return handle;
      }
    }
    const char* chosen = getenv("OPWRIGHT_BRIDGE_DIR");
    if (chosen && *chosen) {
      if (void* handle = Try(std::string(chosen) + "/" + bridge_)) return handle;
    }
    Dl_info self{};
    dladdr(&library, &self);
    if (void* handle = Try(Directory(self.dli_fname ? self.dli_fname : "") + "/" + bridge_))
      return handle;
    for (const std::string& path : tensorflow_) {
      if (void* handle = Try(Directory(path.c_str()) + "/../opwright/lib/" + bridge_))
        return handle;
    }
    return nullptr;
  }

  [[gnu::noinline, gnu::cold]] void* Try(const std::string& path) {
    opened_ = path;
    if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    const char* error = dlerror();
    if (Exists(path)) broken_ = error ? error : path;
    return nullptr;
  }
  static bool Exists(const std::string& path) {
    FILE* file = fopen(path.c_str(), "r");
    if (file) fclose(file);
    return file != nullptr;
  }

  [[gnu::noinline, gnu::cold]] bool Explain() {
    if (!broken_.empty()) {
      snprintf(attach_message, sizeof attach_message,
               "the bridge for TensorFlow %s does not open: %s", version_, broken_.c_str());
      return false;
    }
    snprintf(
        attach_message, sizeof attach_message,
        "no bridge for TensorFlow %s: %s is not in OPWRIGHT_BRIDGE_DIR, beside the op library, or "
        "in the opwright package beside TensorFlow; install opwright there, or build the bridge "
        "with `opwright bridge`",
        version_, bridge_);
    return false;
  }
  static bool Say(const char* text, const char* more = "") {
    snprintf(attach_message, sizeof attach_message, "%s%s", text, more);
    return false;
  }

  static const char* Base(const char* path) {
    const char* slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
  }
  [[gnu::noinline, gnu::cold]] static std::string Directory(const char* path) {
    const char* slash = strrchr(path, '/');
    return slash ? std::string(path, static_cast<size_t>(slash - path)) : std::string(".");
  }

  std::vector<std::string> tensorflow_, loaded_bridges_;
  const char* version_ = nullptr;
  char bridge_[64] = "";
  std::string opened_, broken_;
};

// TensorFlow now points into this library: dlclose must not take it away.
inline void KeepOpen() {
  Dl_info self{};
  if (dladdr(&library, &self) && self.dli_fname) {
    dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
  }
}

inline void ComplainAtLoad(bool found_tensorflow) {
  Dl_info self{};
  dladdr(&library, &self);
  const char* file = self.dli_fname ? self.dli_fname : "an op library";
  if (found_tensorflow) {
    fprintf(stderr, "opwright: the ops of %s are not registered: %s\n", file, attach_message);
  } else if (dlsym(RTLD_DEFAULT, "Py_IsInitialized")) {
    // A C++ program may well run ops without TensorFlow; in Python it is a mistake.
    fprintf(stderr,
            "opwright: %s was opened before TensorFlow, so its ops are not registered yet; import "
            "tensorflow first, or open the library with opwright.load\n",
            file);
  }
}

// Registers the ops unless that is done. at_load: nobody else will tell what is wrong.
[[gnu::noinline, gnu::cold]] inline void Attach(bool at_load) noexcept {
  static std::atomic_flag busy = ATOMIC_FLAG_INIT;
  static bool done = false, tried = false;
  while (busy.test_and_set(std::memory_order_acquire)) {
  }
  if (!done && !(at_load && tried)) {
    tried = true;
    attach_message[0] = '\0';
    try {
      Attacher attacher;
      done = attacher.Run();
      if (done) KeepOpen();
      if (!done && at_load) ComplainAtLoad(attacher.found_tensorflow());
    } catch (...) {
      snprintf(attach_message, sizeof attach_message, "out of memory");
    }
  }
  busy.clear(std::memory_order_release);
}

}  // namespace detail
}  // namespace opwright

// See OpwrightInit in abi.h. Each library has its own, found by dlsym in its handle.
extern "C" __attribute__((visibility("default"), weak, used)) const OpwrightLibrary* opwright_init(
    const char** message) {
  opwright::detail::Attach(false);
  if (message) *message = opwright::detail::attach_message;
  return &opwright::detail::library;
}
