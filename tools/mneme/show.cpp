// SPDX-License-Identifier: Apache-2.0
/// `mneme show`: one recording in full.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "arguments_text.h"
#include "base/file.h"
#include "base/printable.h"
#include "command.h"
#include "device_choice.h"
#include "device/device.h"
#include "format/recording_set.h"
#include "format/tolerance.h"
#include "replay_job.h"
#include "replay/tolerance_policy.h"
#include "set_text.h"
#include "text.h"
#include "verdict_text.h"

namespace mneme::cli {
namespace {

namespace fs = std::filesystem;

struct ShowOptions {
  std::vector<std::string> recordings;
  bool json = false;
  ReplayOptions replay;  ///< with `repeat` > 0, how long the kernel takes in a replay
};

void line(const char* label, const std::string& text) {
  if (!text.empty()) std::printf("%-16s %s\n", label, printable(text).c_str());
}

void printIdentity(const format::Manifest& m) {
  line("kernel", m.demangled);
  line("mangled", m.kernel == m.demangled ? "" : m.kernel);
  line("identity", m.hash8 + ", launch " + std::to_string(m.ordinal) + " of this kernel and shape, rank " + std::to_string(m.rank));
  line("tag", m.tag);
}

void limit(const char* label, int64_t value) { line(label, value < 0 ? "" : sizeText(static_cast<uint64_t>(value))); }

void printLaunch(const format::Manifest& m) {
  line("grid / block", shapeText(m.shape));
  line("dynamic shared", m.shape.dynamicSharedBytes == 0 ? "" : sizeText(m.shape.dynamicSharedBytes));
  line("launch", m.shape.cooperative ? "cooperative" : "");
  limit("max dyn. shared", m.maxDynamicSharedBytes);
  limit("stack", m.stackLimit);
  limit("printf buffer", m.printfLimit);
  limit("device heap", m.mallocHeapLimit);
  std::printf("arguments        %zu, %zu bytes\n", m.parameters.size(), m.arguments.size());
  for (const auto& text : argumentLines(m)) std::printf("  %s\n", text.c_str());
}

/// Names, and the arguments that point here.
std::string regionNote(const format::Manifest& m, size_t region) {
  auto label = regionLabel(m, region), number = "region " + std::to_string(region);
  return label == number ? "" : label.starts_with(number + " ") ? label.substr(number.size() + 1) : label;
}

void printRegion(const format::Manifest& m, size_t i) {
  const auto& region = m.regions[i];
  auto changed = region.changed ? "changed " + sizeText(region.changedBytes) : "unchanged";
  std::printf("  %-3zu 0x%012llx  %10s  %-10s %-5s %-17s  %s\n", i, static_cast<unsigned long long>(region.range.address),
              sizeText(region.range.size).c_str(), std::string(name(region.range.kind)).c_str(),
              std::string(format::name(replay::elementTypes(m)[i])).c_str(), changed.c_str(), printable(regionNote(m, i)).c_str());
}

void printRegions(const format::Manifest& m) {
  std::printf("regions          %zu, %s\n", m.regions.size(), sizeText(regionBytes(m)).c_str());
  auto shown = std::min(m.regions.size(), format::kMaxListedRegions);
  for (size_t i = 0; i < shown; ++i) printRegion(m, i);
  if (m.regions.size() > shown) std::printf("  … and %zu more\n", m.regions.size() - shown);
  for (const auto& note : m.annotations)
    line("annotation", note.buffer + ": " + format::toText({note.atol, note.rtol, note.ulp, std::nullopt}));
}

std::string selfCheckText(const format::SelfCheck& check) {
  std::string text(format::name(check.result));
  if (check.result == format::SelfCheck::Result::ReproducedWithin)
    text += " atol " + numberText(check.absolute) + ", rtol " + numberText(check.relative) + ", " + std::to_string(check.ulp) + " ulp";
  return text + (check.reason.empty() ? "" : ": " + check.reason);
}

void printCode(const format::Manifest& m) {
  for (const auto& code : m.code) {
    std::string kind(name(code.kind));
    line("code", kind + " " + code.architecture + " code/" + code.file);
    line("  source", code.source);
    line("  command", code.command);
    auto check = m.selfCheck.find(kind);
    line("  self-check", check == m.selfCheck.end() ? "not run" : selfCheckText(check->second));
  }
}

/// The host device's model says its back-end and architecture itself.
std::string deviceText(const format::Manifest& m) {
  if (m.model.empty()) return m.backend;
  auto text = m.model.starts_with(m.backend + " ") ? m.model : m.backend + ", " + m.model;
  return m.model.find(m.architecture) == std::string::npos ? text + ", " + m.architecture : text;
}

std::string redactionText(format::Redaction redaction) {
  switch (redaction) {
    case format::Redaction::None: return {};
    case format::Redaction::Memory: return "floating-point memory is noise; a replay runs and cannot be judged";
    case format::Redaction::Inputs: return "floating-point inputs are noise; the answer is what the kernel makes of it";
  }
  return {};
}

void printOrigin(const format::Manifest& m) {
  line("device", deviceText(m));
  line("driver", m.driver);
  line("toolchain", m.toolchain);
  line("program", m.program);
  line("recorded", m.recordedAt + (m.mnemeVersion.empty() ? "" : " by mneme " + m.mnemeVersion));
  line("time", m.kernelNanoseconds == 0 ? "" : timeText(m.kernelNanoseconds) + " in the program");
  line("redacted", redactionText(m.redaction));
  line("consistency", m.sharedWrites ? "shared-writes: other threads may have changed memory meanwhile" : "");
}

/// How the host device would run it, asked without running or loading anything of it; nothing without llvm code.
std::string threadModelOf(format::Recording& recording) {
  auto* host = device::findBackend("host");
  for (const auto& reference : recording.manifest().code) {
    if (reference.kind != CodeKind::Llvm || !host) continue;
    auto bytes = recording.code(reference);
    if (!bytes) return bytes.error().message();
    auto model = host->threadModel({CodeKind::Llvm, std::move(*bytes), {}}, recording.manifest().kernel);
    return model ? *model : "no: " + model.error().message();
  }
  return {};
}

void print(format::Recording& recording) {
  const auto& m = recording.manifest();
  printIdentity(m);
  printLaunch(m);
  printRegions(m);
  printCode(m);
  line("threads on host", threadModelOf(recording));
  printOrigin(m);
}

/// The kernel's time in a replay beside that in the program; the replay's own lines where it gave no times.
int printReplayTime(const ShowOptions& options, const format::Recording& recording) {
  const auto result = replayOne(options.replay, recording.path());
  const auto times = result.data.value("timed_ns", std::vector<uint64_t>());
  if (times.empty()) {
    for (const auto& text : result.lines) line("replay", text);
    return result.exitCode;
  }
  const auto inReplay = median(times), inProgram = recording.manifest().kernelNanoseconds;
  char ratio[48] = "";
  if (inProgram > 0)
    std::snprintf(ratio, sizeof ratio, ", %.3f times the program's", static_cast<double>(inReplay) / static_cast<double>(inProgram));
  line("time in replay", timeText(inReplay) + ", median of " + std::to_string(times.size()) + ratio);
  return result.exitCode;
}

Expected<void> printJson(const std::vector<fs::path>& recordings) {
  std::string all;
  for (const auto& path : recordings) {
    auto text = readText(path);
    if (!text) return std::move(text).error();
    all += (all.empty() ? "" : ",\n") + *text;
  }
  std::fputs(recordings.size() == 1 ? all.c_str() : ("[\n" + all + "]\n").c_str(), stdout);
  return {};
}

int show(const ShowOptions& options) {
  auto recordings = manifestsOf(options.recordings);
  if (!recordings) return report(recordings.error());
  int worst = kPass;
  for (const auto& path : *recordings) {
    auto recording = format::Recording::open(path);
    if (!recording) return report(recording.error());
    if (options.json) continue;
    if (path != recordings->front()) std::puts("");
    print(**recording);
    if (options.replay.repeat > 0) worst = worseOf(worst, printReplayTime(options, **recording));
  }
  auto printed = options.json ? printJson(*recordings) : Expected<void>();
  return printed ? worst : report(printed.error());
}

}  // namespace

std::function<int()> setupShow(CLI::App& app) {
  auto options = std::make_shared<ShowOptions>();
  app.add_option("REC|SET", options->recordings, "recordings' manifests; a directory stands for all of its recordings")->required();
  auto* json = app.add_flag("--json", options->json, "print the manifest itself; of several, a list of them");
  options->replay.device = defaultDevice();
  app.add_option("--repeat", options->replay.repeat, "replay, too, with N timed runs, and compare the kernel's time with that in the program")
      ->excludes(json);
  app.add_option("--device", options->replay.device, "of that replay: auto, host, cuda, cuda:N or hip")->capture_default_str();
  app.footer("Example:\n  mneme show recordings/stencil.1a2b3c4d.json\n  mneme show --repeat 20 recordings/stencil.1a2b3c4d.json");
  return [options] { return show(*options); };
}

}  // namespace mneme::cli
