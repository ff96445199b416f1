#include <filesystem>
#include <memory>
#include <string>

#include "opwright/cli/failure.h"
#include "opwright/cli/scaffold.h"
#include "opwright/cli/verbs.h"

namespace opwright::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string name, op_namespace, parent = ".";
};

int New(const Terminal& terminal, const Options& options) {
  const Names names = MakeNames(options.name, options.op_namespace);
  const auto files = MakeProject(FindPackage(), names);
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
  const auto tell = [&](const char* what, const char* why) {
    terminal.Say(fmt::format("  {:<26} {}", what, why));
  };
  tell("op.h", "the struct: declaration, gradient, shapes");
  tell("body.h, op.cc", "the arithmetic of one element, and the kernel");
  tell("reference.h, reference.cc", "the obvious version, which the tests compare with");
  tell("test.cc, test.py, bench.cc", "without TensorFlow, and in it");
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
  verb->add_option("--dir", options->parent, "where to make the project's folder; . by default");
  verb->footer(
      "The project multiplies two tensors. Change it, with its tests at hand.\n"
      "  opwright new wave_gate                       ./wave_gate, op WaveGate\n"
      "  opwright new WaveGate --namespace MyProject  ./wave_gate, op MyProject>WaveGate\n"
      "  opwright new wave_gate --dir ops             ops/wave_gate");
  verb->callback([&terminal, &chosen, options] {
    chosen = [&terminal, options] { return New(terminal, *options); };
  });
}

}  // namespace opwright::cli
