// SPDX-License-Identifier: Apache-2.0
/// `mneme show`: one recording in full.
#include <cstdio>

#include "base/file.h"
#include "command.h"
#include "format/recording_set.h"
#include "set_text.h"
#include "text.h"

namespace mneme::cli {
namespace {

struct ShowOptions {
  std::string recording;
  bool json = false;
};

void line(const char* label, const std::string& text) {
  if (!text.empty()) std::printf("%-16s %s\n", label, text.c_str());
}

void printRegions(const format::Manifest& m) {
  std::printf("regions          %zu, %s\n", m.regions.size(), sizeText(regionBytes(m)).c_str());
  for (size_t i = 0; i < m.regions.size() && i < format::kMaxListedRegions; ++i) {
    const auto& region = m.regions[i];
    std::printf("  %-3zu 0x%012llx  %10s  %-10s %-5s %s%s%s\n", i, static_cast<unsigned long long>(region.range.address),
                sizeText(region.range.size).c_str(), std::string(name(region.range.kind)).c_str(),
                std::string(format::name(region.element)).c_str(),
                region.changed ? ("changed " + sizeText(region.changedBytes)).c_str() : "unchanged",
                region.range.name.empty() ? "" : "  ", region.range.name.c_str());
  }
  if (m.regions.size() > format::kMaxListedRegions) std::printf("  … and %zu more\n", m.regions.size() - format::kMaxListedRegions);
}

void printCode(const format::Manifest& m) {
  for (const auto& code : m.code) {
    std::string kind(name(code.kind));
    line("code", kind + " " + code.architecture + " " + code.file + (code.source.empty() ? "" : " from " + code.source));
    auto check = m.selfCheck.find(kind);
    if (check == m.selfCheck.end()) continue;
    std::string text(format::name(check->second.result));
    if (check->second.result == format::SelfCheck::Result::ReproducedWithin)
      text += " atol " + std::to_string(check->second.absolute) + ", rtol " + std::to_string(check->second.relative) + ", " +
              std::to_string(check->second.ulp) + " ulp";
    line("  self-check", text + (check->second.reason.empty() ? "" : ": " + check->second.reason));
  }
}

void print(const format::Manifest& m) {
  line("kernel", m.demangled);
  line("mangled", m.kernel);
  line("identity", m.hash8 + ", launch " + std::to_string(m.ordinal) + " of this kernel and shape, rank " + std::to_string(m.rank));
  line("tag", m.tag);
  line("grid / block", shapeText(m.shape));
  line("dynamic shared", m.shape.dynamicSharedBytes == 0 ? "" : sizeText(m.shape.dynamicSharedBytes));
  line("launch", m.shape.cooperative ? "cooperative" : "");
  line("arguments", std::to_string(m.parameters.size()) + ", " + std::to_string(m.arguments.size()) + " bytes");
  printRegions(m);
  printCode(m);
  line("device", m.backend + (m.model.empty() ? "" : ", " + m.model) + (m.architecture.empty() ? "" : ", " + m.architecture));
  line("driver", m.driver);
  line("toolchain", m.toolchain);
  line("program", m.program);
  line("recorded", m.recordedAt + (m.mnemeVersion.empty() ? "" : " by mneme " + m.mnemeVersion));
  line("time", m.kernelNanoseconds == 0 ? "" : std::to_string(m.kernelNanoseconds) + " ns in the program");
  line("consistency", m.sharedWrites ? "shared-writes: other threads may have changed memory meanwhile" : "");
}

int show(const ShowOptions& options) {
  auto recording = format::Recording::open(options.recording);
  if (!recording) return report(recording.error());
  if (!options.json) {
    print((*recording)->manifest());
    return kPass;
  }
  auto text = readText(options.recording);
  if (!text) return report(text.error());
  std::fputs(text->c_str(), stdout);
  return kPass;
}

}  // namespace

std::function<int()> setupShow(CLI::App& app) {
  auto options = std::make_shared<ShowOptions>();
  app.add_option("REC", options->recording, "a recording's manifest")->required();
  app.add_flag("--json", options->json, "print the manifest itself");
  app.footer("Example:\n  mneme show recordings/stencil.1a2b3c4d.json");
  return [options] { return show(*options); };
}

}  // namespace mneme::cli
