// SPDX-License-Identifier: Apache-2.0
/// A tuning worker as its parent sees it: a process behind a launcher that answers lines, and may die or hang instead.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"

namespace mneme::cli {

struct WorkerReply {
  enum class How { Answered, Ended, TimedOut };
  How how = How::Ended;
  nlohmann::json answer;   ///< of Answered
  std::string end;         ///< of Ended: "signal 11 (Segmentation fault)", "exit code 1"
};

/// One process at a time; start() replaces one that is gone. Killed when destroyed.
class WorkerProcess {
 public:
  /// `command`: launcher, program, arguments.
  explicit WorkerProcess(std::vector<std::string> command) : command_(std::move(command)) {}
  ~WorkerProcess() { stop(); }
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  [[nodiscard]] bool running() const { return pid_ > 0; }
  /// Starts and waits for the first line.
  [[nodiscard]] Expected<WorkerReply> start(std::chrono::milliseconds timeout);
  /// Sends a line and waits for one. After anything but an answer the process is gone.
  [[nodiscard]] WorkerReply ask(const nlohmann::json& request, std::chrono::milliseconds timeout);
  void stop();

 private:
  [[nodiscard]] WorkerReply readLine(std::chrono::milliseconds timeout);
  std::string collect();

  std::vector<std::string> command_;
  pid_t pid_ = -1;
  FileDescriptor in_, out_;
  std::string pending_;
};

/// A launcher's words, as a shell would split them: quotes hold words together, nothing is expanded.
[[nodiscard]] Expected<std::vector<std::string>> splitWords(const std::string& text);

}  // namespace mneme::cli
