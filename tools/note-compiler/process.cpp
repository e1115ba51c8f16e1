// SPDX-License-Identifier: Apache-2.0
/// Child processes by posix_spawn.
#include "process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/file.h"
#include "base/log.h"

extern char** environ;

namespace mneme::notes {
namespace {

std::vector<char*> arguments(const Words& command) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  return argv;
}

Error cannotStart(const Words& command, int errorNumber) {
  return {errorNumber == ENOENT ? ErrorCode::NotFound : ErrorCode::Io,
          "cannot run " + command.front() + ": " + std::strerror(errorNumber)};
}

Expected<pid_t> start(const Words& command, posix_spawn_file_actions_t* actions) {
  if (logEnabled(LogLevel::Debug)) log(LogLevel::Debug, quoted(command));
  pid_t child = 0;
  const int failed = posix_spawnp(&child, command.front().c_str(), actions, nullptr, arguments(command).data(), environ);
  if (failed) return cannotStart(command, failed);
  return child;
}

Expected<int> wait(pid_t child, const Words& command) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return cannotStart(command, errno);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string readToEnd(int fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = read(fd, buffer, sizeof buffer)) != 0;) {
    if (got < 0 && errno != EINTR) break;
    if (got > 0) text.append(buffer, static_cast<size_t>(got));
  }
  return text;
}

}  // namespace

Expected<int> run(const Words& command) {
  const auto child = start(command, nullptr);
  if (!child) return child.error();
  return wait(*child, command);
}

Expected<Captured> runCaptured(const Words& command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return cannotStart(command, errno);
  FileDescriptor reading(ends[0]), writing(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, writing.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, writing.get(), STDERR_FILENO);
  const auto child = start(command, &actions);
  posix_spawn_file_actions_destroy(&actions);
  if (!child) return child.error();
  writing = FileDescriptor();
  Captured captured;
  captured.output = readToEnd(reading.get());
  const auto exitCode = wait(*child, command);
  if (!exitCode) return exitCode.error();
  captured.exitCode = *exitCode;
  return captured;
}

Error become(const Words& command) {
  execvp(command.front().c_str(), arguments(command).data());
  return cannotStart(command, errno);
}

std::string quoted(const Words& command) {
  std::string text;
  for (const std::string& word : command) {
    const bool plain = !word.empty() && word.find_first_of(" \t'\"\\$`;&|<>()*?[]#~") == std::string::npos;
    text += (text.empty() ? "" : " ") + (plain ? word : "'" + word + "'");
  }
  return text;
}

}  // namespace mneme::notes
