#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "opwright/cli/failure.h"
#include "opwright/cli/scaffold.h"
#include "opwright/cli/toolchain.h"
#include "opwright/cli/verbs.h"

namespace opwright::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string name, op_namespace, parent = ".", api = "opwright";
};

using Lines = std::vector<std::pair<std::string, const char*>>;

Lines FilesOf(const Options& options, const Names& names) {
  if (options.api == "tensorflow") {
    return {{"op.cc", "declaration, shapes, and the kernel"},
            {"gradient.cc", "the gradient for programs in C++"},
            {names.snake + ".py", "opens the library; the gradient for Python"},
            {"test.py", "tests of all of these"}};
  }
  return {{"op.h", "the struct: declaration, gradient, shapes"},
          {"body.h, op.cc", "the arithmetic of one element, and the kernel"},
          {"reference.h, reference.cc", "the obvious version, which the tests compare with"},
          {"test.cc, test.py, bench.cc", "without TensorFlow, and in it"}};
}

// Loaded, an op of a name that TensorFlow has would be refused, or end the process.
void CheckIsNewToTensorFlow(const Package& package, const Names& names) {
  const auto tensorflow = FindTensorFlow(package, "");
  const std::string raw = "\"raw_ops." + names.op + "\"";
  if (!tensorflow) return;
  std::error_code none;
  for (const auto& entry :
       fs::directory_iterator(fs::path(tensorflow->folder) / "python" / "ops", none)) {
    const std::string file = entry.path().filename().string();
    if (file.rfind("gen_", 0) != 0 || ReadFile(entry.path()).find(raw) == std::string::npos)
      continue;
    FailUsage(
        "TensorFlow {} has an op {} of its own: choose another name, as in my_{}, or add "
        "--namespace MyProject.",
        tensorflow->version, names.op, names.snake);
  }
}

int New(const Terminal& terminal, const Options& options) {
  if (options.api != "opwright" && options.api != "tensorflow") {
    FailUsage("there is no API '{}': say --api opwright or --api tensorflow.", options.api);
  }
  const Names names = MakeNames(options.name, options.op_namespace);
  const auto make = options.api == "tensorflow" ? MakeTensorFlowProject : MakeProject;
  const Package package = FindPackage();
  CheckIsNewToTensorFlow(package, names);
  const auto files = make(package, names);
  const fs::path folder = fs::path(options.parent) / names.snake;
  const std::string shown = folder.lexically_normal().string();
  if (fs::exists(fs::symlink_status(folder))) {
    Fail("{} exists already: choose another name, say --dir for another place, or move it away.",
         shown);
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) Fail("the folder {} cannot be made: {}.", shown, error.message());
  for (const ProjectFile& file : files) WriteFile(folder / file.name, file.text);

  terminal.Say(fmt::format("Made {}, with the op {}:", shown, names.op));
  for (const auto& [what, why] : FilesOf(options, names)) {
    terminal.Say(fmt::format("  {:<26} {}", what, why));
  }
  terminal.Say(fmt::format("Next: opwright build {}", shown));
  return kDone;
}

}  // namespace

void AddNew(CLI::App& app, const Terminal& terminal, Verb& chosen) {
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("new", "Make a project with one op, which builds and passes its tests.");
  verb->add_option("NAME", options->name, "the op's name: wave_gate or WaveGate")->required();
  verb->add_option(
      "--namespace", options->op_namespace,
      "register the op as NAMESPACE>WaveGate, so that it cannot meet another of its name");
  verb->add_option("--api", options->api,
                   "opwright, or tensorflow: an op in TensorFlow's own C++ API, which needs no "
                   "opwright, but compiles slowly and fits one minor version of TensorFlow");
  verb->add_option("--dir", options->parent, "where to make the project's folder; . by default");
  verb->footer(
      "The project multiplies two tensors. Change it, with its tests at hand.\n"
      "  opwright new wave_gate                       ./wave_gate, op WaveGate\n"
      "  opwright new WaveGate --namespace MyProject  ./wave_gate, op MyProject>WaveGate\n"
      "  opwright new wave_gate --dir ops             ops/wave_gate\n"
      "  opwright new wave_gate --api tensorflow      REGISTER_OP, REGISTER_KERNEL_BUILDER");
  verb->callback([&terminal, &chosen, options] {
    chosen = [&terminal, options] { return New(terminal, *options); };
  });
}

}  // namespace opwright::cli
