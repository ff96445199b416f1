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
  // Not of kSources: its ops are in TensorFlow's own API, as `opwright new --api tensorflow` has
  // it.
  bool in_tensorflow_api = false;
};

// Throws a Failure if there is nothing to build.
Project FindProject(const std::filesystem::path& folder);

// The op libraries in a build's folder, sorted: those with ops of opwright, or all shared ones.
std::vector<std::filesystem::path> FindLibraries(const std::filesystem::path& build,
                                                 bool in_tensorflow_api);

}  // namespace opwright::cli
