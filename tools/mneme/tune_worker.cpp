// SPDX-License-Identifier: Apache-2.0
/// See tune_worker.h. What is timed is the code that was verified: the same loaded module.
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/hash.h"
#include "buffer_names.h"
#include "device_choice.h"
#include "exit_code.h"
#include "format/recording_set.h"
#include "measure/session_workload.h"
#include "measure/measure.h"
#include "replay/tolerance_policy.h"
#include "tune_variant.h"
#include "tune_worker.h"

namespace mneme::cli {
namespace {

using Json = nlohmann::json;

/// Everything else that prints goes to stderr.
class Line {
 public:
  Line() : out_(::dup(STDOUT_FILENO)) { ::dup2(STDERR_FILENO, STDOUT_FILENO); }
  void say(const Json& json) const {
    const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    if (!writeAll(out_.get(), std::as_bytes(std::span(text)), "the parent")) ::_exit(kDevice);
  }

 private:
  FileDescriptor out_;
};

class Worker {
 public:
  explicit Worker(const TuneWorkerOptions& options) : options_(options) {}

  Expected<void> open() {
    auto recording = format::Recording::open(options_.manifest);
    if (!recording) return recording.error();
    recording_ = std::move(*recording);
    auto choice = chooseDevice(options_.device, recording_->manifest().backend);
    if (!choice) return choice.error();
    auto device = openDevice(*choice);
    if (!device) return device.error();
    device_ = std::move(*device);
    if (auto selected = select(); !selected) return selected;
    return choosePolicy();
  }

  [[nodiscard]] Json description() const {
    const auto& info = device_->info();
    return {{"ready", true}, {"backend", info.backend}, {"device", info.model}, {"architecture", info.architecture},
            {"driver", info.driver}, {"compiler", compiler_}, {"kind", std::string(name(kind_))}, {"bitcode", kind_ == CodeKind::Llvm}};
  }

  [[nodiscard]] std::string identify(const tune::Candidate& candidate) { return variants_->identify(candidate.macros); }

  tune::TrialResult trial(const tune::Candidate& candidate, unsigned milliseconds) {
    auto code = variants_->make(candidate);
    if (!code) return failure("compile", code.error().message());
    std::string reason;
    auto obstacle = place(*code, candidate.shape, reason);
    if (!obstacle) return broken("launch", obstacle.error());
    if (*obstacle != replay::Obstacle::None) return failure("compile", reason);
    auto ran = session_->run();
    if (!ran) return broken("launch", ran.error());
    auto comparison = session_->compare(policy_.rules);
    if (!comparison) return broken("launch", comparison.error());
    memoryIsRight_ = comparison->passed();
    if (!memoryIsRight_) return failure("wrong", std::to_string(comparison->wrong()) + " elements differ from the recorded answer");
    auto result = measured(milliseconds);
    if (result.worked()) result.code = identityOf(code->code, candidate.shape);
    return result;
  }

  [[nodiscard]] bool isBroken() const { return broken_; }
  [[nodiscard]] bool isUnreadable() const { return unreadable_; }

 private:
  static std::string identityOf(const device::Code& code, const LaunchShape& shape) {
    const Json launch = tune::toJson(tune::Candidate{shape, {}, {}});
    return toHex(hash128(toHex(hash128(code.bytes)) + launch.dump())).substr(0, 16);
  }
  static tune::TrialResult failure(const std::string& kind, const std::string& reason) { return {kind, reason, 0, {}}; }
  tune::TrialResult broken(const std::string& kind, const Error& error) {
    broken_ = error.code() == ErrorCode::Device;
    unreadable_ |= error.code() == ErrorCode::CorruptRecording;
    memoryIsRight_ = false;
    return failure(kind, error.message());
  }

  Expected<void> select() {
    replay::CodeRequest request;
    if (options_.code != "recorded") request.binary = options_.code;
    const auto own = device::findBackend(device_->info().backend)->codeKinds();
    const bool bitcode = std::find(own.begin(), own.end(), CodeKind::Llvm) != own.end();
    if (!options_.as.empty()) request.as = codeKindFromName(options_.as);
    // Knobs and macros start from bitcode; only what has none is tuned as it is.
    request.deviceKinds = own;
    if (!bitcode) request.deviceKinds.insert(request.deviceKinds.begin(), CodeKind::Llvm);
    request.architecture = device_->info().architecture;
    auto selection = replay::selectCode(*recording_, request);
    // What nvcc built ships nvcc's code, so that is what is tuned.
    if (selection && options_.as.empty() && !bitcode && builtByNvcc(selection->code.command)) {
      request.deviceKinds = own;
      if (auto shipped = replay::selectCode(*recording_, request)) selection = std::move(shipped);
    }
    if (!selection) return selection.error();
    if (selection->obstacle != replay::Obstacle::None) return Error(ErrorCode::Mismatch, selection->reason);
    kind_ = selection->code.code.kind;
    compiler_ = selection->code.compiler;
    variants_.emplace(recording_->manifest(), device_->info(), bitcode, std::move(selection->code), request.binary.value_or(""));
    return {};
  }

