#pragma once

#include <string>

namespace opwright::cli {

// One op's name in all the places that it appears in.
struct Names {
  std::string snake;     // wave_gate: the folder, and libwave_gate.so
  std::string camel;     // WaveGate: the C++ struct
  std::string op;        // as registered: WaveGate, or MyProject>WaveGate
  std::string function;  // in Python: wave_gate, or my_project_wave_gate
};

// From wave_gate or WaveGate, and a namespace or "". Throws a usage Failure for a name that could
// not be one in C++, in Python, or of a target of a build.
Names MakeNames(const std::string& name, const std::string& op_namespace);

// The function that tf.load_op_library makes for an op of this name.
std::string PythonFunction(const std::string& op);

}  // namespace opwright::cli
