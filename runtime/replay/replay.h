// SPDX-License-Identifier: Apache-2.0
/// The whole replay of one recording, and its verdict. What `mneme replay` does once the device is open.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "device/device.h"
#include "format/recording_set.h"
#include "format/tolerance.h"
#include "replay/code_selection.h"
#include "replay/compare.h"
#include "replay/session.h"

namespace mneme::replay {

struct Request {
  CodeRequest code;
  std::vector<format::Tolerance> tolerances;  ///< given for this replay; they win over everything
  unsigned repeat = 0;       ///< timed runs after the verified one
  bool relocate = true;      ///< see SessionOptions
  bool acceptAnswer = false; ///< whatever the answer is, make it the recorded one (baseline.h)
  /// Makes of selected bitcode what the device takes, pinned to the recorded addresses. Null: the device takes bitcode.
  std::function<Expected<void>(const format::Manifest&, const device::DeviceInfo&, SelectedCode&)> generate;
  /// Joins relocatable bitcode and what it needs of `others`. Null: `generate` does it.
  std::function<Expected<void>(SelectedCode&)> complete;
  bool selfCheck = false;    ///< exact, whatever the set's tolerances and earlier self-checks say
  bool compare = true;       ///< false: another replay of the same code has compared the answer; the verdict is Pass
  /// Called after a verdict that is no mismatch, with the code that ran: measuring starts here. The session can restore.
  std::function<Expected<void>(ReplaySession&, const SelectedCode&)> afterVerified;
  [[nodiscard]] bool runsAgain() const { return repeat > 0 || afterVerified; }
};

enum class Outcome { Pass, Mismatch, KernelGone, ParametersChanged, VariableChanged, Undecided };

struct Verdict {
  Outcome outcome = Outcome::Pass;
  std::string reason;        ///< one clause; empty for Pass and Mismatch
  CodeKind kind = CodeKind::Llvm;
  std::string origin;        ///< "recorded code", "current build"
  std::string howCompared;   ///< "exactly", "within …"
  size_t relocated = 0;      ///< regions not at their recorded address
  Comparison comparison;
  std::vector<ElementType> elements;    ///< by region, as compared
  uint64_t kernelNanoseconds = 0;       ///< of the verified run
  std::vector<uint64_t> timedNanoseconds;  ///< of the repeated runs
};

/// Errors are trouble with the recording or the device; everything about the answer is in the verdict.
[[nodiscard]] Expected<Verdict> replay(format::Recording& recording, device::Device& device, const Request& request);

}  // namespace mneme::replay
