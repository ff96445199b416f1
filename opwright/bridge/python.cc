#include <dlfcn.h>

#include <string>

#include "opwright/bridge/bridge.h"
#include "opwright_gradients_py.h"

// TensorFlow's Python keeps gradients in a registry of its own, and registers none for a library
// that is plainly loaded. If this process is a Python with TensorFlow, the bridge does it itself.
// CPython is found by name at run time: no library of opwright has a CPython symbol.

namespace opwright::bridge {
namespace {

// Makes gradients.py a module, the first time, and calls it.
constexpr char kRegister[] = R"(
import sys, types
if 'tensorflow' in sys.modules:
    name = '_opwright_gradients'
    module = sys.modules.get(name)
    if module is None:
        module = types.ModuleType(name)
        module.bridge_file = bridge_file
        exec(compile(source, '<opwright gradients.py>', 'exec'), module.__dict__)
        sys.modules[name] = module
    module.register(op_list)
)";

std::string Hex(const std::string& bytes) {
  static const char digits[] = "0123456789abcdef";
  std::string hex;
  for (const char c : bytes) {
    hex += digits[static_cast<unsigned char>(c) >> 4];
    hex += digits[static_cast<unsigned char>(c) & 15];
  }
  return hex;
}

// A Python string literal of any bytes.
std::string Literal(const std::string& text) {
  return "bytes.fromhex('" + Hex(text) + "').decode()";
}

template <typename F>
F Symbol(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name));
}

std::string OwnFile() {
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&RegisterPythonGradients), &info);
  return info.dli_fname ? info.dli_fname : "";
}

}  // namespace

std::string RegisterPythonGradients(const std::vector<const Op*>& ops) {
  if (ops.empty()) return "";
  const auto is_initialized = Symbol<int (*)()>("Py_IsInitialized");
  const auto ensure = Symbol<int (*)()>("PyGILState_Ensure");
  const auto release = Symbol<void (*)(int)>("PyGILState_Release");
  const auto run = Symbol<int (*)(const char*)>("PyRun_SimpleString");
  if (!is_initialized || !ensure || !release || !run || !is_initialized()) return "";

  std::string list;
  for (const Op* op : ops) {
    const bool has_gradient = op->table->gradient != nullptr;
    list +=
        "(" + Literal(op->name) + ", " + (has_gradient ? "None" : Literal(op->no_gradient)) + "), ";
  }
  // One expression in a dictionary of its own, which leaves no name behind in __main__.
  const std::string code = "exec(" + Literal(kRegister) + ", {'source': " + Literal(kGradientsPy) +
                           ", 'bridge_file': " + Literal(OwnFile()) + ", 'op_list': [" + list +
                           "]})\n";
  const int state = ensure();
  const int failed = run(code.c_str());
  release(state);
  return failed ? "the gradients could not be registered in Python; the reason is printed above"
                : "";
}

}  // namespace opwright::bridge
