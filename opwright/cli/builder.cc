#include "opwright/cli/builder.h"

#include <sys/utsname.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "opwright/cli/failure.h"
#include "opwright/cli/flags.h"

namespace opwright::cli {
namespace {

namespace fs = std::filesystem;

constexpr char kTests[] = "opwright_tests";

std::vector<std::string> SanitizerFlags(const std::string& sanitizer) {
  return {"-fsanitize=" + sanitizer, "-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-g",
          "-O1"};
}

// The sentences that opwright's headers say while an op is compiled.
std::string Sentences(const std::string& output) {
  std::set<std::string> seen;
  std::string all;
  std::istringstream lines(output);
  const std::string begin = "opwright: ";
  for (std::string line; std::getline(lines, line);) {
    if (line.find("error:") == line.npos) continue;
    const size_t at = line.find(begin);
    if (at == line.npos || !seen.insert(line.substr(at)).second) continue;
    std::string sentence = line.substr(at + begin.size());
    // clang puts the text into quotes.
    if (at > 0 && line[at - 1] == '"' && sentence.back() == '"') sentence.pop_back();
    all += "\n  " + sentence;
  }
  return all;
}

// Runs one step of a build; a failure shows all that was said.
std::string Step(const Terminal& terminal, const Command& command, Progress& progress,
                 const std::string& what) {
  const Result result = Run(command, &progress);
  if (result.ok()) return result.output;
  terminal.Error(fmt::format("{} failed, called as\n{}\n{}", what, Shown(command), result.output));
  const std::string sentences = Sentences(result.output);
  if (!sentences.empty()) Fail("the op is not complete:{}", sentences);
  Fail("{} failed; mend what is shown above, and run `opwright build` again.", what);
}

// A warning of opwright's CMake package that a test cannot be built.
void SayLeftOut(const Terminal& terminal, const std::string& output) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    const size_t at = line.find("-- ");
    if (at == 0 && line.find(" is left out, because ") != line.npos) {
      terminal.SayItem(Tone::kBad, "missing", line.substr(3));
    }
  }
}

// What stands in a CMake cache after `key`.
std::string CacheEntry(const std::string& cache, const std::string& key) {
  const size_t at = cache.find("\n" + key + "=");
  if (at == cache.npos) return "";
  const size_t begin = at + key.size() + 2;
  return cache.substr(begin, cache.find('\n', begin) - begin);
}

// A project that was moved or copied takes its build folder along, which knows the old place.
void ForgetOtherFolder(const BuildPlan& plan) {
  const fs::path cache = plan.folder / "CMakeCache.txt";
  if (!fs::exists(cache)) return;
  const std::string text = ReadFile(cache);
  std::error_code none;
  if (fs::equivalent(CacheEntry(text, "CMAKE_HOME_DIRECTORY:INTERNAL"), plan.project.folder,
                     none) &&
      fs::equivalent(CacheEntry(text, "CMAKE_CACHEFILE_DIR:INTERNAL"), plan.folder, none)) {
    return;
  }
  fs::remove(cache);
  fs::remove_all(plan.folder / "CMakeFiles");
}

void BuildByCMake(const Terminal& terminal, const Package& package, const Tools& tools,
                  const BuildPlan& plan, bool with_tests, Progress& progress) {
  ForgetOtherFolder(plan);
  Command configure;
  configure.words = {tools.cmake, "-S", plan.project.folder.string(), "-B", plan.folder.string()};
  if (!fs::exists(plan.folder / "CMakeCache.txt")) {
    configure.words.insert(configure.words.end(), {"-G", tools.generator});
    if (!std::getenv("CXX"))
      configure.words.push_back("-DCMAKE_CXX_COMPILER=" + tools.compiler.words[0]);
  }
  // Optimised under a sanitizer: without, the views check their indices themselves, and throw.
  const bool debug = plan.debug || !plan.sanitizer.empty();
  configure.words.push_back(std::string("-DCMAKE_BUILD_TYPE=") + (debug ? "Debug" : "Release"));
  if (plan.project.in_tensorflow_api) {
    configure.words.push_back("-DPYTHON=" + tools.python);
  } else {
    configure.words.insert(
        configure.words.end(),
        {"-Dopwright_DIR=" + package.cmake.string(), "-DOPWRIGHT_SANITIZE=" + plan.sanitizer,
         plan.sanitizer.empty() ? "-UCMAKE_CXX_FLAGS_DEBUG" : "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g"});
  }
  const std::string said = Step(terminal, configure, progress, "CMake");
  if (with_tests) SayLeftOut(terminal, said);

  Command compile;
  compile.words = {tools.cmake, "--build", plan.folder.string(), "--parallel"};
  // Ninja shows the line of a compiler that fails; make must be asked to.
  if (fs::exists(plan.folder / "Makefile")) compile.environment = {{"VERBOSE", "1"}};
  Step(terminal, compile, progress, "the build");
  if (!with_tests || plan.project.in_tensorflow_api) return;
  compile.words.insert(compile.words.end(), {"--target", kTests});
  Step(terminal, compile, progress, "the build of the tests");
}

