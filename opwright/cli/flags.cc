#include "opwright/cli/flags.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "opwright/cli/failure.h"
#include "opwright/cli/verbs.h"

namespace opwright::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  bool compile = false, link = false, testing = false, cmake = false;
};

int Flags(const Terminal& terminal, const Options& options) {
  const Package package = FindPackage();
  std::vector<std::string> words;
  const auto add = [&](const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  if (options.cmake) {
    words = {package.cmake.string()};
  } else if (options.testing) {
    words = TestingSources(package);
  } else {
    if (options.compile || !options.link) add(CompileFlags(package));
    if (options.link || !options.compile) add(LinkFlags());
  }
  const bool blank = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word.find_first_of(" \t\n") != word.npos;
  });
  if (blank && !options.cmake) {
    Fail(
        "opwright lies in {}, and a shell would cut that path at the blank in $(opwright flags): "
        "use CMake or "
        "`opwright build`.",
        package.include_root.string());
  }
  terminal.Put(fmt::format("{}\n", fmt::join(words, " ")));
  return kDone;
}

}  // namespace

std::vector<std::string> CompileFlags(const Package& package) {
  return {"-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden",
          "-I" + package.include_root.string()};
}

std::vector<std::string> LinkFlags() { return {"-shared", "-Wl,--no-undefined", "-ldl"}; }

std::vector<std::string> TestingSources(const Package& package) {
  std::vector<std::string> sources;
  for (const auto& entry : fs::directory_iterator(package.folder / "testing")) {
    const std::string stem = entry.path().stem().string();
    const bool test = stem.size() > 5 && stem.compare(stem.size() - 5, 5, "_test") == 0;
    if (entry.path().extension() == ".cc" && !test) sources.push_back(entry.path().string());
  }
  std::sort(sources.begin(), sources.end());
  return sources;
}

void AddFlags(CLI::App& app, const Terminal& terminal, Verb& chosen) {
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("flags", "Print compiler flags, for a g++ line or another build system.");
  verb->add_flag("--cflags", options->compile, "those for compiling");
  verb->add_flag("--libs", options->link, "those for linking");
  verb->add_flag("--testing", options->testing,
                 "the sources to add to a C++ test, which runs ops without TensorFlow");
  verb->add_flag("--cmake", options->cmake,
                 "the folder for -D opwright_DIR, for find_package(opwright)");
  verb->footer(
      "  g++ op.cc -o libop.so $(opwright flags)\n"
      "  g++ -c op.cc $(opwright flags --cflags) && g++ op.o -o libop.so $(opwright flags --libs)\n"
      "  g++ test.cc reference.cc op.cc $(opwright flags --testing) $(opwright flags --cflags) "
      "-lgtest_main "
      "-lgtest -o test\n"
      "  cmake -B build -D opwright_DIR=$(opwright flags --cmake)");
  verb->callback([&terminal, &chosen, options] {
    chosen = [&terminal, options] { return Flags(terminal, *options); };
  });
}

}  // namespace opwright::cli
