// SPDX-License-Identifier: Apache-2.0
/// One replay as the tool runs it: in a child process, on a chosen device, under its lock and a time limit.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command.h"
#include "format/manifest.h"
#include "replay/replay.h"

namespace mneme::cli {

/// The options of `mneme replay`, as given.
struct ReplayOptions {
  std::string device = "auto";
  std::string code = "recorded";  ///< or a binary
  std::string as;                 ///< code kind, empty: what fits
  std::string shape = "built";
  std::vector<std::string> tolerances;
  unsigned repeat = 0;
  unsigned timeoutSeconds = 240;
  bool selfCheck = false;   ///< see replay::Request
  bool relocate = true;     ///< of a child: accept other addresses
  bool fallback = false;    ///< of a child: `auto` chose this device only for want of the recording's own
  bool acceptAnswer = false;  ///< make the new answer the recorded one (`mneme baseline update`)
  [[nodiscard]] bool fromBinary() const { return code != "recorded"; }
};

/// What a replay came to. `data` is what --json and --junit show.
struct ReplayResult {
  int exitCode = kPass;
  std::vector<std::string> lines;  ///< for people, the verdict first
  nlohmann::json data;
};

/// Of several verdicts the worst decides: trouble over failures over undecided over skips; 0 only if all pass.
[[nodiscard]] int worseOf(int exitCode, int other);

/// Runs the replay in a child and waits. Never fails itself: trouble is a result, too.
[[nodiscard]] ReplayResult replayOne(const ReplayOptions& options, const std::filesystem::path& manifest);

/// The child's side: replays in this process.
[[nodiscard]] ReplayResult replayHere(const ReplayOptions& options, const std::filesystem::path& manifest);

[[nodiscard]] std::string toText(const ReplayResult& result);
[[nodiscard]] Expected<ReplayResult> resultFromText(const std::string& text);

/// An error as a result: "ERROR name: message".
[[nodiscard]] ReplayResult troubleResult(const std::filesystem::path& manifest, const std::string& verdict, int exitCode,
                                         const std::string& message);

/// InvalidArgument if an option has no meaning; checked before anything runs.
[[nodiscard]] Expected<void> checkOptions(const ReplayOptions& options);

/// "saxpy.1a2b3c4d": the manifest's file name without ".json".
[[nodiscard]] std::string recordingName(const std::filesystem::path& manifest);

}  // namespace mneme::cli
