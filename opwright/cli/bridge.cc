#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "opwright/cli/failure.h"
#include "opwright/cli/process.h"
#include "opwright/cli/toolchain.h"
#include "opwright/cli/verbs.h"

namespace opwright::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string python, output;
};

// A folder that is gone when the work is done.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "opwright-bridge-XXXXXX").string();
    if (!mkdtemp(pattern.data()))
      Fail("no folder can be made in {}: set TMPDIR to another.",
           fs::temp_directory_path().string());
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

TensorFlow FindUsableTensorFlow(const Package& package, const std::string& python) {
  const auto found = FindTensorFlow(package, python);
  if (!found) {
    Fail(
        "{} has no TensorFlow: install it there (pip install tensorflow), or say which Python has "
        "it, as in "
        "`opwright bridge --python .venv/bin/python`.",
        python.empty() ? "every Python that was looked at" : python);
  }
  if (found->version.rfind("2.", 0) != 0 || found->minor < 15) {
    Fail(
        "the TensorFlow of {} is {}, and opwright needs 2.15 or newer: upgrade it there (pip "
        "install --upgrade "
        "tensorflow).",
        found->python, found->version);
  }
  const fs::path folder = found->folder;
  for (const char* needed : {"include/tensorflow/core/framework/op_kernel.h",
                             "libtensorflow_framework.so.2", "libtensorflow_cc.so.2"}) {
    if (!fs::exists(folder / needed)) {
      Fail(
          "the TensorFlow of {} lacks {}: install it as a wheel (pip install --force-reinstall "
          "tensorflow).",
          found->python, (folder / needed).string());
    }
  }
  return *found;
}

// The Python half of the gradients travels inside the bridge, as a string.
void EmbedGradients(const Package& package, const fs::path& folder) {
  WriteFile(folder / "opwright_gradients_py.h",
            "#pragma once\n\ninline constexpr char kGradientsPy[] = R\"PY(" +
                ReadFile(package.folder / "bridge" / "gradients.py") + ")PY\";\n");
}

void ReplaceIn(std::string& text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  if (at != text.npos) text.replace(at, from.size(), to);
}

// Those in the package's flags.txt, which the CMake build of the bridges reads too.
std::vector<std::string> Flags(const Package& package, const TensorFlow& tensorflow,
                               const fs::path& generated) {
  std::vector<std::string> flags = {"-std=c++17", "-fPIC", "-I" + package.include_root.string(),
                                    "-I" + generated.string()};
  std::istringstream lines(ReadFile(package.folder / "bridge" / "flags.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] != '-') continue;
    ReplaceIn(line, "{include}", tensorflow.folder + "/include");
    ReplaceIn(line, "{bridge}", (package.folder / "bridge").string());
    ReplaceIn(line, "{minor}", std::to_string(tensorflow.minor));
    flags.push_back(line);
  }
  return flags;
}

std::vector<fs::path> Sources(const fs::path& folder) {
  std::vector<fs::path> sources;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string stem = entry.path().stem().string();
    const bool test = stem.size() > 5 && stem.compare(stem.size() - 5, 5, "_test") == 0;
    if (entry.path().extension() == ".cc" && !test) sources.push_back(entry.path());
  }
  return sources;
}

