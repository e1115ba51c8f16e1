// SPDX-License-Identifier: Apache-2.0
/// The static gate: both sides' code through the same assembler here, so that only the code can differ. PTX before bitcode
/// before images, which may come from two assemblers.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "code/instruction_classes.h"
#include "code/occupancy.h"
#include "code_rows.h"
#include "gate_job.h"
#include "static_limits.h"
#include "text.h"

namespace mneme::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kShownArchitectures = 3;
constexpr const char* kAssembler =
    "no assembler for it here: install the CUDA toolkit's ptxas (package cuda-nvcc, or nvidia-cuda-toolkit; CUDA_HOME names "
    "its folder) or libnvJitLink (package libnvjitlink)";

struct Compared {
  std::string architecture;
  Figures baseline, candidate;
  std::vector<Excess> excesses;
  std::optional<code::SourceLine> firstSpill;  ///< of the candidate
};

Figures figuresOf(const code::KernelStatistics& needs, const LaunchShape& shape) {
  Figures figures{{"registers", needs.registers}, {"stack", static_cast<double>(needs.stackBytes)},
                  {"spills", static_cast<double>(needs.spillStoreBytes + needs.spillLoadBytes)},
                  {"shared", static_cast<double>(needs.sharedBytes)}, {"constant", static_cast<double>(needs.constantBytes)},
                  {"code", static_cast<double>(needs.codeBytes)}};
  for (const auto& [name, count] : needs.instructions) {
    figures[name + "_instructions"] = count;
    figures["instructions"] += count;
  }
  if (needs.scalarRegisters) figures["scalar_registers"] = *needs.scalarRegisters;
  const auto threads = static_cast<uint32_t>(shape.block.count());
  if (const auto occupancy = code::theoreticalOccupancy(needs, threads, shape.dynamicSharedBytes))
    figures["occupancy"] = std::round(occupancy->fraction * 1e4) / 100;
  return figures;
}

std::string figureText(const std::string& metric, double value) {
  return numberText(value) + (metric == "occupancy" ? " %" : "");
}

/// "registers 34, was 32".
std::string changeText(const std::string& metric, double was, double is) {
  const std::string text = metric + " " + figureText(metric, is);
  return was == is ? text : text + " (was " + figureText(metric, was) + ")";
}

class StaticGate {
 public:
  StaticGate(const GateOptions& options, const fs::path& path) : options_(options), path_(path) {}

  ReplayResult run() {
    auto manifest = readManifest(path_);
    if (!manifest) return gateResult("static", path_, "unreadable", kUnreadable, manifest.error().message());
    manifest_ = &*manifest;
    auto limits = staticLimits(options_.staticLimits);
    if (!limits) return gateResult("static", path_, "error", kUsage, limits.error().message());
    limits_ = std::move(*limits);
    const bool own = options_.baseline == "recorded" || fs::path(options_.baseline).extension() == ".json";
    baselinePath_ = own ? path_ : fs::path(options_.baseline);
    for (const CodeKind kind : {CodeKind::Ptx, CodeKind::Llvm, CodeKind::Image}) {
      if (!options_.replay.as.empty() && codeKindFromName(options_.replay.as) != kind) continue;
      if (auto failed = compareAs(kind)) return std::move(*failed);
      if (!compared_.empty()) return judged(kind);
    }
    return nothingCompared();
  }

 private:
  /// This kernel's numbers from one side, by what matches its name best. An error result where the file cannot be read.
  std::optional<ReplayResult> collect(const fs::path& path, CodeKind kind, std::vector<CodeRow>& rows, bool& present) {
    for (const auto& architecture : architectures()) {
      CodeQuery query{path, kind, architecture, [&](const std::string& kernel) { return matches(kernel); }};
      auto code = collectCode(query);
      if (!code) return gateResult("static", path_, "error", exitCodeFor(code.error().code()), code.error().message());
      noAssembler_ |= code->noAssembler;
      if (code->noAssembler) present = true;
      for (auto& remark : code->remarks) remarks_.push_back(std::move(remark));
      auto best = replay::NameMatch::OtherParameters;
      for (const auto& row : code->rows) best = std::min(best, replay::matchNames(manifest_->kernel, row.statistics.kernel));
      for (auto& row : code->rows)
        if (best < replay::NameMatch::OtherParameters && replay::matchNames(manifest_->kernel, row.statistics.kernel) == best)
          rows.push_back(std::move(row));
    }
    present |= !rows.empty();
    return std::nullopt;
  }

