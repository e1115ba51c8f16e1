// SPDX-License-Identifier: Apache-2.0
/// fork and execvp, with the reason of a failed exec sent back through a pipe; see program.h.
#include "program.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exit_code.h"

namespace mneme::cli {
namespace {

constexpr std::array kForwarded{SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCONT, SIGWINCH};
volatile pid_t runningProgram = 0;

/// A terminal sends its signals to the program, too (SI_KERNEL): only those that somebody sent to us are passed on.
void forward(int signal, siginfo_t* info, void*) {
  int saved = errno;
  if (info->si_code != SI_KERNEL && runningProgram > 0) ::kill(runningProgram, signal);
  errno = saved;
}

sigset_t forwardedSet() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : kForwarded) sigaddset(&set, signal);
  return set;
}

/// What this process itself ignores (nohup) stays ignored for both.
void installForwarding() {
  struct sigaction action {};
  action.sa_sigaction = forward;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  for (int signal : kForwarded) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
  }
}

[[noreturn]] void become(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
                         const sigset_t& mask, int failurePipe) {
  for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words;
  for (const auto& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  ::execvp(words[0], words.data());
  int reason = errno;
  [[maybe_unused]] auto ignored = ::write(failurePipe, &reason, sizeof reason);
  ::_exit(kCommandNotFound);
}

ProgramEnd cannotRun(const std::string& program, int reason, int code) {
  std::fprintf(stderr, "mneme: cannot run %s: %s\n", program.c_str(), std::strerror(reason));
  return {code, false};
}

ProgramEnd awaitEnd(pid_t program) {
  int status = 0;
  while (::waitpid(program, &status, 0) < 0 && errno == EINTR) {
  }
  runningProgram = 0;
  return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), true,
          WIFSIGNALED(status) ? WTERMSIG(status) : 0};
}

}  // namespace

ProgramEnd runProgram(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return cannotRun(command[0], errno, kOwnFailure);
  sigset_t blocked = forwardedSet(), before;
  ::sigprocmask(SIG_BLOCK, &blocked, &before);
  std::fflush(nullptr);
  pid_t program = ::fork();
  if (program == 0) become(command, environment, before, ends[1]);
  int forkError = errno;
  ::close(ends[1]);
  runningProgram = program;
  installForwarding();
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  int reason = 0;
  ssize_t got = 0;
  while (program > 0 && (got = ::read(ends[0], &reason, sizeof reason)) < 0 && errno == EINTR) {
  }
  ::close(ends[0]);
  if (program < 0) return cannotRun(command[0], forkError, kOwnFailure);
  auto end = awaitEnd(program);
  if (got == sizeof reason) return cannotRun(command[0], reason, reason == ENOENT ? kCommandNotFound : kNotExecutable);
  return end;
}

}  // namespace mneme::cli
