#include "opwright/cli/project.h"

#include <algorithm>
#include <cctype>

#include "opwright/cli/failure.h"
#include "opwright/cli/package.h"
#include "opwright/cli/stamp.h"

namespace opwright::cli {
namespace {

namespace fs = std::filesystem;

bool EndsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Tests and benchmarks are programs of their own.
bool IsPartOfLibrary(const fs::path& file) {
  const std::string stem = file.stem().string();
  return file.extension() == ".cc" && stem != "test" && stem != "bench" &&
         !EndsWith(stem, "_test") && !EndsWith(stem, "_bench");
}

// That of the folder, however many files it has: Python goes on finding it.
std::string LibraryName(const fs::path& folder) {
  std::string name = folder.filename().string();
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

// A library of opwright's ops has no need to.
bool LinksTensorFlow(const fs::path& build_file) {
  return ReadFile(build_file).find("libtensorflow_framework") != std::string::npos;
}

}  // namespace

Project FindProject(const fs::path& folder) {
  if (!fs::is_directory(folder)) {
    FailUsage("{} is no folder: give that of the project, or make one with `opwright new NAME`.",
              folder.string());
  }
  Project project;
  project.folder = fs::canonical(folder);
  if (fs::exists(project.folder / "CMakeLists.txt")) {
    project.kind = Project::kCMake;
    project.in_tensorflow_api = LinksTensorFlow(project.folder / "CMakeLists.txt");
    return project;
  }
  for (const char* name : {"GNUmakefile", "makefile", "Makefile"}) {
    if (!fs::exists(project.folder / name)) continue;
    project.kind = Project::kMake;
    project.in_tensorflow_api = LinksTensorFlow(project.folder / name);
    return project;
  }
  bool has_op = false;
  for (const auto& entry : fs::directory_iterator(project.folder)) {
    if (!IsPartOfLibrary(entry.path())) continue;
    project.sources.push_back(entry.path());
    has_op = has_op || ReadFile(entry.path()).find("OPWRIGHT_OP(") != std::string::npos;
  }
  if (!has_op) {
    Fail(
        "{} has no CMakeLists.txt, no Makefile, and no .cc file with OPWRIGHT_OP(MyOp): there is "
        "nothing to build. "
        "`opwright new NAME` makes a project.",
        folder.string());
  }
  std::sort(project.sources.begin(), project.sources.end());
  project.name = LibraryName(project.folder);
  return project;
}

std::vector<fs::path> FindLibraries(const fs::path& build, bool in_tensorflow_api) {
  std::vector<fs::path> libraries;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(build, ignored)) {
    if (entry.path().extension() != ".so" || !entry.is_regular_file()) continue;
    if (in_tensorflow_api || HasStamp(entry.path())) libraries.push_back(entry.path());
  }
  std::sort(libraries.begin(), libraries.end());
  return libraries;
}

}  // namespace opwright::cli
