#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "opwright/cli/package.h"

namespace opwright::cli {

// What the compiler needs to be told for an op library.
std::vector<std::string> CompileFlags(const Package& package);
std::vector<std::string> LinkFlags();
// The sources that run ops without TensorFlow, for C++ tests.
std::vector<std::string> TestingSources(const Package& package);

}  // namespace opwright::cli
