// SPDX-License-Identifier: Apache-2.0
/// See next_step.h.
#include "next_step.h"

#include <algorithm>
#include <system_error>

#include "code_origins.h"
#include "replay/code_selection.h"
#include "text.h"

namespace mneme::cli {
namespace {

using replay::Outcome;

std::string setOf(const std::filesystem::path& path) {
  auto folder = path.parent_path().string();
  return shellQuoted(folder.empty() ? "." : folder);
}

std::string replayCommand(const std::filesystem::path& path, const ReplayOptions& options) {
  return "mneme replay " + shellQuoted(path.string()) +
         (options.fromBinary() ? " --code " + shellQuoted(options.code) : std::string());
}

std::string baselineCommand(const std::filesystem::path& path, const std::string& binary) {
  return "mneme baseline update " + shellQuoted(path.string()) + " --code " + shellQuoted(binary);
}

/// A tolerance helps numbers; where anything else differs between two runs, it helps nobody.
bool changesOnlyFloats(const replay::Verdict& verdict, const format::Manifest& manifest) {
  for (size_t i = 0; i < manifest.regions.size() && i < verdict.elements.size(); ++i)
    if (manifest.regions[i].changed && !replay::isFloat(verdict.elements[i])) return false;
  return true;
}

std::string undecidedCommand(const replay::Verdict& verdict, const format::Manifest& manifest,
                             const std::filesystem::path& path, const ReplayOptions& options) {
  if (manifest.redaction == format::Redaction::Memory) {
    auto program = options.fromBinary() ? options.code : programOf(manifest).string();
    return baselineCommand(path, program.empty() ? "BINARY" : program) + "   (makes what it answers to the noise the recorded answer)";
  }
  if (changesOnlyFloats(verdict, manifest)) return replayCommand(path, options) + " --tolerance rtol=1e-5";
  return recordCommand(manifest, path, "--reach all") +
         "   (finds memory that --reach reachable missed; an answer that never repeats cannot be a test: mneme rm " +
         shellQuoted(path.string()) + ")";
}

std::string nextAfterDamage(const format::Manifest* manifest, const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return "mneme ls " + setOf(path);
  if (!manifest) return "mneme verify-set " + setOf(path) + "   (names what is damaged; restore it, or record again)";
  return recordCommand(*manifest, path) + "   (or restore the set; mneme verify-set " + setOf(path) + " names what is damaged)";
}

std::string nextAfterRefusal(const format::Manifest& manifest, const std::filesystem::path& path, const ReplayOptions& options) {
  auto own = manifest.backend;
  if (options.device != "auto" && options.device.substr(0, options.device.find(':')) != own)
    return replayCommand(path, options) + " --device " + own + "   (where it was recorded)";
  return "mneme show " + shellQuoted(path.string()) + "   (what the launch uses; another --as or --device may take it)";
}

}  // namespace

std::string recordCommand(const format::Manifest& manifest, const std::filesystem::path& path, const std::string& extra) {
  std::string program = manifest.program.empty() ? "PROGRAM" : manifest.program;
  return "mneme record -o " + setOf(path) + " --kernel " + shellQuoted(manifest.shortName) + (extra.empty() ? "" : " " + extra) +
         " -- " + program;
}

std::string nextAfterVerdict(const replay::Verdict& verdict, const format::Manifest& manifest,
                             const std::filesystem::path& path, const ReplayOptions& options) {
  switch (verdict.outcome) {
    case Outcome::Pass: return {};
    case Outcome::KernelGone:
      if (const auto missing = replay::missingLibrary(options.code, manifest); !missing.empty())
        return "mneme replay " + shellQuoted(path.string()) + " --code " +
               shellQuoted(std::filesystem::path(missing).filename().string()) + "   (wherever that is now)";
      return "mneme prune " + setOf(path) + " --code " + shellQuoted(options.code);
    case Outcome::ParametersChanged:
    case Outcome::VariableChanged: return recordCommand(manifest, path);
    case Outcome::Undecided: return undecidedCommand(verdict, manifest, path, options);
    case Outcome::Mismatch: break;
  }
  if (options.fromBinary()) return baselineCommand(path, options.code) + "   (if the new answer is right)";
  return recordCommand(manifest, path) + "   (recorded code no longer gives the recorded answer here)";
}

std::string nextAfterTrouble(const ReplayResult& result, const format::Manifest* manifest, const std::filesystem::path& path,
                             const ReplayOptions& options) {
  if (result.exitCode == kUnreadable || !manifest) return nextAfterDamage(manifest, path);
  const bool codeIsWrong = options.fromBinary() && result.data.value("reason", "").starts_with(options.code);
  if (codeIsWrong) return "mneme ir ls " + shellQuoted(options.code) + "   (of a program, it lists the kernels; --code takes a program)";
  if (result.exitCode == kUsage) return "mneme show " + shellQuoted(path.string()) + "   (its buffers and its launch)";
  if (result.data.value("refused", false)) return nextAfterRefusal(*manifest, path, options);
  if (options.fromBinary())
    return "mneme replay " + shellQuoted(path.string()) + "   (the recorded code: if that passes, the current build's is at fault)";
  return recordCommand(*manifest, path) + "   (the recorded code does not run on the recorded memory here)";
}

}  // namespace mneme::cli
