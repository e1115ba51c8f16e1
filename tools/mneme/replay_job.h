// SPDX-License-Identifier: Apache-2.0
/// One replay as the tool runs it: in a child process, on a chosen device, under its lock and a time limit.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "device_choice.h"
#include "device_lock.h"
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
  // What gates ask for.
  bool compare = true;        ///< false: the same code's answer was compared before
  bool inspect = false;       ///< say how to tell the code apart from another, and whether it was built for a debugger
  std::string measure;        ///< time it with these caches: auto, cold or warm; empty: do not
  unsigned measureMilliseconds = 250;  ///< for sampling
  bool lockHeld = false;      ///< the caller has the device's lock
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

/// The device's lock, where this use of it needs one; none where it cannot be had, which is said once.
[[nodiscard]] std::optional<DeviceLock> lockFor(const DeviceChoice& device, bool measures);

/// The manifest alone, of a set that can be read.
[[nodiscard]] Expected<format::Manifest> readManifest(const std::filesystem::path& path);

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
