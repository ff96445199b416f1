#include "opwright/cli/toolchain.h"

#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "opwright/cli/failure.h"
#include "opwright/cli/process.h"

namespace opwright::cli {
namespace {

namespace fs = std::filesystem;

std::string& CalledAs() {
  static std::string path;
  return path;
}

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::vector<std::string> Pythons(const std::string& wanted) {
  if (!wanted.empty()) {
    if (!FindProgram(wanted)) {
      FailUsage(
          "there is no Python {}: give --python the path of one, as in --python .venv/bin/python.",
          wanted);
    }
    return {wanted};
  }
  std::vector<std::string> all;
  const std::string environment = Variable("VIRTUAL_ENV");
  if (!environment.empty()) all.push_back(environment + "/bin/python");
  if (const auto called = FindProgram(CalledAs())) {
    all.push_back((fs::path(*called).parent_path() / "python").string());
  }
  for (const char* name : {"python3", "python"}) all.emplace_back(name);
  std::vector<std::string> there;
  for (const std::string& python : all) {
    if (const auto path = FindProgram(python)) there.push_back(*path);
  }
  return there;
}

}  // namespace

void SetCalledAs(const char* argv0) { CalledAs() = argv0 ? argv0 : ""; }

Compiler FindCompiler() {
  const std::string chosen = Variable("CXX");
  std::vector<std::string> candidates = {"c++", "g++", "clang++"};
  if (!chosen.empty()) candidates = {chosen};
  for (const std::string& candidate : candidates) {
    Compiler compiler;
    compiler.words = Words(candidate);
    if (compiler.words.empty() || !FindProgram(compiler.words[0])) continue;
    Command ask;
    ask.words = compiler.words;
    ask.words.emplace_back("--version");
    const Result answer = Run(ask);
    if (!answer.ok()) Fail("`{}` fails: {}", Shown(ask), FirstLine(answer.output));
    compiler.version = FirstLine(answer.output);
    return compiler;
  }
  if (!chosen.empty())
    Fail("CXX is '{}', and there is no such program: set it to a C++ compiler, or unset it.",
         chosen);
  Fail(
      "no C++ compiler is in the PATH: install g++ (Debian: apt-get install g++), or set CXX to "
      "one.");
}

std::string FindPython(const std::string& python) {
  const auto all = Pythons(python);
  return all.empty() ? "" : all[0];
}

std::optional<TensorFlow> FindTensorFlow(const Package& package, const std::string& wanted) {
  for (const std::string& python : Pythons(wanted)) {
    Command ask;
    ask.words = {python, "-I", (package.cmake / "find_tensorflow.py").string()};
    ask.with_errors = false;
    const Result answer = Run(ask);
    const std::string line = FirstLine(answer.output);
    const size_t separator = line.rfind(';');
    if (!answer.ok() || separator == line.npos) continue;
    TensorFlow found;
    found.python = python;
    found.folder = line.substr(0, separator);
    found.version = line.substr(separator + 1);
    const size_t dot = found.version.find('.');
    if (dot != std::string::npos) {
      std::from_chars(found.version.data() + dot + 1, found.version.data() + found.version.size(),
                      found.minor);
    }
    return found;
  }
  return std::nullopt;
}

std::string BridgeName(const TensorFlow& tensorflow) {
  return "libopwright_bridge_tf" + tensorflow.release() + ".so";
}

}  // namespace opwright::cli
