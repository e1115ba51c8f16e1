// SPDX-License-Identifier: Apache-2.0
/// fork, exec of /proc/self/exe, poll, kill; see supervise.h.
#include "supervise.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "base/file.h"

namespace mneme::cli {
namespace {

using Clock = std::chrono::steady_clock;

Error systemError(const char* what) { return {ErrorCode::Io, std::string(what) + ": " + std::strerror(errno)}; }

/// Runs in the forked child; only async-signal-safe calls.
[[noreturn]] void becomeChild(char* const* arguments, bool legacyLayout) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  if (legacyLayout) ::personality(ADDR_COMPAT_LAYOUT | ADDR_NO_RANDOMIZE);
  ::execv("/proc/self/exe", arguments);
  ::_exit(127);
}

Expected<pid_t> spawn(std::vector<std::string>& words, bool legacyLayout) {
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t child = ::fork();
  if (child < 0) return systemError("cannot start a process");
  if (child == 0) becomeChild(pointers.data(), legacyLayout);
  return child;
}

/// Appends what comes until the pipe closes; false if the deadline came first.
bool readUntil(int fd, Clock::time_point deadline, std::string& text) {
  char buffer[65536];
  while (true) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd waiting{fd, POLLIN, 0};
    int ready = ::poll(&waiting, 1, static_cast<int>(std::min<long long>(left, 1'000'000)));
    if (ready <= 0) continue;
    ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    text.append(buffer, static_cast<size_t>(got));
  }
}

/// Waits for the end; false if the deadline came first.
bool waitUntil(pid_t child, Clock::time_point deadline, int& status) {
  while (true) {
    pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) return true;
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

Expected<ChildEnd> runSelf(std::vector<std::string> arguments, const ChildOptions& options) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return systemError("cannot make a pipe");
  FileDescriptor readEnd(ends[0]), writeEnd(ends[1]);
  ::fcntl(writeEnd.get(), F_SETFD, 0);
  arguments.insert(arguments.begin(), "mneme");
  arguments.insert(arguments.end(), {"--result-fd", std::to_string(writeEnd.get())});
  auto child = spawn(arguments, options.legacyLayout);
  if (!child) return std::move(child).error();
  writeEnd = FileDescriptor();

  auto deadline = Clock::now() + options.timeout;
  ChildEnd end;
  int status = 0;
  if (!readUntil(readEnd.get(), deadline, end.result) || !waitUntil(*child, deadline, status)) {
    ::kill(*child, SIGKILL);
    ::waitpid(*child, &status, 0);
    end.how = ChildEnd::How::TimedOut;
    return end;
  }
  end.how = WIFSIGNALED(status) ? ChildEnd::How::Signalled : ChildEnd::How::Exited;
  end.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  return end;
}

}  // namespace mneme::cli
