#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <string>

#include "opwright/cli/builder.h"
#include "opwright/cli/failure.h"
#include "opwright/cli/names.h"
#include "opwright/cli/stamp.h"
#include "opwright/cli/verbs.h"

namespace opwright::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string folder = ".", sanitizer, python;
  bool release = false, debug = false, test = false;
};

void SayHowToUseInTensorFlowApi(const Terminal& terminal, const Tools& tools,
                                const Project& project, const fs::path& library) {
  terminal.Say(fmt::format("\n{}\n  works in TensorFlow {} alone. In Python:", library.string(),
                           tools.tensorflow->release()));
  // The gradient is in the module that the project has for its library.
  const std::string name = library.stem().string().substr(3);  // of libNAME.so
  if (fs::exists(project.folder / (name + ".py"))) {
    terminal.Say(fmt::format("  from {0} import {0}  # in {1}", name, project.folder.string()));
  } else {
    terminal.Say(fmt::format("  import tensorflow as tf\n  ops = tf.load_op_library(\"{}\")",
                             library.string()));
  }
}

void SayHowToUse(const Terminal& terminal, const Tools& tools, const Project&,
                 const fs::path& library) {
  const auto ops = ReadStamp(library);
  std::vector<std::string> names;
  for (const auto& op : ops) names.push_back(op.name);
  terminal.Say(fmt::format("\n{}\n  has the op{} {}", library.string(), ops.size() == 1 ? "" : "s",
                           fmt::join(names, ", ")));
  terminal.Say("In Python:");
  terminal.Say("  import tensorflow as tf");
  if (ops.size() == 1) {
    const std::string function = PythonFunction(ops[0].name);
    terminal.Say(
        fmt::format("  {0} = tf.load_op_library(\"{1}\").{0}", function, library.string()));
  } else {
    terminal.Say(fmt::format("  ops = tf.load_op_library(\"{}\")  # ops.{}", library.string(),
                             ops.empty() ? "my_op" : PythonFunction(ops[0].name)));
  }
  if (!tools.bridge_folder.empty())
    terminal.Say("Before that:  export OPWRIGHT_BRIDGE_DIR=" + tools.bridge_folder);
}

// Python has no sanitizer in it: that must be there before the library, and with it the C++
// library, whose exceptions it watches.
void SayHowToPreload(const Terminal& terminal, const Tools& tools, const std::string& sanitizer,
                     const fs::path& library) {
  const std::string runtime =
      sanitizer == "undefined" ? "ubsan" : sanitizer[0] + std::string("san");
  const std::string file =
      fmt::format("$({} -print-file-name=lib", fmt::join(tools.compiler.words, " "));
  terminal.Say(fmt::format(
      "\nBuilt {}\nPython loads it when started as\n"
      "  ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD=\"{}{}.so) {}stdc++.so)\" {}",
      library.string(), file, runtime, file, tools.python.empty() ? "python" : tools.python));
}

int BuildVerb(const Terminal& terminal, const Options& options) {
  const Package package = FindPackage();
  BuildPlan plan;
  plan.project = FindProject(options.folder);
  plan.sanitizer = options.sanitizer;
  plan.debug = options.debug;
  plan.folder =
      plan.project.folder / (plan.sanitizer.empty() ? "build" : "build-" + plan.sanitizer);
  if (plan.project.in_tensorflow_api && !plan.sanitizer.empty()) {
    FailUsage(
        "--sanitize is for ops of opwright, which run without TensorFlow, and {} has ops in "
        "TensorFlow's own API: TensorFlow is not built for sanitizers.",
        options.folder);
  }
  terminal.Say(fmt::format("Building {}", plan.project.folder.string()));
  const Tools tools = FindTools(terminal, package, plan.project, options.python);

  // A library with a sanitizer does not load into Python: what runs it is the tests.
  const bool tests_too =
      options.test || (!plan.sanitizer.empty() && plan.project.kind == Project::kCMake);
  Build(terminal, package, tools, plan, tests_too);
  const bool in_tensorflow_api = plan.project.in_tensorflow_api;
  auto libraries = FindLibraries(plan.folder, in_tensorflow_api);
  if (libraries.empty() && in_tensorflow_api) {
    Fail("the build made no shared library in {}: the project's build file says where it goes.",
         plan.folder.string());
  }
  if (libraries.empty()) libraries = FindLibraries(plan.project.folder, in_tensorflow_api);
  if (libraries.empty()) {
    Fail(
        "the build made no op library: OPWRIGHT_OP(MyOp) must stand in a source of the library, "
        "once for each op.");
  }
  if (options.test) RunTests(terminal, package, tools, plan, libraries[0]);
  if (plan.sanitizer.empty()) {
    const auto say = in_tensorflow_api ? SayHowToUseInTensorFlowApi : SayHowToUse;
    for (const fs::path& library : libraries) say(terminal, tools, plan.project, library);
  } else if (!options.test) {
    SayHowToPreload(terminal, tools, plan.sanitizer, libraries[0]);
    if (plan.project.kind != Project::kSources) {
      terminal.Say(
          fmt::format("Without TensorFlow, the C++ tests: opwright build {} --sanitize {} --test",
                      options.folder, plan.sanitizer));
    }
  }
  return kDone;
}

}  // namespace

void AddBuild(CLI::App& app, const Terminal& terminal, Verb& chosen) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("build", "Build the op library of a folder, and test it.");
  verb->add_option("DIR", options->folder, "the project's folder; . by default");
  verb->add_option("--sanitize", options->sanitizer,
                   "build with a sanitizer of the compiler, in build-<sanitizer>: address, "
                   "undefined or thread")
      ->check(CLI::IsMember({"address", "undefined", "thread"}));
  CLI::Option* release =
      verb->add_flag("--release", options->release, "optimised; this is the default");
  verb->add_flag("--debug", options->debug, "for the debugger; indices of tensors are checked")
      ->excludes(release);
  verb->add_flag("--test", options->test, "then run the C++ tests, and test.py in TensorFlow");
  verb->add_option("--python", options->python,
                   "the Python with TensorFlow; by default the first that has it");
  verb->footer(
      "By CMakeLists.txt or, without one, Makefile; with neither, all .cc files are one library.\n"
      "  opwright build                            build/libNAME.so of the project in this folder\n"
      "  opwright build wave_gate --test           and run its tests\n"
      "  opwright build wave_gate --test --sanitize address\n"
      "CXX chooses the compiler. A library of opwright needs no TensorFlow to build, and works in "
      "every\n"
      "version that has a bridge.");
  verb->callback([&terminal, &chosen, options] {
    chosen = [&terminal, options] { return BuildVerb(terminal, *options); };
  });
}

}  // namespace opwright::cli
