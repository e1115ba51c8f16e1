// SPDX-License-Identifier: Apache-2.0
/// One gate of one recording: what it was asked and what it found. Results are those of a replay, with more in `data`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gate/decision.h"
#include "replay_job.h"

namespace mneme::cli {

struct GateOptions {
  ReplayOptions replay;                  ///< device, binary under test, tolerances, time limit of one process
  std::vector<std::string> kinds;        ///< verify, perf, static
  std::string baseline = "recorded";     ///< or a binary, or stored times (.json)
  double maxSlowdown = 0;                ///< 0: by the device
  double minEffect = -1;                 ///< nanoseconds; negative: by the device
  std::vector<std::string> staticLimits; ///< "registers=+0"
  std::vector<std::string> architectures; ///< for static; empty: those of the code
  std::string undecided = "fail";        ///< or skip, pass
  std::string cache = "auto";            ///< or cold, warm
  std::string buildType;                 ///< the build's configuration, where CMake runs the gate
  std::string saveTimes;                 ///< file to put the candidate's times into, instead of comparing them
  unsigned budgetSeconds = 30;           ///< of one recording's perf gate
  uint64_t seed = 0;                     ///< of the order inside the pairs; 0: a fresh one
  bool measureUnchanged = false;         ///< time identical code, too
  nlohmann::json looked;                 ///< what an earlier gate of the same code, on both sides, found; null: look
};

/// What counts as slower on this back-end, where the options do not say.
[[nodiscard]] gate::Limits limitsFor(const GateOptions& options, const std::string& backend);

/// The current build's kernel computes the recorded answer.
[[nodiscard]] ReplayResult gateVerify(const GateOptions& options, const std::filesystem::path& manifest);
/// It is not slower than the baseline.
[[nodiscard]] ReplayResult gatePerf(const GateOptions& options, const std::filesystem::path& manifest);
/// It needs no more registers, spills, memory than the baseline. No device.
[[nodiscard]] ReplayResult gateStatic(const GateOptions& options, const std::filesystem::path& manifest);

/// "perf saxpy.1a2b3c4d": how results of gates are headed.
[[nodiscard]] std::string gateName(const std::string& kind, const std::filesystem::path& manifest);

/// A result without a measurement: the word, the reason, the exit code.
[[nodiscard]] ReplayResult gateResult(const std::string& kind, const std::filesystem::path& manifest,
                                      const std::string& verdict, int exitCode, const std::string& reason);

/// Undecided, with the exit code that the policy gives it, and what to do next.
[[nodiscard]] ReplayResult undecidedResult(const GateOptions& options, const std::string& kind,
                                           const std::filesystem::path& manifest, const std::string& reason,
                                           const std::string& next);

}  // namespace mneme::cli