  [[nodiscard]] bool matches(const std::string& kernel) const {
    return replay::matchNames(manifest_->kernel, kernel) <= replay::NameMatch::Signature;
  }

  [[nodiscard]] std::vector<std::string> architectures() const {
    return options_.architectures.empty() ? std::vector<std::string>{""} : options_.architectures;
  }

  std::optional<ReplayResult> compareAs(CodeKind kind) {
    std::vector<CodeRow> before, now;
    if (auto failed = collect(baselinePath_, kind, before, baselinePresent_)) return failed;
    if (auto failed = collect(options_.replay.code, kind, now, candidatePresent_)) return failed;
    for (const auto& row : now)
      for (const auto& old : before) {
        if (old.statistics.architecture != row.statistics.architecture || isKnown(row.statistics.architecture)) continue;
        Compared one{row.statistics.architecture, figuresOf(old.statistics, manifest_->shape), figuresOf(row.statistics, manifest_->shape), {},
                     row.statistics.firstSpill};
        one.excesses = excesses(limits_, one.baseline, one.candidate);
        compared_.push_back(std::move(one));
      }
    return std::nullopt;
  }

  [[nodiscard]] bool isKnown(const std::string& architecture) const {
    return std::any_of(compared_.begin(), compared_.end(), [&](const Compared& one) { return one.architecture == architecture; });
  }

  ReplayResult judged(CodeKind kind) {
    const auto failed = std::count_if(compared_.begin(), compared_.end(), [](const Compared& one) { return !one.excesses.empty(); });
    std::stable_sort(compared_.begin(), compared_.end(), [](const Compared& a, const Compared& b) { return a.excesses.size() > b.excesses.size(); });
    auto result = gateResult("static", path_, failed ? "exceeded" : "pass", failed ? kFailed : kPass, headline(kind, failed > 0));
    for (size_t i = 0; i < std::min(kShownArchitectures, compared_.size()); ++i) result.lines.push_back(figuresLine(compared_[i]));
    const auto& worst = compared_.front();
    if (failed && worst.firstSpill && spills(worst)) {
      result.lines.push_back("  spilling starts at " + worst.firstSpill->file + ":" + std::to_string(worst.firstSpill->line));
      result.data["source"] = worst.firstSpill->file;
      result.data["line"] = worst.firstSpill->line;
    }
    if (failed) {
      const std::string next = "mneme stats " + shellQuoted(options_.replay.code) + "   (of each kernel); if it is meant: mneme baseline update " +
                               shellQuoted(path_.string()) + " --code " + shellQuoted(options_.replay.code);
      result.lines.push_back("  next: " + next);
      result.data["next"] = next;
    }
    fill(result.data, kind);
    return result;
  }

  [[nodiscard]] static bool spills(const Compared& one) {
    return std::any_of(one.excesses.begin(), one.excesses.end(), [](const Excess& excess) { return excess.metric == "spills"; });
  }

  [[nodiscard]] std::string headline(CodeKind kind, bool failed) const {
    const std::string through = std::string(name(kind)) + (kind == CodeKind::Image ? " as each build made it" : ", both sides assembled here");
    if (!failed) return "within its limits on " + counted(compared_.size(), "architecture") + " (" + through + ")";
    std::string text;
    for (const auto& excess : compared_.front().excesses)
      text += (text.empty() ? "" : "; ") + excess.metric + " " + figureText(excess.metric, excess.candidate) + ", baseline " +
              figureText(excess.metric, excess.baseline) + ", allowed " + figureText(excess.metric, excess.allowed);
    return compared_.front().architecture + ": " + text + " (" + through + ")";
  }

  [[nodiscard]] std::string figuresLine(const Compared& one) const {
    std::string text = "  " + one.architecture + ":";
    for (const char* metric : {"registers", "spills", "stack", "shared", "constant", "instructions", "occupancy"})
      if (const auto is = one.candidate.find(metric), was = one.baseline.find(metric); is != one.candidate.end() && was != one.baseline.end())
        text += " " + changeText(metric, was->second, is->second) + ",";
    text.pop_back();
    return text + classesText(one);
  }

