#include <cstdlib>

#include "opwright/cli/builder.h"
#include "opwright/cli/failure.h"

namespace opwright::cli {
namespace {

namespace fs = std::filesystem;

std::string Need(const char* program, const char* package) {
  if (const auto path = FindProgram(program)) return *path;
  Fail("{} is not in the PATH: install it (Debian: apt-get install {}).", program, package);
}

void FindBuildSystem(const Terminal& terminal, const Project& project, Tools& tools) {
  if (project.kind == Project::kMake) {
    tools.make = Need("make", "make");
    terminal.SayItem(Tone::kGood, "found", "Makefile, and make");
  } else if (project.kind == Project::kCMake) {
    tools.cmake = Need("cmake", "cmake ninja-build");
    const bool ninja = FindProgram("ninja").has_value();
    if (!ninja && !FindProgram("make")) {
      Fail(
          "CMake needs Ninja or make, and neither is in the PATH: install one (Debian: apt-get "
          "install ninja-build).");
    }
    tools.generator = ninja ? "Ninja" : "Unix Makefiles";
    terminal.SayItem(
        Tone::kGood, "found",
        fmt::format("CMakeLists.txt, CMake, and {}", ninja ? "Ninja" : "make (Ninja is not here)"));
  } else {
    terminal.SayItem(Tone::kGood, "found",
                     fmt::format("{} source files, and no build file", project.sources.size()));
  }
}

// Where libraries look for the bridge, as attach.h does.
void FindBridge(const Terminal& terminal, const Package& package, Tools& tools) {
  const TensorFlow& tensorflow = *tools.tensorflow;
  const std::string name = BridgeName(tensorflow);
  const char* chosen = std::getenv("OPWRIGHT_BRIDGE_DIR");
  const fs::path neighbour = fs::path(tensorflow.folder).parent_path() / "opwright" / "lib";
  if ((chosen && fs::exists(fs::path(chosen) / name)) || fs::exists(neighbour / name)) {
    terminal.SayItem(Tone::kGood, "found", "the bridge for TensorFlow " + tensorflow.release());
  } else if (fs::exists(package.lib() / name)) {
    tools.bridge_folder = package.lib().string();
    terminal.SayItem(
        Tone::kGood, "found",
        fmt::format(
            "the bridge for TensorFlow {}, which your program finds with OPWRIGHT_BRIDGE_DIR={}",
            tensorflow.release(), tools.bridge_folder));
  } else {
    terminal.SayItem(
        Tone::kBad, "missing",
        fmt::format("the bridge for TensorFlow {}: `opwright bridge --python {}` builds it",
                    tensorflow.release(), tensorflow.python));
  }
}

}  // namespace

Tools FindTools(const Terminal& terminal, const Package& package, const Project& project,
                const std::string& python) {
  Tools tools;
  FindBuildSystem(terminal, project, tools);
  tools.compiler = FindCompiler();
  terminal.SayItem(Tone::kGood, "found", tools.compiler.version);
  tools.python = FindPython(python);
  tools.tensorflow = FindTensorFlow(package, python);
  if (tools.tensorflow) {
    tools.python = tools.tensorflow->python;
    terminal.SayItem(Tone::kGood, "found",
                     fmt::format("TensorFlow {} of {}", tools.tensorflow->version, tools.python));
    if (!project.in_tensorflow_api) FindBridge(terminal, package, tools);
  } else if (project.in_tensorflow_api) {
    Fail(
        "{} is built with TensorFlow's headers, and there is no Python with TensorFlow: install it "
        "(pip install tensorflow), or say --python PATH.",
        project.folder.string());
  } else {
    terminal.SayItem(Tone::kDim, "missing",
                     "TensorFlow, which the build does not need; to use the op: pip install "
                     "tensorflow, or --python");
  }
  return tools;
}

}  // namespace opwright::cli
