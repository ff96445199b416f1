#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace opwright::cli {

// What the program ends with. Scripts rely on these numbers.
enum ExitCode { kDone = 0, kFailed = 1, kUsage = 2 };

// Ends the program with a sentence that says what to do next.
class Failure : public std::runtime_error {
 public:
  explicit Failure(const std::string& sentence, ExitCode code = kFailed)
      : std::runtime_error(sentence), code_(code) {}

  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

template <typename... Args>
[[noreturn]] void Fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Failure(fmt::format(format, std::forward<Args>(args)...));
}
// The command line is at fault.
template <typename... Args>
[[noreturn]] void FailUsage(fmt::format_string<Args...> format, Args&&... args) {
  throw Failure(fmt::format(format, std::forward<Args>(args)...), kUsage);
}

}  // namespace opwright::cli
