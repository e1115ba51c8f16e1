// SPDX-License-Identifier: Apache-2.0
/// The perf gate: both sides looked at once (answer, machine code), then measured in pairs of fresh processes until the
/// decision is made. The device is this gate's alone from the first pair to the last.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <optional>
#include <random>

#include "gate_calibrate.h"
#include "gate_job.h"
#include "text.h"
#include "times_file.h"

namespace mneme::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kStoredProcesses = 12;   // launches for times that are kept, or compared with kept ones
constexpr unsigned kSlowedPairs = 4;        // pairs measured again because the device was slowed down
constexpr size_t kShownRemarks = 3;

std::string ratioText(double ratio) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4f", ratio);
  return text;
}

/// Times below a microsecond matter here.
std::string exactTime(double nanoseconds) {
  char text[48];
  if (nanoseconds < 1e5) std::snprintf(text, sizeof text, "%.3f us", nanoseconds / 1e3);
  else if (nanoseconds < 1e8) std::snprintf(text, sizeof text, "%.4f ms", nanoseconds / 1e6);
  else std::snprintf(text, sizeof text, "%.4f s", nanoseconds / 1e9);
  return text;
}

struct Side {
  std::string label;      ///< "recorded code", "build/heat"
  ReplayOptions options;
  ReplayResult first;     ///< verified and inspected
  std::vector<double> medians;
};

class PerfGate {
 public:
  PerfGate(const GateOptions& options, const std::filesystem::path& manifest) : options_(options), path_(manifest) {
    candidate_.label = options.replay.code == "recorded" ? "recorded code" : options.replay.code;
    candidate_.options = options.replay;
    candidate_.options.repeat = 0;
    baseline_ = candidate_;
    baseline_.options.code = options.baseline;
    baseline_.label = options.baseline == "recorded" ? "recorded code" : options.baseline;
  }

  ReplayResult run() {
    auto manifest = readManifest(path_);
    if (!manifest) return replayOne(candidate_.options, path_);  // says what is wrong and what to do
    if (options_.buildType == "Debug") return skip("a Debug build is not what ships: configure with Release or RelWithDebInfo");
    auto choice = chooseDevice(options_.replay.device, manifest->backend);
    std::optional<DeviceLock> lock;
    if (choice) {
      lock = lockFor(*choice, true);
      backend_ = choice->backend;
    }
    if (!options_.looked.is_null()) return compareKnown();
    if (auto ended = lookAtCandidate()) return std::move(*ended);
    if (!options_.saveTimes.empty()) return saveTimes();
    if (isStored()) return compareWithStored();
    if (auto ended = lookAtBaseline()) return std::move(*ended);
    return comparePairs();
  }

 private:
  [[nodiscard]] bool isStored() const { return std::filesystem::path(options_.baseline).extension() == ".json"; }
  ReplayResult skip(const std::string& reason) { return gateResult("perf", path_, "skipped", kNotHere, reason); }
  [[nodiscard]] std::string calibrateCommand() const {
    return "mneme gate --calibrate " + shellQuoted(path_.string()) + "   (what this machine can tell apart)";
  }

  ReplayResult asPerf(ReplayResult result) {
    result.data["kind"] = "perf";
    if (const size_t word = result.lines[0].find(' '); word != std::string::npos) result.lines[0].insert(word, " perf");
    return result;
  }

  /// Verified: what is wrong is not timed. A result if the gate ends here.
  std::optional<ReplayResult> lookAtCandidate() {
    candidate_.options.inspect = candidate_.options.lockHeld = true;
    candidate_.first = replayOne(candidate_.options, path_);
    if (candidate_.first.exitCode != kPass && candidate_.first.exitCode != kUndecided) return asPerf(candidate_.first);
    candidate_.options.compare = candidate_.options.inspect = false;
    if (auto why = candidate_.first.data.value("debug_build", ""); !why.empty())
      return skip(candidate_.label + " was " + why + ", which is not what ships");
    return std::nullopt;
  }

  std::optional<ReplayResult> lookAtBaseline() {
    baseline_.options.as = candidate_.first.data.value("code", "");
    baseline_.options.lockHeld = baseline_.options.inspect = true;
    baseline_.options.compare = false;
    baseline_.first = replayOne(baseline_.options, path_);
    if (baseline_.first.exitCode != kPass) return noBaseline();
    baseline_.options.inspect = false;
    auto hashOf = [](const Side& side) { return side.first.data.value("code_hash", "?"); };
    if (hashOf(baseline_) != hashOf(candidate_) || options_.measureUnchanged) return std::nullopt;
    auto result = gateResult("perf", path_, "unchanged", kPass,
                             "unchanged: the machine code is that of the " + baseline_.label + ", so nothing was measured");
    describe(result);
    return result;
  }

  /// Both sides are the same code, which has been looked at.
  ReplayResult compareKnown() {
    candidate_.first.data = options_.looked;
    candidate_.options.compare = false;
    candidate_.options.as = options_.looked.value("code", "");
    baseline_.options = candidate_.options;
    return comparePairs();
  }

