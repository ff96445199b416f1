#include "opwright/cli/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace opwright::cli {
namespace {

bool WantsColour(int file) {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return isatty(file) != 0 && !(no_colour && *no_colour) &&
         !(term && std::string_view(term) == "dumb");
}

std::string Paint(bool colour, Tone tone, std::string_view text) {
  const char* code = tone == Tone::kGood ? "32" : tone == Tone::kBad ? "31" : "2";
  if (!colour || tone == Tone::kPlain) return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

}  // namespace

Terminal::Terminal()
    : colour_out_(WantsColour(STDOUT_FILENO)), colour_error_(WantsColour(STDERR_FILENO)) {}

void Terminal::Say(std::string_view line) const {
  if (!quiet_) fmt::print("{}\n", line);
  std::fflush(stdout);
}

void Terminal::SayItem(Tone tone, std::string_view word, std::string_view text) const {
  Say(fmt::format("  {}{} {}", Paint(colour_out_, tone, word),
                  std::string(word.size() < 8 ? 8 - word.size() : 0, ' '), text));
}

void Terminal::Put(std::string_view text) const {
  fmt::print("{}", text);
  std::fflush(stdout);
}

void Terminal::Error(std::string_view sentence) const {
  std::fflush(stdout);
  fmt::print(stderr, "{} {}\n", Paint(colour_error_, Tone::kBad, "opwright:"), sentence);
}

Progress::Progress(const Terminal& terminal, std::string title)
    : silent_(terminal.quiet()),
      in_place_(isatty(STDERR_FILENO) != 0),
      title_(std::move(title)),
      start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (shown_ && in_place_) fmt::print(stderr, "\r\033[K");
}

double Progress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void Progress::Update(std::string_view now) {
  const double elapsed = seconds();
  if (silent_ || elapsed < next_) return;
  shown_ = true;
  const std::string line = fmt::format("… {}, {:.0f} s{}{}", title_, elapsed,
                                       now.empty() ? "" : ": ", now.substr(0, 100));
  if (in_place_) {
    next_ = elapsed + 0.2;
    fmt::print(stderr, "\r\033[K{}", line);
  } else {
    next_ = elapsed < 30 ? elapsed * 2 : elapsed + 30;
    fmt::print(stderr, "{}\n", line);
  }
  std::fflush(stderr);
}

}  // namespace opwright::cli