  static bool builtByNvcc(const std::string& command) {
    return std::filesystem::path(command.substr(0, command.find(' '))).filename() == "nvcc";
  }

  Expected<void> choosePolicy() {
    auto file = format::ToleranceFile::load(recording_->path().parent_path());
    if (!file) return file.error();
    std::vector<format::Tolerance> given;
    for (const auto& text : options_.tolerances) {
      auto tolerance = format::parseTolerance(text);
      if (!tolerance) return tolerance.error();
      given.push_back(std::move(*tolerance));
    }
    auto resolved = resolveBuffers(std::move(given), recording_->manifest(), recording_->path());
    if (!resolved) return resolved.error();
    // Candidates are other code than what was recorded, so the wider default of another compiler applies.
    policy_ = replay::choosePolicy(recording_->manifest(), {device_->info().model, kind_, compiler_, *resolved, &*file, false});
    if (!policy_.undecidable.empty()) return Error(ErrorCode::Mismatch, policy_.undecidable);
    return {};
  }

  Expected<replay::Obstacle> place(const replay::SelectedCode& code, const LaunchShape& shape, std::string& reason) {
    if (session_) return session_->replaceCode(code, shape, memoryIsRight_, reason);
    auto opened = replay::ReplaySession::open(*recording_, *device_, code, {options_.relocate, true, 0});
    if (!opened) return opened.error();
    reason = opened->reason;
    session_ = std::move(opened->session);
    if (!session_) return opened->obstacle;
    return session_->replaceCode(code, shape, true, reason);
  }

  tune::TrialResult measured(unsigned milliseconds) {
    measure::SessionWorkload workload(*session_, *device_);
    measure::Options how;
    if (device_->info().backend == "host") how.cache = measure::Cache::Warm;
    how.budget = std::chrono::milliseconds(milliseconds);
    how.warmUp = std::chrono::milliseconds(milliseconds / 8);
    how.minSamples = 5;
    how.precision = 0.005;
    auto result = measure::measure(workload, how);
    if (!result) return broken("launch", result.error());
    return {{}, {}, result->median, std::move(result->samples)};
  }

  const TuneWorkerOptions& options_;
  std::unique_ptr<format::Recording> recording_;
  std::unique_ptr<device::Device> device_;
  CodeKind kind_ = CodeKind::Llvm;
  std::string compiler_;
  std::optional<VariantMaker> variants_;
  replay::Policy policy_;
  std::unique_ptr<replay::ReplaySession> session_;
  bool memoryIsRight_ = false, broken_ = false, unreadable_ = false;
};

Json answerTo(Worker& worker, const std::string& line) {
  const auto request = Json::parse(line, nullptr, false);
  if (request.is_object() && request.contains("identify"))
    if (auto which = tune::candidateFrom(request["identify"])) return {{"identity", worker.identify(*which)}};
  const bool object = request.is_object() && request.contains("candidate") && request.value("milliseconds", Json()).is_number_unsigned();
  auto candidate = object ? tune::candidateFrom(request["candidate"]) : Expected<tune::Candidate>(Error(ErrorCode::InvalidArgument, "no request"));
  if (!candidate) return tune::toJson(tune::TrialResult{"invalid", candidate.error().message(), 0, {}});
  auto answer = tune::toJson(worker.trial(*candidate, request["milliseconds"].get<unsigned>()));
  if (worker.isBroken()) answer["last"] = true;
  if (worker.isUnreadable()) answer["unreadable"] = true;
  return answer;
}

}  // namespace

int runTuneWorker(const TuneWorkerOptions& options) {
  const Line line;
  Worker worker(options);
  if (auto opened = worker.open(); !opened) {
    line.say({{"error", opened.error().message()}, {"exit", int{exitCodeFor(opened.error().code())}}});
    return exitCodeFor(opened.error().code());
  }
  line.say(worker.description());
  for (std::string text; !worker.isBroken() && std::getline(std::cin, text);) line.say(answerTo(worker, text));
  return kPass;
}

}  // namespace mneme::cli