  ReplayResult noBaseline() {
    auto why = baseline_.first.data.value("reason", baseline_.first.lines.empty() ? "" : baseline_.first.lines[0]);
    return undecidedResult(options_, "perf", path_, "no baseline: " + baseline_.label + " could not be run: " + why,
                           "mneme baseline update " + shellQuoted(path_.string()) + " --code " +
                               shellQuoted(options_.replay.code) + "   (makes the current code the baseline)");
  }

  void describe(ReplayResult& result) {
    auto& data = result.data;
    for (const char* key : {"kernel", "device", "code", "driver", "architecture", "compiler"})
      if (candidate_.first.data.contains(key)) data[key] = candidate_.first.data[key];
    data["backend"] = backend_;
    data["baseline"] = baseline_.label;
    data["candidate"] = candidate_.label;
  }

  /// Of remarks that differ in their numbers alone one is shown.
  void note(const std::string& remark) {
    auto& kept = remarks_[remark.substr(0, remark.find_first_of("0123456789"))];
    kept.first = remark;
    ++kept.second;
  }

  /// One process; nullopt (with the result kept) if it failed.
  std::optional<double> measureOnce(Side& side) {
    side.options.lockHeld = true;
    side.options.measure = options_.cache;
    auto result = replayOne(side.options, path_);
    if (!result.data.contains("measurement")) {
      failed_ = std::move(result);
      return std::nullopt;
    }
    const auto& measured = result.data["measurement"];
    slowed_ |= measured.value("throttled", false);
    cache_ = measured.value("cache", "");
    batch_ = measured.value("batch", 1u);
    megahertz_ = std::max(megahertz_, measured.value("megahertz", 0u));
    for (const auto& remark : measured["remarks"]) note(remark.get<std::string>());
    side.medians.push_back(measured.value("median_ns", 0.0));
    return side.medians.back();
  }

  /// Both sides in random order, neither known to the machine's drift. Taken again where the device was slowed down.
  std::optional<gate::Pair> measurePair() {
    slowed_ = false;
    const bool candidateFirst = random_() & 1;
    auto one = measureOnce(candidateFirst ? candidate_ : baseline_);
    auto other = one ? measureOnce(candidateFirst ? baseline_ : candidate_) : std::nullopt;
    if (!other) return std::nullopt;
    if (slowed_ && slowedPairs_ < kSlowedPairs) {
      ++slowedPairs_;
      candidate_.medians.pop_back();
      baseline_.medians.pop_back();
      return measurePair();
    }
    return candidateFirst ? gate::Pair{*other, *one} : gate::Pair{*one, *other};
  }

  ReplayResult comparePairs() {
    const auto limits = limitsFor(options_, backend_);
    gate::Decision decision(limits);
    const auto start = Clock::now();
    size_t taken = 0;
    while (decision.wanted() > 0) {
      const double spent = std::chrono::duration<double>(Clock::now() - start).count();
      const double perPair = taken > 0 ? spent / static_cast<double>(taken) : 0;
      const bool first = taken < gate::Rule{}.looks.front();
      if (!first && !decision.confirming() && spent + perPair * decision.wanted() > options_.budgetSeconds) decision.stop();
      if (decision.wanted() == 0) break;
      auto pair = measurePair();
      if (!pair) return asPerf(failed_);
      decision.add(*pair);
      ++taken;
    }
    seconds_ = std::chrono::duration<double>(Clock::now() - start).count();
    return judged(decision.judgement(), std::to_string(taken) + " process pairs");
  }

  std::optional<ReplayResult> measureCandidate(unsigned processes) {
    for (unsigned i = 0; i < processes; ++i)
      if (!measureOnce(candidate_)) return asPerf(failed_);
    return std::nullopt;
  }

  [[nodiscard]] TimesOrigin origin() const {
    const auto& data = candidate_.first.data;
    return {data.value("device", ""), data.value("driver", ""), data.value("compiler", "")};
  }

  ReplayResult saveTimes() {
    if (auto failed = measureCandidate(kStoredProcesses)) return std::move(*failed);
    auto saved = storeTimes(options_.saveTimes, recordingName(path_), origin(), {cache_, batch_, candidate_.medians});
    if (!saved) return gateResult("perf", path_, "error", kDevice, saved.error().message());
    auto result = gateResult("perf", path_, "saved", kPass,
                             exactTime(measure::median(candidate_.medians)) + ", median of " + std::to_string(kStoredProcesses) +
                                 " processes, put into " + options_.saveTimes);
    describe(result);
    result.data["candidate_ns"] = measure::median(candidate_.medians);
    return result;
  }

