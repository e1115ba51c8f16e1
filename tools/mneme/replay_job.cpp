// SPDX-License-Identifier: Apache-2.0
/// The parent's side of a replay: device, lock, child, fresh draws of the address layout; see replay_job.h.
#include "replay_job.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <iterator>
#include <optional>

#include "base/file.h"
#include "base/log.h"
#include "device_choice.h"
#include "device_lock.h"
#include "format/recording_set.h"
#include "format/tolerance.h"
#include "next_step.h"
#include "supervise.h"
#include "text.h"

namespace mneme::cli {
namespace {

constexpr int kAddressDraws = 8;
constexpr uint64_t kMaxManifestBytes = 1u << 20;
constexpr const char* kNext = "  next: ";

int severity(int exitCode) {
  constexpr int kOrder[]{kPass, kNotHere, kUndecided, kFailed, kUnreadable, kDevice, kUsage};
  return static_cast<int>(std::find(std::begin(kOrder), std::end(kOrder), exitCode) - std::begin(kOrder));
}

std::vector<std::string> childArguments(const ReplayOptions& options, const DeviceChoice& device,
                                        const std::filesystem::path& manifest, bool relocate) {
  std::vector<std::string> words{"replay", manifest.string(), "--device", device.text(), "--code", options.code,
                                 "--shape", options.shape, "--repeat", std::to_string(options.repeat)};
  if (!options.as.empty()) words.insert(words.end(), {"--as", options.as});
  for (const auto& tolerance : options.tolerances) words.insert(words.end(), {"--tolerance", tolerance});
  if (options.selfCheck) words.push_back("--self-check");
  if (options.acceptAnswer) words.push_back("--accept-answer");
  if (!options.compare) words.push_back("--no-compare");
  if (options.inspect) words.push_back("--inspect");
  if (!options.measure.empty())
    words.insert(words.end(), {"--measure", options.measure, "--measure-ms", std::to_string(options.measureMilliseconds)});
  if (device.fallback) words.push_back("--fallback");
  if (!relocate) words.push_back("--no-relocation");
  return words;
}

ReplayResult hangResult(const ReplayOptions& options, const std::filesystem::path& manifest) {
  auto result = troubleResult(manifest, "hang", kDevice,
                              "hang: no verdict after " + std::to_string(options.timeoutSeconds) + " s, killed");
  result.lines.push_back(std::string(kNext) + "mneme replay " + shellQuoted(manifest.string()) +
                         (options.fromBinary() ? " --code " + shellQuoted(options.code) : "") + " --timeout " +
                         std::to_string(4 * options.timeoutSeconds) + "   (if it only needs longer)");
  return result;
}

ReplayResult crashResult(const ChildEnd& end, const std::filesystem::path& manifest) {
  std::string how = end.how == ChildEnd::How::Signalled
                        ? "crash: the replay died of signal " + std::to_string(end.code) + " (" + strsignal(end.code) + ")"
                        : "crash: the replay ended with code " + std::to_string(end.code) + " and no verdict";
  return troubleResult(manifest, "crash", kDevice, how);
}

ReplayResult resultOf(const ChildEnd& end, const ReplayOptions& options, const std::filesystem::path& manifest) {
  if (end.how == ChildEnd::How::TimedOut) return hangResult(options, manifest);
  if (end.how == ChildEnd::How::Signalled) return crashResult(end, manifest);
  auto result = resultFromText(end.result);
  return result ? std::move(*result) : crashResult(end, manifest);
}

/// A fresh process has a fresh address layout; relocation comes only after all draws, except on the host device, whose
/// memory is this process's own and whose layout hardly varies.
ReplayResult drawUntilPlaced(const ReplayOptions& options, const DeviceChoice& device,
                             const std::filesystem::path& manifest) {
  int draws = device.backend == "host" ? 1 : kAddressDraws + 1;
  for (int draw = 1;; ++draw) {
    bool last = draw == draws;
    ChildOptions child{std::chrono::seconds(options.timeoutSeconds), draw == draws - 1 && draws > 1};
    auto end = runSelf(childArguments(options, device, manifest, last), child);
    if (!end) return troubleResult(manifest, "error", kDevice, end.error().message());
    auto result = resultOf(*end, options, manifest);
    if (last || result.data.value("verdict", "") != "address-refused") return result;
  }
}

ReplayResult skipResult(const std::filesystem::path& manifest, const Error& error) {
  int code = exitCodeFor(error.code());
  return troubleResult(manifest, code == kNotHere ? "skipped" : "error", code, error.message());
}

ReplayResult requiredResult(ReplayResult skipped, const std::string& backend) {
  skipped.exitCode = kDevice;
  skipped.data["verdict"] = "error";
  skipped.data["exit"] = int{kDevice};
  skipped.lines[0].replace(0, skipped.lines[0].find(' '), "ERROR");
  skipped.lines.push_back("  MNEME_REQUIRE_BACKENDS asks for '" + backend + "', so this is not skipped");
  skipped.lines.push_back(std::string(kNext) + "mneme doctor");
  return skipped;
}

/// Ends the result with this command, unless it has one already; --json has it too.
void addNext(ReplayResult& result, const std::string& command) {
  bool has = std::any_of(result.lines.begin(), result.lines.end(), [](const std::string& line) { return line.starts_with(kNext); });
  if (!has) result.lines.push_back(kNext + command);
  for (const auto& line : result.lines)
    if (line.starts_with(kNext)) result.data["next"] = line.substr(std::strlen(kNext));
}

ReplayResult replayManifest(const ReplayOptions& options, const std::filesystem::path& path,
                            const format::Manifest& manifest) {
  auto device = chooseDevice(options.device, manifest.backend);
  if (!device) return skipResult(path, device.error());
  std::optional<DeviceLock> lock;
  if (!options.lockHeld) lock = lockFor(*device, options.repeat > 0 || !options.measure.empty());
  return drawUntilPlaced(options, *device, path);
}

}  // namespace

int worseOf(int exitCode, int other) { return severity(other) > severity(exitCode) ? other : exitCode; }

/// A GPU is used by one at a time; the host device only where somebody measures on it.
std::optional<DeviceLock> lockFor(const DeviceChoice& device, bool measures) {
  if (device.backend == "host" && !measures) return std::nullopt;
  auto lock = DeviceLock::acquire(device.backend + "-" + std::to_string(device.ordinal));
  if (lock) return std::move(*lock);
  logOnce(LogLevel::Warn, "no device lock, measurements may disturb each other: " + lock.error().message());
  return std::nullopt;
}

Expected<format::Manifest> readManifest(const std::filesystem::path& path) {
  auto text = readText(path, kMaxManifestBytes);
  if (!text) return std::move(text).error();
  auto readable = format::checkSet(path.has_parent_path() ? path.parent_path() : ".");
  if (!readable) return std::move(readable).error();
  return format::parseManifest(*text, path.string());
}

std::string recordingName(const std::filesystem::path& manifest) { return manifest.stem().string(); }

ReplayResult troubleResult(const std::filesystem::path& manifest, const std::string& verdict, int exitCode,
                           const std::string& message) {
  const char* word = exitCode == kNotHere ? "SKIP" : exitCode == kFailed ? "FAIL" : "ERROR";
  ReplayResult result{exitCode, {std::string(word) + " " + recordingName(manifest) + ": " + message}, {}};
  result.data = {{"name", recordingName(manifest)}, {"manifest", manifest.string()}, {"verdict", verdict},
                 {"reason", message}};
  return result;
}

std::string toText(const ReplayResult& result) {
  nlohmann::json all{{"exit", result.exitCode}, {"lines", result.lines}, {"data", result.data}};
  return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Expected<ReplayResult> resultFromText(const std::string& text) {
  try {
    auto all = nlohmann::json::parse(text);
    return ReplayResult{all.at("exit").get<int>(), all.at("lines").get<std::vector<std::string>>(), all.at("data")};
  } catch (const nlohmann::json::exception& error) {
    return Error(ErrorCode::Device, std::string("no result from the replay: ") + error.what());
  }
}

Expected<void> checkOptions(const ReplayOptions& options) {
  if (!options.as.empty() && !codeKindFromName(options.as))
    return Error(ErrorCode::InvalidArgument, "--as '" + options.as + "': use image, ptx or llvm");
  if (options.shape != "recorded" && options.shape != "built")
    return Error(ErrorCode::InvalidArgument, "--shape '" + options.shape + "': use recorded or built");
  if (auto device = checkDevice(options.device); !device) return device;
  for (const auto& text : options.tolerances)
    if (auto parsed = format::parseTolerance(text); !parsed) return std::move(parsed).error();
  if (options.fromBinary() && !std::filesystem::exists(options.code))
    return Error(ErrorCode::NotFound, "--code " + options.code + ": no such file");
  return {};
}

ReplayResult replayOne(const ReplayOptions& options, const std::filesystem::path& path) {
  auto manifest = readManifest(path);
  if (!manifest) {
    auto result = troubleResult(path, "unreadable", kUnreadable, manifest.error().message());
    addNext(result, nextAfterTrouble(result, nullptr, path, options));
    return result;
  }
  auto result = replayManifest(options, path, *manifest);
  auto wanted = wantedBackend(options.device, manifest->backend);
  if (result.exitCode == kNotHere && isRequired(wanted)) result = requiredResult(std::move(result), wanted);
  if (result.exitCode != kPass && result.exitCode != kNotHere) addNext(result, nextAfterTrouble(result, &*manifest, path, options));
  return result;
}

}  // namespace mneme::cli
