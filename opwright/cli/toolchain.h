#pragma once

#include <optional>
#include <string>
#include <vector>

#include "opwright/cli/package.h"
#include "opwright/cli/terminal.h"

namespace opwright::cli {

struct Compiler {
  std::vector<std::string> words;  // of CXX, or one of the usual names
  std::string version;             // the first line of --version
};
// Throws a Failure if there is none.
Compiler FindCompiler();

struct TensorFlow {
  std::string python;
  std::string folder;   // of the package tensorflow
  std::string version;  // 2.21.0
  int minor = 0;        // 21

  std::string release() const {
    return version.substr(0, version.find('.', version.find('.') + 1));
  }
};

// The TensorFlow of a Python: of `python`, if it is not empty, else of the first that has one among
// the active environment's, the one beside this program's link, python3 and python. Nothing if
// there is none. Does not import it.
std::optional<TensorFlow> FindTensorFlow(const Package& package, const std::string& python);

// The first Python in that order, with TensorFlow or without; empty if there is none.
std::string FindPython(const std::string& python);

// Remembers by what path the program was called: there its environment's Python is.
void SetCalledAs(const char* argv0);

// libopwright_bridge_tf2.21.so
std::string BridgeName(const TensorFlow& tensorflow);

}  // namespace opwright::cli