  ReplayResult compareWithStored() {
    auto stored = loadTimes(options_.baseline, recordingName(path_), origin());
    const std::string save = "mneme gate " + shellQuoted(path_.string()) + " --code BINARY --kinds perf --save-times " +
                             shellQuoted(options_.baseline) + "   (measures BINARY as the baseline)";
    if (!stored) return undecidedResult(options_, "perf", path_, stored.error().message(), save);
    if (auto failed = measureCandidate(kStoredProcesses)) return std::move(*failed);
    if (stored->cache != cache_ || stored->batch != batch_)
      note("the stored times were measured otherwise (" + stored->cache + " caches, " + std::to_string(stored->batch) + " launches a sample)");
    baseline_.medians = stored->medians;
    baseline_.label = options_.baseline;
    return judged(gate::judgeAgainstStored(stored->medians, candidate_.medians, limitsFor(options_, backend_)),
                  std::to_string(kStoredProcesses) + " processes");
  }

  ReplayResult judged(const gate::Judgement& judgement, const std::string& howMany) {
    auto result = verdictOf(judgement);
    result.lines[0] += "; " + howMany + ", " + cache_ + " caches" + (batch_ > 1 ? ", " + std::to_string(batch_) + " launches a sample" : "");
    result.lines.insert(result.lines.begin() + 1, "  baseline " + exactTime(judgement.baseline) + " (" + baseline_.label +
                                                      "), candidate " + exactTime(judgement.candidate) + " (" + candidate_.label + ")");
    addRemarks(result);
    describe(result);
    fill(result.data, judgement);
    return result;
  }

  [[nodiscard]] std::string numbers(const gate::Judgement& judgement) const {
    return ratioText(judgement.ratio) + " times the baseline (" + ratioText(judgement.interval.low) + " to " +
           ratioText(judgement.interval.high) + "), limit " + ratioText(judgement.limit);
  }

  ReplayResult verdictOf(const gate::Judgement& judgement) {
    const std::string text = "on " + candidate_.first.data.value("device", "") + ", " + numbers(judgement);
    switch (judgement.verdict) {
      case gate::Verdict::Regression: return regression(text);
      case gate::Verdict::Improvement: {
        auto result = gateResult("perf", path_, "improvement", kPass, "IMPROVEMENT " + text);
        result.lines.push_back("  next: mneme baseline update " + shellQuoted(path_.string()) + " --code " +
                               shellQuoted(options_.replay.code) + "   (keeps what was gained)");
        return result;
      }
      case gate::Verdict::Pass: return gateResult("perf", path_, "pass", kPass, text);
      case gate::Verdict::Undecided: break;
    }
    const std::string why = judgement.pairs == 0 ? "nothing was measured" : "may be up to " + ratioText(judgement.bound) + " times as slow";
    auto result = undecidedResult(options_, "perf", path_, text + ": " + why, calibrateCommand());
    const auto known = calibrationNote(candidate_.first.data.value("device", ""), recordingName(path_));
    if (!known.empty()) result.lines.insert(result.lines.begin() + 1, "  " + known);
    return result;
  }

  ReplayResult regression(const std::string& text) {
    auto result = gateResult("perf", path_, "regression", kFailed, "REGRESSION " + text);
    result.lines.push_back("  next: mneme gate " + shellQuoted(path_.string()) + " --code " + shellQuoted(options_.replay.code) +
                           " --kinds static   (registers, spills, occupancy); if it is meant: mneme baseline update " +
                           shellQuoted(path_.string()) + " --code " + shellQuoted(options_.replay.code));
    return result;
  }

  void addRemarks(ReplayResult& result) {
    if (slowedPairs_ > 0) note("pairs measured again because the device was slowed down: " + std::to_string(slowedPairs_));
    size_t shown = 0;
    for (const auto& [start, remark] : remarks_)
      if (shown++ < kShownRemarks)
        result.lines.insert(result.lines.begin() + 2, "  note: " + remark.first +
                            (remark.second > 1 ? " (" + std::to_string(remark.second) + " processes)" : ""));
  }

  void fill(nlohmann::json& data, const gate::Judgement& judgement) {
    data.update({{"ratio", judgement.ratio}, {"ratio_low", judgement.interval.low}, {"ratio_high", judgement.interval.high},
                 {"limit", judgement.limit}, {"bound", judgement.bound}, {"p_slower", judgement.slowerProbability},
                 {"pairs", judgement.pairs}, {"measured_again", judgement.suspected}, {"baseline_ns", judgement.baseline},
                 {"candidate_ns", judgement.candidate}, {"cache", cache_}, {"batch", batch_}, {"megahertz", megahertz_}, {"seconds_measuring", seconds_},
                 {"baseline_samples", baseline_.medians}, {"candidate_samples", candidate_.medians}});
  }

  const GateOptions& options_;
  const std::filesystem::path& path_;
  Side baseline_, candidate_;
  std::mt19937_64 random_{options_.seed ? options_.seed : std::random_device{}()};
  ReplayResult failed_;
  bool slowed_ = false;
  unsigned slowedPairs_ = 0, batch_ = 1;
  uint32_t megahertz_ = 0;
  double seconds_ = 0;
  std::string cache_, backend_;
  std::map<std::string, std::pair<std::string, unsigned>> remarks_;  ///< by what does not vary: one of them, and how many
};

}  // namespace

ReplayResult gatePerf(const GateOptions& options, const std::filesystem::path& manifest) {
  return PerfGate(options, manifest).run();
}

}  // namespace mneme::cli
