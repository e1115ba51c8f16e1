// SPDX-License-Identifier: Apache-2.0
/// What the kinds of gates share, and the simplest of them; see gate_job.h.
#include "gate_job.h"

#include <utility>

namespace mneme::cli {
namespace {

/// A GPU's clock and timer are steady; a processor shares both with everything else that runs.
constexpr gate::Limits kGpuLimits{1.01, 100}, kHostLimits{1.10, 2000};

const char* headWord(int exitCode) {
  switch (exitCode) {
    case kPass: return "PASS";
    case kFailed: return "FAIL";
    case kUndecided: return "UNDECIDED";
    case kNotHere: return "SKIP";
    default: return "ERROR";
  }
}

int codeOfUndecided(const std::string& policy) {
  return policy == "pass" ? kPass : policy == "skip" ? kNotHere : kUndecided;
}

}  // namespace

gate::Limits limitsFor(const GateOptions& options, const std::string& backend) {
  auto limits = backend == "host" ? kHostLimits : kGpuLimits;
  if (options.maxSlowdown > 0) limits.maxSlowdown = options.maxSlowdown;
  if (options.minEffect >= 0) limits.minEffect = options.minEffect;
  return limits;
}

std::string gateName(const std::string& kind, const std::filesystem::path& manifest) {
  return kind + " " + recordingName(manifest);
}

ReplayResult gateResult(const std::string& kind, const std::filesystem::path& manifest, const std::string& verdict,
                        int exitCode, const std::string& reason) {
  ReplayResult result{exitCode, {std::string(headWord(exitCode)) + " " + gateName(kind, manifest) + ": " + reason}, {}};
  result.data = {{"name", recordingName(manifest)}, {"kind", kind}, {"manifest", manifest.string()}, {"verdict", verdict},
                 {"reason", reason}};
  return result;
}

ReplayResult undecidedResult(const GateOptions& options, const std::string& kind, const std::filesystem::path& manifest,
                             const std::string& reason, const std::string& next) {
  auto result = gateResult(kind, manifest, "undecided", codeOfUndecided(options.undecided), reason);
  result.lines[0].replace(0, result.lines[0].find(' '), "UNDECIDED");
  if (options.undecided != "fail") result.lines.push_back("  --undecided " + options.undecided + ": counts as that");
  result.lines.push_back("  next: " + next);
  result.data["next"] = next;
  return result;
}

ReplayResult gateVerify(const GateOptions& options, const std::filesystem::path& manifest) {
  auto result = replayOne(options.replay, manifest);
  result.data["kind"] = "verify";
  if (!result.lines.empty())
    if (const size_t word = result.lines[0].find(' '); word != std::string::npos) result.lines[0].insert(word, " verify");
  return result;
}

}  // namespace mneme::cli
