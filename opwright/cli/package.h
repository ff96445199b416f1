#pragma once

#include <filesystem>
#include <string>

namespace opwright::cli {

// The installed opwright that this program belongs to: it lies in the package's bin/.
struct Package {
  std::filesystem::path folder;        // holds op.h, ops/, testing/, bridge/, lib/
  std::filesystem::path include_root;  // for -I: where "opwright/op.h" is found
  std::filesystem::path cmake;         // holds opwrightConfig.cmake
  std::filesystem::path program;       // this program

  std::filesystem::path lib() const { return folder / "lib"; }
  std::filesystem::path templates() const { return folder / "cli" / "templates"; }
};

// Throws a Failure if the program lies elsewhere, or files are missing.
Package FindPackage();

// The whole text of a file. Throws a Failure if it cannot be read.
std::string ReadFile(const std::filesystem::path& file);
// Makes or replaces the file. Throws a Failure if it cannot be written.
void WriteFile(const std::filesystem::path& file, const std::string& text);

}  // namespace opwright::cli
