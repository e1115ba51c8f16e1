// SPDX-License-Identifier: Apache-2.0
#include "code/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/file.h"

extern char** environ;

namespace mneme::code {
namespace {

constexpr size_t kMaxOutput = 1 << 20;

/// All is read, so that the tool never blocks; only the beginning is kept.
std::string readAll(int fd) {
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    if (text.size() < kMaxOutput) text.append(buffer.data(), static_cast<size_t>(got));
  }
}

int spawn(pid_t& child, const std::vector<std::string>& arguments, int output) {
  std::vector<char*> words;
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output, 1);
  ::posix_spawn_file_actions_adddup2(&actions, output, 2);
  const int failed = ::posix_spawn(&child, words[0], &actions, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  return failed;
}

}  // namespace

Expected<ToolResult> runTool(const std::vector<std::string>& arguments) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return ioError("making a pipe for", arguments.at(0), errno);
  const FileDescriptor reading(ends[0]);
  FileDescriptor writing(ends[1]);
  pid_t child = 0;
  if (const int failed = spawn(child, arguments, writing.get()))
    return Error{ErrorCode::Unavailable, "starting " + arguments[0] + ": " + std::strerror(failed)};
  writing = FileDescriptor();
  ToolResult result;
  result.output = readAll(reading.get());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.exitCode = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

}  // namespace mneme::code