  /// The classes whose number changed.
  [[nodiscard]] static std::string classesText(const Compared& one) {
    std::string text;
    for (std::string_view name : code::kInstructionClasses) {
      const std::string metric = std::string(name) + "_instructions";
      const auto is = one.candidate.find(metric), was = one.baseline.find(metric);
      if (is == one.candidate.end() || was == one.baseline.end() || is->second == was->second) continue;
      text += (text.empty() ? " (" : ", ") + changeText(std::string(name), was->second, is->second);
    }
    return text.empty() ? text : text + ")";
  }

  void fill(nlohmann::json& data, CodeKind kind) const {
    data["kernel"] = manifest_->demangled;
    data["code"] = name(kind);
    data["block"] = manifest_->shape.block.count();
    auto& all = data["architectures"] = nlohmann::json::array();
    for (const auto& one : compared_) {
      nlohmann::json beyond = nlohmann::json::array();
      for (const auto& excess : one.excesses) beyond.push_back({{"metric", excess.metric}, {"allowed", excess.allowed}});
      all.push_back({{"arch", one.architecture}, {"baseline", one.baseline}, {"candidate", one.candidate}, {"exceeded", beyond}});
    }
    const auto key = [](const std::string& metric) { return metric == "code" ? "code_bytes" : metric; };
    for (const auto& [metric, value] : compared_.front().candidate) data[key(metric)] = value;
    for (const auto& [metric, value] : compared_.front().baseline) data["baseline_" + key(metric)] = value;
  }

  ReplayResult nothingCompared() {
    const std::string code = shellQuoted(options_.replay.code), path = shellQuoted(path_.string());
    if (!baselinePresent_ && hostCodeOnly()) return hostCodeResult(path, code);
    if (noAssembler_) {
      auto result = gateResult("static", path_, "skipped", kNotHere, kAssembler);
      addRemark(result);
      return result;
    }
    if (!candidatePresent_) {
      auto result = gateResult("static", path_, "kernel-gone", kFailed,
                               "no machine code of " + manifest_->demangled + " in " + options_.replay.code);
      addRemark(result);
      result.lines.push_back("  next: mneme stats " + code);
      return result;
    }
    const std::string what = baselinePresent_ ? "baseline and candidate have no architecture in common"
                                              : "no baseline: " + baselinePath_.string() + " has no machine code of " + manifest_->demangled;
    return undecidedResult(options_, "static", path_, what, "mneme baseline update " + path + " --code " + code);
  }

  /// What a program of relocatable code gave the host device: linked, and no longer for a GPU.
  [[nodiscard]] bool hostCodeOnly() const {
    return baselinePath_ == path_ && manifest_->backend == "host" &&
           std::all_of(manifest_->code.begin(), manifest_->code.end(),
                       [&](const format::CodeReference& one) { return one.architecture == manifest_->architecture; });
  }

  [[nodiscard]] ReplayResult hostCodeResult(const std::string& path, const std::string& code) const {
    auto result = gateResult("static", path_, "skipped", kNotHere,
                             "no baseline: the recorded code was linked for the host device (" + manifest_->architecture +
                                 "), which has no registers to count");
    const std::string next = "mneme baseline update " + path + " --code " + code + "   (keeps the device code)";
    result.lines.push_back("  next: " + next);
    result.data["next"] = next;
    return result;
  }

  void addRemark(ReplayResult& result) const {
    if (!remarks_.empty()) result.lines.push_back("  note: " + remarks_.front());
  }

  const GateOptions& options_;
  const fs::path& path_;
  const format::Manifest* manifest_ = nullptr;
  fs::path baselinePath_;
  std::vector<StaticLimit> limits_;
  std::vector<Compared> compared_;
  std::vector<std::string> remarks_;
  bool noAssembler_ = false, baselinePresent_ = false, candidatePresent_ = false;
};

}  // namespace

ReplayResult gateStatic(const GateOptions& options, const fs::path& manifest) { return StaticGate(options, manifest).run(); }

}  // namespace mneme::cli
