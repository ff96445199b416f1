#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "opwright/cli/package.h"
#include "opwright/cli/process.h"
#include "opwright/cli/project.h"
#include "opwright/cli/toolchain.h"

namespace opwright::cli {

// What a build works with. Made by FindTools, which says what it found.
struct Tools {
  Compiler compiler;
  std::string cmake, generator;  // of a CMake project
  std::string make;              // of one with a Makefile
  std::string python;            // empty: there is none
  std::optional<TensorFlow> tensorflow;
  std::string
      bridge_folder;  // to be set as OPWRIGHT_BRIDGE_DIR; empty: the bridge is found without
};
Tools FindTools(const Terminal& terminal, const Package& package, const Project& project,
                const std::string& python);

struct BuildPlan {
  Project project;
  std::filesystem::path folder;  // where it is built
  std::string sanitizer;         // address, undefined, thread, or empty
  bool debug = false;
};

// Builds the library, and the C++ tests too if they are wanted. What is missing for the tests is
// said. Throws a Failure after showing all that the compiler said.
void Build(const Terminal& terminal, const Package& package, const Tools& tools,
           const BuildPlan& plan, bool with_tests);

// Runs the C++ tests and, without a sanitizer, test.py. Throws a Failure if some fail.
void RunTests(const Terminal& terminal, const Package& package, const Tools& tools,
              const BuildPlan& plan, const std::filesystem::path& library);

}  // namespace opwright::cli
