// SPDX-License-Identifier: Apache-2.0
/// fork, exec, pipes with a deadline; see tune_process.h.
#include "tune_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace mneme::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr size_t kLongestLine = 16u << 20;

/// In the forked child; only async-signal-safe calls. A group of its own: Ctrl-C is the parent's business.
[[noreturn]] void become(char* const* words, int in, int out) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::execvp(words[0], words);
  ::_exit(127);
}

}  // namespace

Expected<WorkerReply> WorkerProcess::start(std::chrono::milliseconds timeout) {
  stop();
  ::signal(SIGPIPE, SIG_IGN);  // a worker that is gone is noticed by its answer
  int toChild[2], fromChild[2];
  if (::pipe2(toChild, O_CLOEXEC) != 0) return Error(ErrorCode::Io, std::string("cannot make a pipe: ") + std::strerror(errno));
  FileDescriptor childIn(toChild[0]);
  in_ = FileDescriptor(toChild[1]);
  if (::pipe2(fromChild, O_CLOEXEC) != 0) return Error(ErrorCode::Io, std::string("cannot make a pipe: ") + std::strerror(errno));
  out_ = FileDescriptor(fromChild[0]);
  FileDescriptor childOut(fromChild[1]);
  std::vector<char*> words;
  for (auto& word : command_) words.push_back(word.data());
  words.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ < 0) return Error(ErrorCode::Io, std::string("cannot start a worker: ") + std::strerror(errno));
  if (pid_ == 0) become(words.data(), childIn.get(), childOut.get());
  childIn = FileDescriptor();
  childOut = FileDescriptor();
  return readLine(timeout);
}

std::string WorkerProcess::collect() {
  int status = 0;
  in_ = FileDescriptor();
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  out_ = FileDescriptor();
  pending_.clear();
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
  return "exit code " + std::to_string(WEXITSTATUS(status));
}

void WorkerProcess::stop() {
  if (pid_ <= 0) return;
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
  (void)collect();
}

WorkerReply WorkerProcess::readLine(std::chrono::milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  char buffer[65536];
  for (;;) {
    if (const size_t end = pending_.find('\n'); end != std::string::npos) {
      auto answer = nlohmann::json::parse(pending_.substr(0, end), nullptr, false);
      pending_.erase(0, end + 1);
      if (answer.is_object()) return {WorkerReply::How::Answered, std::move(answer), {}};
      continue;  // launchers print, too
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0 || pending_.size() > kLongestLine) {
      stop();
      return {WorkerReply::How::TimedOut, {}, {}};
    }
    pollfd waiting{out_.get(), POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(std::min<long long>(left, 60'000))) <= 0) continue;
    const ssize_t got = ::read(out_.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {WorkerReply::How::Ended, {}, collect()};
    pending_.append(buffer, static_cast<size_t>(got));
  }
}

WorkerReply WorkerProcess::ask(const nlohmann::json& request, std::chrono::milliseconds timeout) {
  const std::string line = request.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  if (!writeAll(in_.get(), std::as_bytes(std::span(line)), "the worker")) return {WorkerReply::How::Ended, {}, collect()};
  return readLine(timeout);
}

Expected<std::vector<std::string>> splitWords(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool inWord = false;
  for (char c : text) {
    if (quote) {
      if (c == quote) quote = 0;
      else word += c;
    } else if (c == '\'' || c == '"') {
      quote = c, inWord = true;
    } else if (c == ' ' || c == '\t') {
      if (inWord) words.push_back(std::move(word)), word.clear(), inWord = false;
    } else {
      word += c, inWord = true;
    }
  }
  if (quote) return Error(ErrorCode::InvalidArgument, "a quote is not closed in: " + text);
  if (inWord) words.push_back(std::move(word));
  return words;
}

}  // namespace mneme::cli
