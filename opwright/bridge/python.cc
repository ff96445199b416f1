#include <dlfcn.h>

#include <memory>
#include <string>
#include <utility>

#include "opwright/bridge/bridge.h"
#include "opwright_gradients_py.h"

// TensorFlow's Python keeps gradients in a registry of its own, and registers none for a library
// that is plainly loaded. If this process is a Python with TensorFlow, the bridge does it itself.
//
// It does so while the library is being opened, that is under the loader's lock. So no line of
// Python may run here: the interpreter could turn to another thread, which holds Python's lock and
// waits for the loader's. All that happens is that a function of C goes into TensorFlow's registry;
// gradients.py, which is what it calls, becomes a module when it is first called.
//
// CPython is found by name at run time: no library of opwright has a CPython symbol. What is used
// is its stable interface.

namespace opwright::bridge {
namespace {

using Object = void;

struct MethodDef {  // PyMethodDef
  const char* name;
  Object* (*function)(Object* self, Object* arguments);
  int flags;
  const char* doc;
};
constexpr int kVarArgs = 1;      // METH_VARARGS
constexpr int kFileInput = 257;  // Py_file_input

// The functions of CPython, or nulls.
struct Python {
  template <typename F>
  static void Find(F*& function, const char* name) {
    function = reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
  }
  Python() {
    Find(is_initialized, "Py_IsInitialized");
    Find(has_lock, "PyGILState_Check");
    Find(add_pending_call, "Py_AddPendingCall");
    Find(modules, "PyImport_GetModuleDict");
    Find(new_module, "PyModule_New");
    Find(module_dict, "PyModule_GetDict");
    Find(new_function, "PyCFunction_NewEx");
    Find(new_dict, "PyDict_New");
    Find(get_item, "PyDict_GetItemString");
    Find(set_item, "PyDict_SetItemString");
    Find(get_attr, "PyObject_GetAttrString");
    Find(call, "PyObject_Call");
    Find(type_of, "PyObject_Type");
    Find(new_tuple, "PyTuple_New");
    Find(new_text, "PyUnicode_FromString");
    Find(new_path, "PyUnicode_DecodeFSDefault");
    Find(new_int, "PyLong_FromLong");
    Find(compile, "Py_CompileString");
    Find(run, "PyEval_EvalCode");
    Find(increase, "Py_IncRef");
    Find(decrease, "Py_DecRef");
    Find(clear_error, "PyErr_Clear");
    usable = is_initialized && has_lock && add_pending_call && modules && new_module &&
             module_dict && new_function && new_dict && get_item && set_item && get_attr && call &&
             type_of && new_tuple && new_text && new_path && new_int && compile && run &&
             increase && decrease && clear_error && is_initialized();
  }

