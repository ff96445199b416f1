#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace opwright::cli {

// What `opwright build` found in a folder.
struct Project {
  enum Kind { kCMake, kMake, kSources };

  Kind kind = kSources;
  std::filesystem::path folder;
  // Of kSources: the files of one library, and its name, that of the only file or of the folder.
  std::vector<std::filesystem::path> sources;
  std::string name;
};

// Throws a Failure if there is nothing to build.
Project FindProject(const std::filesystem::path& folder);

// The op libraries in a build's folder, sorted.
std::vector<std::filesystem::path> FindLibraries(const std::filesystem::path& build);

}  // namespace opwright::cli
