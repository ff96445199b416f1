#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "opwright/cli/terminal.h"

namespace opwright::cli {

struct Command {
  std::vector<std::string> words;
  std::filesystem::path folder;                                  // where it runs; empty: here
  std::vector<std::pair<std::string, std::string>> environment;  // added to this process's
  bool with_errors = true;  // the output has what the child writes to stderr too
};

struct Result {
  int code = 0;        // 128 + the signal if one ended it
  std::string output;  // all that it wrote, in order
  bool ok() const { return code == 0; }
};

// Runs a program, without a terminal to read from, and waits for it. `progress` shows its last
// line; `live` passes its output through as it comes. Throws a Failure if it cannot be started.
Result Run(const Command& command, Progress* progress = nullptr, bool live = false);

// As one would type it.
std::string Shown(const Command& command);

// A program's path; nothing if it is not in the PATH (or not there, if the name has a slash).
std::optional<std::string> FindProgram(const std::string& name);

// The words of a text, separated by blanks, as in CXX="ccache g++".
std::vector<std::string> Words(const std::string& text);
std::string FirstLine(const std::string& text);

}  // namespace opwright::cli