  int (*is_initialized)();
  int (*has_lock)();
  int (*add_pending_call)(int (*)(void*), void*);
  Object* (*modules)();  // borrowed, as are get_item and module_dict
  Object* (*new_module)(const char*);
  Object* (*module_dict)(Object*);
  Object* (*new_function)(MethodDef*, Object* self, Object* module);
  Object* (*new_dict)();
  Object* (*get_item)(Object*, const char*);
  int (*set_item)(Object*, const char*, Object*);
  Object* (*get_attr)(Object*, const char*);
  Object* (*call)(Object*, Object*, Object*);
  Object* (*type_of)(Object*);
  Object* (*new_tuple)(long);
  Object* (*new_text)(const char*);
  Object* (*new_path)(const char*);
  Object* (*new_int)(long);
  Object* (*compile)(const char* source, const char* file, int start);
  Object* (*run)(Object* code, Object* globals, Object* locals);
  void (*increase)(Object*);
  void (*decrease)(Object*);
  void (*clear_error)();
  bool usable;
};

const Python& Py() {
  static const Python python;
  return python;
}

// Sets item `name` to `value`, whose reference it takes; null is a failure that came before.
bool Put(Object* dict, const char* name, Object* value) {
  if (!value) return false;
  const bool ok = Py().set_item(dict, name, value) == 0;
  Py().decrease(value);
  return ok;
}

constexpr char kModule[] = "_opwright_gradients";

Object* ModuleDict() {
  Object* module = Py().get_item(Py().modules(), kModule);
  return module ? Py().module_dict(module) : nullptr;
}

// Runs gradients.py in the module, the first time. Two threads may both do so: the second replaces
// equal functions.
bool Start(Object* dict) {
  if (Py().get_item(dict, "gradient")) return true;
  Object* code = Py().compile(kGradientsPy, "<opwright gradients.py>", kFileInput);
  if (!code) return false;
  Object* result = Py().run(code, dict, dict);
  Py().decrease(code);
  if (!result) return false;
  Py().decrease(result);
  return true;
}

// start(): for opwright.load.
Object* CallStart(Object*, Object*) {
  Object* dict = ModuleDict();
  return dict && Start(dict) ? Py().new_int(1) : nullptr;
}

// What the registry has for each op: gradient(op, *d_outputs) of gradients.py.
Object* CallGradient(Object*, Object* arguments) {
  Object* dict = ModuleDict();
  if (!dict || !Start(dict)) return nullptr;
  return Py().call(Py().get_item(dict, "gradient"), arguments, nullptr);
}

MethodDef start_def = {"start", &CallStart, kVarArgs, nullptr};
MethodDef gradient_def = {"opwright_gradient", &CallGradient, kVarArgs, nullptr};

std::string OwnFile() { return FileOf(reinterpret_cast<const void*>(&RegisterPythonGradients)); }

Object* MakeModule() {
  if (Object* dict = ModuleDict()) return dict;
  Object* module = Py().new_module(kModule);
  if (!module || !Put(Py().modules(), kModule, module)) return nullptr;
  Object* dict = Py().module_dict(module);
  const bool ok = Put(dict, "bridge_file", Py().new_path(OwnFile().c_str())) &&
                  Put(dict, "start", Py().new_function(&start_def, nullptr, nullptr));
  return ok ? dict : nullptr;
}

// What TensorFlow shows as the place of a registration when somebody registers a second one.
Object* MakeLocation(const std::string& op) {
  Object* sys = Py().get_item(Py().modules(), "sys");
  Object* example = sys ? Py().get_attr(sys, "implementation") : nullptr;
  Object* type = example ? Py().type_of(example) : nullptr;  // types.SimpleNamespace
  Object* none = Py().new_tuple(0);
  Object* fields = Py().new_dict();
  Object* location = nullptr;
  if (type && none && fields && Put(fields, "name", Py().new_text(op.c_str())) &&
      Put(fields, "filename", Py().new_path(OwnFile().c_str())) &&
      Put(fields, "lineno", Py().new_int(0))) {
    location = Py().call(type, none, fields);
  }
  for (Object* object : {example, type, none, fields}) {
    if (object) Py().decrease(object);
  }
  return location;
}

// As tf.RegisterGradient would, but without running Python. A gradient that is there stays: it is
// the author's own.
bool AddToRegistry(Object* registry, const std::string& op) {
  if (Py().get_item(registry, op.c_str())) return true;
  Object* entry = Py().new_dict();
  const bool ok = entry && Put(entry, "type", Py().new_function(&gradient_def, nullptr, nullptr)) &&
                  Put(entry, "location", MakeLocation(op));
  if (!ok) {
    if (entry) Py().decrease(entry);
    return false;
  }
  return Put(registry, op.c_str(), entry);
}

// With Python's lock. TensorFlow's registry of gradients is a dictionary in an object.
bool Register(const std::vector<std::string>& ops) {
  Object* module = Py().get_item(Py().modules(), "tensorflow.python.framework.ops");
  if (!module) return true;  // a Python without TensorFlow
  Object* holder = Py().get_attr(module, "_gradient_registry");
  Object* registry = holder ? Py().get_attr(holder, "_registry") : nullptr;
  bool ok = registry && MakeModule();
  for (const std::string& op : ops) ok = ok && AddToRegistry(registry, op);
  if (registry) Py().decrease(registry);
  if (holder) Py().decrease(holder);
  if (!ok) Py().clear_error();
  return ok;
}

int RegisterLater(void* list) {
  const std::unique_ptr<std::vector<std::string>> ops(static_cast<std::vector<std::string>*>(list));
  Register(*ops);
  return 0;
}

}  // namespace

std::string RegisterPythonGradients(const std::vector<const Op*>& ops) {
  if (ops.empty() || !Py().usable) return "";
  std::vector<std::string> names;
  for (const Op* op : ops) names.push_back(op->name);
  if (Py().has_lock()) {
    return Register(names) ? "" : "the gradients could not be registered in TensorFlow's Python";
  }
  // Waiting for Python's lock could be for ever; its main thread does it as soon as it runs.
  auto list = std::make_unique<std::vector<std::string>>(std::move(names));
  if (Py().add_pending_call(&RegisterLater, list.get()) != 0) {
    return "the gradients could not be registered in TensorFlow's Python: it has too much to do";
  }
  list.release();
  return "";
}

}  // namespace opwright::bridge
