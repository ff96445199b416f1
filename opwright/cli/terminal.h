#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace opwright::cli {

enum class Tone { kPlain, kGood, kBad, kDim };

// What the person sees. Results and reports go to stdout, progress and errors to stderr; colours
// only to a terminal, and not if NO_COLOR is set.
class Terminal {
 public:
  Terminal();

  // With --quiet nothing is shown but results that were asked for, and errors.
  void set_quiet(bool quiet) { quiet_ = quiet; }
  bool quiet() const { return quiet_; }

  // A line of a report.
  void Say(std::string_view line) const;
  // "  found    compiler: g++ 12.2.0"; a word that is not good news has another tone.
  void SayItem(Tone tone, std::string_view word, std::string_view text) const;
  // What was asked for, also with --quiet.
  void Put(std::string_view text) const;
  // A message on stderr, also with --quiet.
  void Error(std::string_view sentence) const;

 private:
  bool quiet_ = false;
  bool colour_out_, colour_error_;
};

// Work that may take long: from two seconds on it shows that it lives. On a terminal in one line,
// which vanishes at the end; elsewhere in lines that become rarer.
class Progress {
 public:
  Progress(const Terminal& terminal, std::string title);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // To be called a few times in a second. `now`: what is being done.
  void Update(std::string_view now);
  double seconds() const;

 private:
  bool silent_, in_place_;
  std::string title_;
  std::chrono::steady_clock::time_point start_;
  double next_ = 2;
  bool shown_ = false;
};

}  // namespace opwright::cli