// A file with TensorFlow's headers takes a gigabyte to compile.
size_t Jobs(size_t files) {
  const long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  const size_t by_memory = static_cast<size_t>(std::max<long>(1, pages / (1'000'000'000 / page)));
  return std::min({files, by_memory, std::max<size_t>(1, std::thread::hardware_concurrency())});
}

// Runs all of them, some at a time, and throws what the first failure says.
void RunAll(const std::vector<Command>& commands, Progress& progress) {
  std::atomic<size_t> next{0}, done{0};
  std::mutex mutex;
  std::optional<Failure> failure;
  const auto work = [&] {
    for (size_t k; (k = next++) < commands.size(); ++done) {
      try {
        const Result result = Run(commands[k]);
        if (!result.ok())
          Fail("the bridge does not compile:\n{}\n{}", Shown(commands[k]), result.output);
      } catch (const Failure& why) {
        const std::lock_guard<std::mutex> lock(mutex);
        if (!failure) failure = why;
        next = commands.size();
      }
    }
  };
  std::vector<std::thread> threads;
  std::atomic<size_t> working{Jobs(commands.size())};
  for (size_t k = working; k > 0; --k) {
    threads.emplace_back([&] {
      work();
      --working;
    });
  }
  while (working > 0) {
    progress.Update(fmt::format("{} of {} files compiled", done.load(), commands.size()));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  for (std::thread& thread : threads) thread.join();
  if (failure) throw *failure;
}

// One of the bridge's two libraries.
struct Part {
  Part(std::string file, const fs::path& path, std::vector<fs::path> from,
       std::vector<std::string> needs)
      : name(std::move(file)),
        unfinished(path.string()),
        sources(std::move(from)),
        libraries(std::move(needs)) {
    // The largest first: the last to end should be a small one.
    std::sort(sources.begin(), sources.end(), [](const fs::path& a, const fs::path& b) {
      return fs::file_size(a) > fs::file_size(b);
    });
  }

  void AddCompilations(const std::vector<std::string>& compile, const fs::path& work,
                       std::vector<Command>& commands) {
    for (const fs::path& source : sources) {
      objects.push_back((work / (name + "." + source.stem().string() + ".o")).string());
      Command& command = commands.emplace_back();
      command.words = compile;
      command.words.insert(command.words.end(), {"-c", source.string(), "-o", objects.back()});
    }
  }

  // The second finds the first, which is open already, by its soname.
  Command Link(const Compiler& compiler) const {
    Command link;
    link.words = compiler.words;
    link.words.insert(link.words.end(),
                      {"-shared", "-Wl,--no-undefined", "-Wl,-soname," + name, "-o", unfinished});
    link.words.insert(link.words.end(), objects.begin(), objects.end());
    link.words.insert(link.words.end(), libraries.begin(), libraries.end());
    link.words.push_back("-ldl");
    return link;
  }

  std::string name, unfinished;
  std::vector<fs::path> sources;
  std::vector<std::string> libraries, objects;
};

int Bridge(const Terminal& terminal, const Options& options) {
  const Package package = FindPackage();
  const TensorFlow tensorflow = FindUsableTensorFlow(package, options.python);
  const Compiler compiler = FindCompiler();
  terminal.Say(
      fmt::format("Bridge for TensorFlow {}, with {}", tensorflow.version, compiler.version));
  terminal.SayItem(Tone::kGood, "found", tensorflow.folder);

  const fs::path folder = options.output.empty() ? package.lib() : fs::path(options.output);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || access(folder.c_str(), W_OK) != 0) {
    Fail(
        "{} cannot be written to: say --output DIR, and set OPWRIGHT_BRIDGE_DIR to that folder "
        "when you use it.",
        folder.string());
  }

  const TemporaryFolder work;
  EmbedGradients(package, work.path());
  std::vector<std::string> compile = compiler.words;
  if (compile[0].find("ccache") == std::string::npos && FindProgram("ccache"))
    compile.insert(compile.begin(), "ccache");
  const auto flags = Flags(package, tensorflow, work.path());
  compile.insert(compile.end(), flags.begin(), flags.end());

  Progress progress(terminal, "building the bridge");
  const std::string name = BridgeName(tensorflow);
  const std::string suffix = "." + std::to_string(getpid());
  const fs::path sources = package.folder / "bridge";
  const std::string framework = tensorflow.folder + "/libtensorflow_framework.so.2";
  Part first(name, folder / (name + suffix), Sources(sources), {framework});
  // The framework first: the other library carries some of its symbols a second time.
  Part second("libopwright_bridge_cc_tf" + tensorflow.release() + ".so",
              folder / ("libopwright_bridge_cc_tf" + tensorflow.release() + ".so" + suffix),
              Sources(sources / "cc"),
              {first.unfinished, framework, tensorflow.folder + "/libtensorflow_cc.so.2"});
  std::vector<Command> commands;
  for (Part* part : {&second, &first}) part->AddCompilations(compile, work.path(), commands);
  RunAll(commands, progress);
  for (Part* part : {&first, &second}) {
    const Command link = part->Link(compiler);
    const Result linked = Run(link, &progress);
    if (linked.ok()) continue;
    for (const Part* made : {&first, &second}) fs::remove(made->unfinished, error);
    Fail("the bridge does not link:\n{}\n{}", Shown(link), linked.output);
  }
  // Renamed when whole: writing into a library that a running process has mapped would kill it.
  for (const Part* part : {&second, &first}) fs::rename(part->unfinished, folder / part->name);

  terminal.Say(fmt::format("Wrote {} and, beside it, {} in {:.0f} s.", (folder / name).string(),
                           second.name, progress.seconds()));
  const fs::path beside = fs::path(tensorflow.folder) / ".." / "opwright" / "lib";
  if (!fs::equivalent(folder, beside, error)) {
    terminal.Say(fmt::format("To use it:  export OPWRIGHT_BRIDGE_DIR='{}'",
                             fs::absolute(folder).lexically_normal().string()));
  }
  return kDone;
}

}  // namespace

void AddBridge(CLI::App& app, const Terminal& terminal, Verb& chosen) {
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("bridge", "Build the bridge for the TensorFlow that is installed.");
  verb->add_option("--python", options->python,
                   "the Python whose TensorFlow it is for; by default the first that has one");
  verb->add_option("--output", options->output,
                   "the folder to write to; by default the package's own");
  verb->footer(
      "An op library needs a bridge for the minor version of its TensorFlow. Needed once, for a "
      "version that\n"
      "opwright does not come with; takes a minute or two.\n"
      "  opwright bridge\n"
      "  opwright bridge --python .venv/bin/python --output bridges");
  verb->callback([&terminal, &chosen, options] {
    chosen = [&terminal, options] { return Bridge(terminal, *options); };
  });
}

}  // namespace opwright::cli
