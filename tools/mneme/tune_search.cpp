// SPDX-License-Identifier: Apache-2.0
/// See tune_search.h.
#include "tune_search.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <unordered_map>

#include "base/file.h"
#include "base/hash.h"
#include "base/printable.h"
#include "device_choice.h"
#include "exit_code.h"
#include "measure/statistics.h"
#include "own_files.h"
#include "replay_job.h"
#include "text.h"
#include "tune/default_space.h"
#include "tune/store.h"
#include "tune/strategy.h"
#include "tune/tuned_file.h"
#include "tune_decision.h"
#include "tune_process.h"

namespace mneme::cli {

std::atomic<bool> tuneStopped{false};

namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;
constexpr unsigned kFinalMilliseconds = 60, kFinalRounds = 5;
constexpr double kLaunchesPerTrial = 60, kLeastMilliseconds = 5, kMostMilliseconds = 60;
constexpr size_t kFinalists = 3;
constexpr std::chrono::seconds kStartTimeout{120};
constexpr int kAddressDraws = 8;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string nowText() {
  char text[32];
  const std::time_t now = std::time(nullptr);
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

std::string shapeText(const Dim3& d) { return std::to_string(d.x) + "x" + std::to_string(d.y) + "x" + std::to_string(d.z); }

std::string layoutOf(const format::Manifest& manifest) {
  std::string text;
  for (const auto& slot : manifest.parameters) text += std::to_string(slot.offset) + ":" + std::to_string(slot.size) + ",";
  return toHex(hash128(text)).substr(0, 16);
}

std::string recordedCode(const format::Manifest& manifest) {
  std::string all;
  for (const auto& code : manifest.code) all += toHex(code.hash);
  return all;
}

class Tuning {
 public:
  explicit Tuning(const TuneJob& job) : job_(job), random_(job.seed) {}

  TuneReport run() {
    if (auto done = prepare(); !done) return trouble(done.error());
    if (auto done = measureDefault(); !done) return trouble(done.error());
    search();
    return finish();
  }

 private:
  TuneReport trouble(const Error& error) const {
    const int code = exitCodeFor(error.code());
    return {code, {"ERROR " + name() + ": " + error.message()}, {{"name", name()}, {"error", error.message()}, {"exit", code}}};
  }
  [[nodiscard]] std::string name() const { return recordingName(job_.manifest); }

  Expected<void> prepare() {
    auto manifest = readManifest(job_.manifest);
    if (!manifest) return Error(ErrorCode::CorruptRecording, manifest.error().message());
    manifest_ = std::move(*manifest);
    auto strategy = tune::findStrategy(job_.strategy);
    if (!strategy) return strategy.error();
    strategy_ = *strategy;
    if (auto started = startWorker(); !started) return started;
    if (auto space = readSpace(); !space) return space;
    domain_.emplace(space_->domain());
    if (domain_->isListed() && domain_->points().empty()) return Error(ErrorCode::InvalidArgument, "the space has no valid point");
    auto code = codeUnderTest();
    if (!code) return code.error();
    context_ = toHex(hash128(spaceText_ + description_.value("device", "") + description_.value("kind", "") + recordedCode(manifest_) + *code)).substr(0, 16);
    return recall();
  }

  /// What a binary holds now, headers and all. Where macros are tried it is compiled as if nothing had been tuned, so that
  /// applying a tuning changes nothing.
  Expected<std::string> codeUnderTest() {
    if (job_.code == "recorded") return std::string();
    const auto reply = worker_->ask({{"identify", tune::toJson(plain())}}, kStartTimeout);
    if (reply.how == WorkerReply::How::Answered && reply.answer.value("identity", Json()).is_string()) return reply.answer["identity"].get<std::string>();
    return Error(ErrorCode::Device, "the worker does not say what code " + job_.code + " has" + (reply.end.empty() ? "" : "; it ended with " + reply.end));
  }

  /// A fresh process has a fresh address layout; generated code needs the recorded addresses.
  Expected<void> startWorker() {
    auto words = splitWords(job_.launcher);
    if (!words) return std::move(words).error().context("--launcher");
    words->insert(words->end(), {ownProgram().string(), "tune", job_.manifest.string(), "--worker", "--device", job_.device, "--code", job_.code});
    if (!job_.as.empty()) words->insert(words->end(), {"--as", job_.as});
    for (const auto& tolerance : job_.tolerances) words->insert(words->end(), {"--tolerance", tolerance});
    worker_.emplace(std::move(*words));
    return restartWorker();
  }
  Expected<void> restartWorker() {
    std::string how;
    for (int draw = 0; draw < kAddressDraws; ++draw) {
      auto reply = worker_->start(kStartTimeout);
      if (!reply) return reply.error();
      if (reply->how == WorkerReply::How::Answered && reply->answer.contains("ready")) {
        description_ = std::move(reply->answer);
        return {};
      }
      if (reply->how == WorkerReply::How::Answered) return workerError(reply->answer);
      how = reply->how == WorkerReply::How::TimedOut ? "does not answer" : "ended with " + reply->end;
    }
    return Error(ErrorCode::Device, "the worker " + how + (job_.launcher.empty() ? "" : "; it was started by: " + job_.launcher));
  }
  static Error workerError(const Json& answer) {
    const int code = answer.value("exit", int{kDevice});
    const auto kind = code == kNotHere ? ErrorCode::Unavailable : code == kUsage ? ErrorCode::InvalidArgument
                      : code == kUnreadable ? ErrorCode::CorruptRecording : code == kFailed ? ErrorCode::Mismatch : ErrorCode::Device;
    return {kind, answer.value("error", "the worker has a problem")};
  }

  Expected<void> readSpace() {
    const auto values = tune::recordedValues(manifest_.shape, manifest_.parameters, manifest_.arguments);
    const bool generated = description_.value("backend", "") != "host" && description_.value("bitcode", false);
    if (job_.space.empty()) {
      spaceText_ = tune::defaultSpaceText(manifest_.shape, generated, 1024);
      auto space = tune::parseSpace(spaceText_, "derived space", values);
      if (!space) return space.error();
      space_ = std::move(*space);
      return {};
    }
    auto space = tune::readSpace(job_.space, values);
    if (!space) return space.error();
    auto text = readText(job_.space);
    if (!text) return text.error();
    if (!generated && !space->knobs.empty()) say("knobs have no effect on " + codeText() + ": " + space->knobs.begin()->first);
    if (!description_.value("bitcode", false) && !space->macros.empty())
      return Error(ErrorCode::InvalidArgument, "macros cannot be tried on " + codeText() + ": use --as llvm");
    spaceText_ = std::move(*text);
    space_ = std::move(*space);
    return {};
  }

  [[nodiscard]] std::string codeText() const { return description_.value("kind", "") + " code on " + description_.value("device", "this device"); }

  /// What earlier runs found out in the same context.
  Expected<void> recall() {
    auto trials = tune::readStore(tune::storePath(job_.manifest));
    if (!trials) return trials.error();
    for (const auto& trial : *trials) {
      if (trial.context != context_) continue;
      if (trial.configuration.empty()) default_ = trial.result;
      else if (auto point = tune::pointOf(*space_, trial.configuration)) known_[*point] = trial.result;
    }
    if (!known_.empty()) say("resuming: " + counted(known_.size(), "trial") + " known from earlier runs");
    return {};
  }

  tune::TrialResult trial(const tune::Candidate& candidate, unsigned milliseconds) {
    if (!worker_->running())
      if (auto started = restartWorker(); !started) return {"lost", started.error().message(), 0, {}};
    auto reply = worker_->ask({{"candidate", tune::toJson(candidate)}, {"milliseconds", milliseconds}}, std::chrono::seconds(job_.trialSeconds));
    if (reply.how == WorkerReply::How::TimedOut) return {"timeout", "no answer in " + std::to_string(job_.trialSeconds) + " s", 0, {}};
    if (reply.how == WorkerReply::How::Ended) return {"crash", "the worker died of " + reply.end, 0, {}};
    auto result = tune::trialResultFrom(reply.answer);
    if (reply.answer.contains("last")) worker_->stop();
    unreadable_ |= reply.answer.contains("unreadable");
    return result ? std::move(*result) : tune::TrialResult{"lost", result.error().message(), 0, {}};
  }

  void store(const tune::Configuration& configuration, const tune::Candidate& candidate, const tune::TrialResult& result) {
    const tune::StoredTrial stored{context_, description_.value("device", ""), nowText(), configuration, candidate, result};
    auto written = tune::appendTrial(tune::storePath(job_.manifest), stored);
    if (!written && !storeFailed_) say("this run cannot be resumed: " + written.error().message());
    storeFailed_ |= !written;
  }

  /// The recorded launch. Where macros are tried, code is compiled as if no tuning had been applied to the build yet.
  [[nodiscard]] tune::Candidate plain() const {
    tune::Candidate candidate{manifest_.shape, {}, {}};
    neutralise(candidate);
    return candidate;
  }
  void neutralise(tune::Candidate& candidate) const {
    if (!space_->macros.empty()) candidate.macros["MNEME_TUNED_IGNORE"] = int64_t{1};
  }
  [[nodiscard]] Expected<tune::Candidate> candidateOf(const tune::Point& point) const {
    auto candidate = tune::candidateOf(*space_, point, manifest_.shape);
    if (candidate) neutralise(*candidate);
    return candidate;
  }

  Expected<void> measureDefault() {
    if (default_ && default_->worked()) return {};
    default_ = trial(plain(), kFinalMilliseconds);
    if (unreadable_) return Error(ErrorCode::CorruptRecording, default_->reason);
    store({}, plain(), *default_);
    ++newTrials_;
    if (default_->worked()) return {};
    return Error(default_->failure == "wrong" ? ErrorCode::Mismatch : ErrorCode::Device,
                 "the default configuration does not work (" + default_->failure + "): " + default_->reason);
  }

  [[nodiscard]] bool over() const {
    if (tuneStopped) return true;
    if (job_.evaluations && evaluations_ >= job_.evaluations) return true;
    return job_.seconds > 0 && since(start_) >= job_.seconds;
  }

  void search() {
    std::vector<tune::Point> first;
    if (auto defaults = domain_->defaults()) first.push_back(std::move(*defaults));
    auto asking = tune::startStrategy(*strategy_, {*domain_, random_, job_.evaluations, std::move(first)}, ~job_.seed);
    start_ = Clock::now();
    while (!over()) {
      auto asked = asking.ask();
      if (!asked) break;
      asking.tell(*asked, evaluate(asked->point));
    }
  }

  double evaluate(const tune::Point& point) {
    auto known = known_.find(point);
    if (known == known_.end()) {
      known = known_.emplace(point, tryOut(point)).first;
      ++newTrials_;
    }
    ++evaluations_;
    if (!known->second.worked()) ++failures_[known->second.failure];
    const double time = known->second.worked() ? known->second.nanoseconds : tune::kFailed;
    tried_.emplace(point, time);
    progress(time);
    return time;
  }

  /// Enough launches to rank candidates; the finals settle what is close.
  [[nodiscard]] unsigned trialMilliseconds() const {
    return static_cast<unsigned>(std::clamp(kLaunchesPerTrial * default_->nanoseconds / 1e6, kLeastMilliseconds, kMostMilliseconds));
  }

  tune::TrialResult tryOut(const tune::Point& point) {
    auto candidate = candidateOf(point);
    auto result = candidate ? trial(*candidate, trialMilliseconds()) : tune::TrialResult{"invalid", candidate.error().message(), 0, {}};
    store(tune::configurationOf(*space_, point), candidate ? *candidate : plain(), result);
    return result;
  }

  void say(const std::string& text) const {
    if (!job_.quiet) std::fprintf(stderr, "mneme: %s: %s\n", name().c_str(), printable(text).c_str());
  }
  void progress(double time) {
    const bool better = time < best_;
    best_ = std::min(best_, time);
    if (!better && since(lastSaid_) < 5) return;
    lastSaid_ = Clock::now();
    std::string text = "trial " + std::to_string(evaluations_) + (job_.evaluations ? "/" + std::to_string(job_.evaluations) : "");
    if (best_ != tune::kFailed) text += ", best " + timeText(static_cast<uint64_t>(best_)) + ", " + numberText(default_->nanoseconds / best_) + " times the default's speed";
    const double share = job_.seconds > 0 ? since(start_) / job_.seconds : static_cast<double>(evaluations_) / static_cast<double>(std::max<size_t>(job_.evaluations, 1));
    if (share > 0 && share < 1) text += ", about " + std::to_string(static_cast<int>(since(start_) * (1 - share) / share + 1)) + " s left";
    say(text);
  }

  struct Finalist {
    tune::Point point;
    tune::Candidate candidate;
    Contender times;
  };

  std::vector<Finalist> finalists() {
    std::vector<std::pair<double, tune::Point>> order;
    for (const auto& [point, time] : tried_)
      if (time != tune::kFailed && !sameCode(known_.at(point).code, default_->code)) order.emplace_back(time, point);
    std::sort(order.begin(), order.end());
    std::vector<Finalist> result;
    for (size_t i = 0; i < std::min(order.size(), kFinalists); ++i)
      if (auto candidate = candidateOf(order[i].second)) result.push_back({order[i].second, std::move(*candidate), {}});
    return result;
  }

  /// Default and finalists in turn, verified each time.
  void race(Finalist& base, std::vector<Finalist>& others) {
    for (unsigned round = 0; round < kFinalRounds && !tuneStopped; ++round) {
      measureOnce(base);
      for (auto& other : others)
        if (other.times.worked) measureOnce(other);
    }
  }
  void measureOnce(Finalist& one) {
    auto result = trial(one.candidate, kFinalMilliseconds);
    one.times.worked = one.times.worked && result.worked();
    if (!result.worked()) return;
    one.times.code = result.code;
    one.times.rounds.push_back(result.samples.empty() ? std::vector{result.nanoseconds} : std::move(result.samples));
  }

  TuneReport finish() {
    auto entries = tune::readTuned(job_.output);
    if (!entries) return trouble(entries.error());
    auto entry = identity();
    auto same = std::find_if(entries->begin(), entries->end(), [&](const tune::TunedEntry& e) {
      return e.kernel == entry.kernel && e.device == entry.device && e.problem == entry.problem && e.context == context_;
    });
    if (tuneStopped) return interrupted();
    if (newTrials_ == 0 && same != entries->end()) return reported(*same, false, "nothing new was tried");
    decide(entry);
    if (tuneStopped) return interrupted();
    auto written = tune::writeTuned(job_.output, entry);
    if (!written) return trouble(written.error());
    return reported(entry, *written, "");
  }

  [[nodiscard]] tune::TunedEntry identity() const {
    tune::TunedEntry entry;
    entry.kernel = manifest_.kernel, entry.demangled = manifest_.demangled, entry.name = manifest_.shortName;
    entry.layout = layoutOf(manifest_);
    entry.backend = description_.value("backend", ""), entry.device = description_.value("device", "");
    entry.driver = description_.value("driver", ""), entry.compiler = description_.value("compiler", "");
    entry.problem = "grid " + shapeText(manifest_.shape.grid) + ", block " + shapeText(manifest_.shape.block);
    entry.context = context_;
    entry.candidate = {manifest_.shape, {}, {}};
    entry.verified = "every timed run's memory against the recorded answer";
    entry.trials = evaluations_;
    return entry;
  }

  /// The finalist with the largest gain of which it is sure that it is one; else the default stays.
  void decide(tune::TunedEntry& entry) {
    Finalist base{{}, plain(), {}};
    auto others = finalists();
    race(base, others);
    if (base.times.rounds.empty())
      base.times = {default_->code, true, {default_->samples.empty() ? std::vector{default_->nanoseconds} : default_->samples}};
    entry.defaultNanoseconds = entry.nanoseconds = measure::median(base.times.samples());
    std::vector<Contender> times;
    for (const auto& other : others) times.push_back(other.times);
    const auto winner = chooseWinner(base.times, times);
    if (!winner) return;
    entry.nanoseconds = winner->nanoseconds;
    entry.gain = winner->gain, entry.low = winner->low, entry.high = winner->high;
    entry.configuration = tune::configurationOf(*space_, others[winner->place].point);
    entry.candidate = others[winner->place].candidate;
    entry.candidate.macros.erase("MNEME_TUNED_IGNORE");
  }

  TuneReport interrupted() const {
    return {kUndecided, {"STOPPED " + name() + " after " + counted(evaluations_, "trial") + "; the next run goes on from here"},
            {{"name", name()}, {"stopped", true}, {"evaluations", evaluations_}, {"exit", int{kUndecided}}}};
  }

  TuneReport reported(const tune::TunedEntry& entry, bool written, const std::string& remark) const {
    TuneReport report;
    const std::string gain = entry.configuration.empty()
        ? "the default stays: nothing was surely faster"
        : numberText(entry.gain) + " times as fast (95 %: " + numberText(entry.low) + " to " + numberText(entry.high) + "), " + tune::text(entry.configuration);
    report.lines.push_back("TUNED " + name() + ": " + timeText(static_cast<uint64_t>(entry.defaultNanoseconds)) + " -> " + timeText(static_cast<uint64_t>(entry.nanoseconds)) + ", " + gain);
    std::string failed;
    for (const auto& [failure, count] : failures_) failed += (failed.empty() ? "" : ", ") + std::to_string(count) + " " + failure;
    report.lines.push_back("  " + counted(evaluations_, "trial") + (failed.empty() ? "" : ", of which failed: " + failed) + " on " + entry.device +
                           (remark.empty() ? "" : "; " + remark));
    report.lines.push_back("  " + job_.output + (written ? " was written" : " is unchanged"));
    report.data = {{"name", name()}, {"kernel", entry.kernel}, {"device", entry.device}, {"evaluations", evaluations_}, {"new_trials", newTrials_},
                   {"default_ns", entry.defaultNanoseconds}, {"tuned_ns", entry.nanoseconds},
                   {"gain", {{"ratio", entry.gain}, {"low", entry.low}, {"high", entry.high}}}, {"configuration", tune::toJson(entry.configuration)},
                   {"candidate", tune::toJson(entry.candidate)}, {"failures", failures_}, {"output", job_.output}, {"written", written},
                   {"points", domain_->isListed() ? Json(domain_->points().size()) : Json()}, {"exit", 0}};
    return report;
  }

  const TuneJob& job_;
  tune::Random random_;
  format::Manifest manifest_;
  const tune::Strategy* strategy_ = nullptr;
  std::optional<WorkerProcess> worker_;
  Json description_;
  std::string spaceText_, context_;
  std::optional<tune::Space> space_;
  std::optional<tune::Domain> domain_;
  std::unordered_map<tune::Point, tune::TrialResult, tune::PointHash> known_;
  std::unordered_map<tune::Point, double, tune::PointHash> tried_;
  std::map<std::string, size_t> failures_;
  std::optional<tune::TrialResult> default_;
  size_t evaluations_ = 0, newTrials_ = 0;
  double best_ = tune::kFailed;
  bool storeFailed_ = false, unreadable_ = false;
  Clock::time_point start_ = Clock::now(), lastSaid_{};
};

}  // namespace

TuneReport tuneOne(const TuneJob& job) {
  auto manifest = readManifest(job.manifest);
  std::optional<DeviceLock> lock;
  if (manifest)
    if (auto device = chooseDevice(job.device, manifest->backend)) lock = lockFor(*device, true);
  return Tuning(job).run();
}

}  // namespace mneme::cli
