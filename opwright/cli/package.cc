#include "opwright/cli/package.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "opwright/cli/failure.h"

namespace opwright::cli {

namespace fs = std::filesystem;

Package FindPackage() {
  Package package;
  package.program = fs::read_symlink("/proc/self/exe");
  package.folder = package.program.parent_path().parent_path();
  package.include_root = package.folder.parent_path();
  if (!fs::exists(package.folder / "op.h") || package.folder.filename() != "opwright") {
    Fail(
        "this program, {}, lies outside of the opwright package; call "
        "<package>/opwright/bin/opwright "
        "or a link to it.",
        package.program.string());
  }
  // In an installed package beside the rest; in a checkout among the modules of its own build.
  package.cmake = package.folder / "cmake";
  if (!fs::exists(package.cmake)) package.cmake = package.include_root / "cmake";
  if (!fs::exists(package.cmake / "opwrightConfig.cmake")) {
    Fail("{} lacks opwrightConfig.cmake; install opwright again.", package.cmake.string());
  }
  return package;
}

std::string ReadFile(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) Fail("{} cannot be read: {}.", file.string(), std::strerror(errno));
  return std::string(std::istreambuf_iterator<char>(in), {});
}

void WriteFile(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) Fail("{} cannot be written: {}.", file.string(), std::strerror(errno));
}

}  // namespace opwright::cli
