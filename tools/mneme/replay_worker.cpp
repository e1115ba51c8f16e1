// SPDX-License-Identifier: Apache-2.0
/// The child's side of a replay: opens recording and device in this process and writes the result; see replay_job.h.
#include <algorithm>

#include "buffer_names.h"
#include "device_choice.h"
#include "format/recording_set.h"
#include "llvm_code.h"
#include "measure_job.h"
#include "replay_job.h"
#include "verdict_text.h"

namespace mneme::cli {
namespace {

constexpr const char* kAddressRefused = "address-refused";

std::string verdictOf(int exitCode) {
  return exitCode == kUnreadable ? "unreadable" : exitCode == kNotHere ? "skipped" : "error";
}

ReplayResult errorResult(const std::filesystem::path& manifest, const Error& error, int exitCode) {
  return troubleResult(manifest, verdictOf(exitCode), exitCode, error.message());
}

/// Unsupported is trouble on a device that was asked for, and a skip where `auto` only had this one.
int exitCodeFor(const Error& error, const ReplayOptions& options) {
  if (options.fallback && error.code() == ErrorCode::Unsupported) return kNotHere;
  return cli::exitCodeFor(error.code());
}

Expected<std::vector<format::Tolerance>> tolerancesFrom(const ReplayOptions& options, const format::Recording& recording) {
  std::vector<format::Tolerance> tolerances;
  for (const auto& text : options.tolerances) {
    auto tolerance = format::parseTolerance(text);
    if (!tolerance) return std::move(tolerance).error();
    tolerances.push_back(std::move(*tolerance));
  }
  return resolveBuffers(std::move(tolerances), recording.manifest(), recording.path());
}

Expected<replay::Request> requestFrom(const ReplayOptions& options, const device::Device& device, const format::Recording& recording) {
  replay::Request request;
  if (options.fromBinary()) request.code.binary = options.code;
  if (!options.as.empty()) request.code.as = codeKindFromName(options.as);
  request.code.deviceKinds = device::findBackend(device.info().backend)->codeKinds();
  auto& kinds = request.code.deviceKinds;
  if (std::find(kinds.begin(), kinds.end(), CodeKind::Llvm) == kinds.end()) {
    kinds.push_back(CodeKind::Llvm);
    request.generate = generateForDevice;
  } else {
    request.complete = completeCode;
  }
  request.code.architecture = device.info().architecture;
  auto tolerances = tolerancesFrom(options, recording);
  if (!tolerances) return std::move(tolerances).error().context("--tolerance");
  request.tolerances = std::move(*tolerances);
  request.repeat = options.repeat;
  request.relocate = options.relocate;
  request.selfCheck = options.selfCheck;
  request.acceptAnswer = options.acceptAnswer;
  request.compare = options.compare;
  return request;
}

ReplayResult verdictResult(const replay::Verdict& verdict, const format::Recording& recording, const std::string& model,
                           const ReplayOptions& options) {
  return {exitCodeOf(verdict.outcome),
          verdictLines(verdict, recording.manifest(), recording.path(), model, options),
          verdictData(verdict, recording.manifest(), recording.path(), model)};
}

ReplayResult replayOn(device::Device& device, format::Recording& recording, const ReplayOptions& options) {
  auto request = requestFrom(options, device, recording);
  if (!request) return errorResult(recording.path(), request.error(), exitCodeFor(request.error(), options));
  auto found = nlohmann::json::object();
  if (options.inspect || !options.measure.empty())
    request->afterVerified = [&](replay::ReplaySession& session, const replay::SelectedCode& code) {
      return inspectAndMeasure(session, device, code, options, found);
    };
  auto verdict = replay::replay(recording, device, *request);
  if (verdict) {
    auto result = verdictResult(*verdict, recording, device.info().model, options);
    result.data.update(found);
    return result;
  }
  if (!options.relocate && verdict.error().code() == ErrorCode::Unavailable)
    return troubleResult(recording.path(), kAddressRefused, kDevice, verdict.error().message());
  auto trouble = errorResult(recording.path(), verdict.error(), exitCodeFor(verdict.error(), options));
  trouble.data["refused"] = verdict.error().code() == ErrorCode::Unsupported;
  return trouble;
}

}  // namespace

ReplayResult replayHere(const ReplayOptions& options, const std::filesystem::path& manifest) {
  auto recording = format::Recording::open(manifest);
  if (!recording) return errorResult(manifest, recording.error(), kUnreadable);
  auto choice = chooseDevice(options.device, (*recording)->manifest().backend);
  if (!choice) return errorResult(manifest, choice.error(), exitCodeFor(choice.error(), options));
  auto device = openDevice(*choice);
  if (!device) return errorResult(manifest, device.error(), exitCodeFor(device.error(), options));
  return replayOn(**device, **recording, options);
}

}  // namespace mneme::cli
