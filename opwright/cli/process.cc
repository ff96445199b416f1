#include "opwright/cli/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "opwright/cli/failure.h"

namespace opwright::cli {
namespace {

namespace fs = std::filesystem;

struct FileActions {
  posix_spawn_file_actions_t actions;
  FileActions() { posix_spawn_file_actions_init(&actions); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
};

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& s : strings) pointers.push_back(s.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> Environment(const Command& command) {
  std::vector<std::string> all;
  for (char** variable = environ; *variable; ++variable) {
    const std::string text = *variable;
    bool replaced = false;
    for (const auto& [name, value] : command.environment) {
      replaced = replaced || text.rfind(name + "=", 0) == 0;
    }
    if (!replaced) all.push_back(text);
  }
  for (const auto& [name, value] : command.environment) all.push_back(name + "=" + value);
  return all;
}

// Starts the child with its output in `out`.
pid_t Spawn(const Command& command, int out) {
  FileActions file;
  posix_spawn_file_actions_addopen(&file.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&file.actions, out, STDOUT_FILENO);
  if (command.with_errors) {
    posix_spawn_file_actions_adddup2(&file.actions, out, STDERR_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&file.actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  if (!command.folder.empty()) {
    posix_spawn_file_actions_addchdir_np(&file.actions, command.folder.c_str());
  }
  std::vector<std::string> words = command.words, environment = Environment(command);
  pid_t child = 0;
  const int error = posix_spawnp(&child, words[0].c_str(), &file.actions, nullptr,
                                 Pointers(words).data(), Pointers(environment).data());
  if (error != 0) {
    Fail("{} cannot be started: {}. Install it, or put it into the PATH.", words[0],
         std::strerror(error));
  }
  return child;
}

std::string_view LastLine(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  const size_t end = text.find_last_of("\r\n");
  return end == text.npos ? text : text.substr(end + 1);
}

}  // namespace

Result Run(const Command& command, Progress* progress, bool live) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) Fail("no pipe can be made: {}", std::strerror(errno));
  pid_t child = 0;
  try {
    child = Spawn(command, ends[1]);
  } catch (...) {
    close(ends[0]);
    close(ends[1]);
    throw;
  }
  close(ends[1]);

  Result result;
  char block[4096];
  for (;;) {
    pollfd waiting{ends[0], POLLIN, 0};
    const int ready = poll(&waiting, 1, 200);
    if (progress) progress->Update(LastLine(result.output));
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t n = read(ends[0], block, sizeof block);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    result.output.append(block, static_cast<size_t>(n));
    if (live) {
      std::fwrite(block, 1, static_cast<size_t>(n), stdout);
      std::fflush(stdout);
    }
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

std::string Shown(const Command& command) {
  std::vector<std::string> words;
  for (const std::string& word : command.words) {
    const bool plain = word.find_first_of(" \t\n\"'\\$&|;<>()*?#~`!") == word.npos;
    words.push_back(plain && !word.empty() ? word : "'" + word + "'");
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::optional<std::string> FindProgram(const std::string& name) {
  if (name.find('/') != name.npos) {
    if (access(name.c_str(), X_OK) == 0) return name;
    return std::nullopt;
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path file = fs::path(folder.empty() ? "." : folder) / name;
    std::error_code ignored;
    if (access(file.c_str(), X_OK) == 0 && !fs::is_directory(file, ignored)) return file.string();
  }
  return std::nullopt;
}

std::vector<std::string> Words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace opwright::cli