Command Make(const Package& package, const Tools& tools, const BuildPlan& plan) {
  Command make;
  make.words = {tools.make, "-C", plan.project.folder.string(),
                "BUILD=" + plan.folder.filename().string(), "OPWRIGHT=" + package.program.string()};
  if (!tools.python.empty()) make.words.push_back("PYTHON=" + tools.python);
  std::string flags = "-Wall -Wextra";
  if (plan.debug) flags += " -O0 -g";
  if (!plan.sanitizer.empty())
    flags += fmt::format(" {}", fmt::join(SanitizerFlags(plan.sanitizer), " "));
  make.words.push_back("CXXFLAGS=" + flags);
  return make;
}

void BuildFromSources(const Terminal& terminal, const Package& package, const Tools& tools,
                      const BuildPlan& plan, Progress& progress) {
  fs::create_directories(plan.folder);
  Command compile;
  std::vector<std::string>& words = compile.words;
  words = tools.compiler.words;
  const auto add = [&](const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  add(CompileFlags(package));
  if (plan.debug) add({"-O0", "-g"});
  if (!plan.sanitizer.empty()) add(SanitizerFlags(plan.sanitizer));
  for (const fs::path& source : plan.project.sources) words.push_back(source.string());
  add({"-o", (plan.folder / ("lib" + plan.project.name + ".so")).string()});
  add(LinkFlags());
  Step(terminal, compile, progress, "the compiler");
}

// ThreadSanitizer of older compilers cannot live with the widest randomisation of addresses.
std::vector<std::string> FixedAddresses() {
  utsname machine{};
  uname(&machine);
  Command attempt;
  attempt.words = {"setarch", machine.machine, "--addr-no-randomize", "true"};
  if (!FindProgram("setarch") || !Run(attempt).ok()) return {};
  attempt.words.pop_back();
  return attempt.words;
}

void RunOrFail(const Command& command, const Terminal& terminal, const std::string& what) {
  const Result result = Run(command, nullptr, !terminal.quiet());
  if (result.ok()) return;
  if (terminal.quiet()) terminal.Error(result.output);
  Fail("{} failed; mend what is shown above, or repeat it alone: {}", what, Shown(command));
}

}  // namespace

void Build(const Terminal& terminal, const Package& package, const Tools& tools,
           const BuildPlan& plan, bool with_tests) {
  Progress progress(terminal, "building");
  switch (plan.project.kind) {
    case Project::kCMake:
      return BuildByCMake(terminal, package, tools, plan, with_tests, progress);
    case Project::kMake:
      Step(terminal, Make(package, tools, plan), progress, "make");
      return;
    case Project::kSources:
      if (with_tests) {
        Fail(
            "{} has no CMakeLists.txt and no Makefile, so its tests are not known: `opwright new "
            "NAME` makes a "
            "project that has them.",
            plan.project.folder.string());
      }
      return BuildFromSources(terminal, package, tools, plan, progress);
  }
}

void RunTests(const Terminal& terminal, const Package& package, const Tools& tools,
              const BuildPlan& plan, const fs::path& library) {
  Command test;
  if (!tools.bridge_folder.empty())
    test.environment.emplace_back("OPWRIGHT_BRIDGE_DIR", tools.bridge_folder);
  test.environment.emplace_back("UBSAN_OPTIONS", "print_stacktrace=1");
  if (plan.project.kind == Project::kMake) {
    test.words = Make(package, tools, plan).words;
    test.words.emplace_back("test");
    return RunOrFail(test, terminal, "make test");
  }
  // A kernel in TensorFlow's API runs in TensorFlow alone.
  if (!plan.project.in_tensorflow_api) {
    if (plan.sanitizer == "thread") test.words = FixedAddresses();
    test.words.insert(test.words.end(),
                      {(fs::path(tools.cmake).parent_path() / "ctest").string(), "--test-dir",
                       plan.folder.string(), "--output-on-failure", "--no-tests=error"});
    RunOrFail(test, terminal, "a C++ test");
  }

  // TensorFlow's Python has no sanitizer in it.
  if (!plan.sanitizer.empty() || !fs::exists(plan.project.folder / "test.py")) return;
  if (!tools.tensorflow)
    Fail("test.py needs TensorFlow: install it (pip install tensorflow), or say --python PATH.");
  Command has_pytest;
  has_pytest.words = {tools.python, "-c", "import pytest"};
  if (!Run(has_pytest).ok()) {
    Fail("test.py needs pytest: install it ({} -m pip install pytest), then run this again.",
         tools.python);
  }
  test.words = {tools.python, "-m", "pytest", "-q", "test.py"};
  test.folder = plan.project.folder;
  test.environment.emplace_back("OPWRIGHT_TEST_LIBRARY", library.string());
  test.environment.emplace_back("TF_CPP_MIN_LOG_LEVEL", "2");
  RunOrFail(test, terminal, "test.py");
}

}  // namespace opwright::cli
