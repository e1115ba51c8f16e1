// SPDX-License-Identifier: Apache-2.0
/// See verdict_text.h.
#include "verdict_text.h"

#include <algorithm>
#include <cmath>

#include "arguments_text.h"
#include "next_step.h"
#include "text.h"

namespace mneme::cli {
namespace {

using format::ElementType;
using replay::Outcome;
using replay::Verdict;

constexpr size_t kShownRegions = 4;

const char* outcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::Pass: return "pass";
    case Outcome::Mismatch: return "mismatch";
    case Outcome::KernelGone: return "kernel-gone";
    case Outcome::ParametersChanged: return "parameters-changed";
    case Outcome::VariableChanged: return "variable-changed";
    case Outcome::Undecided: return "undecided";
  }
  return "undecided";
}

std::string heading(const char* word, const Verdict& verdict, const std::filesystem::path& path, const std::string& model) {
  return std::string(word) + " " + recordingName(path) + " on " + model + " (" + std::string(name(verdict.kind)) + ", " +
         verdict.origin + (verdict.relocated > 0 ? ", relocated" : "") + "): ";
}

/// A single run pays for cold caches and clocks; only a median is compared with the program's time.
std::string timesText(const Verdict& verdict, uint64_t inProgram) {
  const auto& timed = verdict.timedNanoseconds;
  if (timed.empty()) return "kernel " + timeText(verdict.kernelNanoseconds);
  return "kernel median " + timeText(median(timed)) + ", min " +
         timeText(*std::min_element(timed.begin(), timed.end())) + " of " + std::to_string(timed.size()) +
         (inProgram > 0 ? ", " + timeText(inProgram) + " in the program" : "");
}

/// "element 17 of 4096 f32, offset 68"; bytes of unknown type are shown as what they most likely are.
std::string placeText(const replay::Mismatch& first, ElementType element, uint64_t regionBytes) {
  std::string offset = "offset " + std::to_string(first.offset), type(format::name(first.shownAs));
  if (element != first.shownAs) return offset + " as " + type;
  if (element == ElementType::Bytes) return offset;
  return "element " + std::to_string(first.index) + " of " + std::to_string(regionBytes / format::sizeOf(element)) + " " +
         type + ", " + offset;
}

std::string mismatchLine(const Verdict& verdict, const format::Manifest& manifest, size_t region) {
  const auto& result = verdict.comparison.regions[region];
  const auto& range = manifest.regions[region].range;
  auto element = verdict.elements[region];
  return "  " + regionLabel(manifest, region) + ": " + placeText(*result.first, element, range.size) + ": expected " +
         result.first->expected + ", got " + result.first->got + "; " +
         counted(result.wrong, element == ElementType::Bytes ? "byte" : "element") + " wrong in " + sizeText(range.size) +
         " of " + std::string(name(range.kind)) + " memory";
}

std::vector<std::string> mismatchLines(const Verdict& verdict, const format::Manifest& manifest) {
  std::vector<std::string> lines;
  size_t wrongRegions = 0;
  for (size_t i = 0; i < verdict.comparison.regions.size(); ++i) {
    if (verdict.comparison.regions[i].wrong == 0) continue;
    if (++wrongRegions <= kShownRegions) lines.push_back(mismatchLine(verdict, manifest, i));
  }
  if (wrongRegions > kShownRegions) lines.push_back("  and " + counted(wrongRegions - kShownRegions, "more region"));
  bool typed = false;
  for (size_t i = 0; i < verdict.elements.size(); ++i)
    typed |= verdict.comparison.regions[i].wrong > 0 && verdict.elements[i] != replay::ElementType::Bytes;
  auto worst = verdict.comparison.worst();
  if (typed)
    lines.push_back("  worst error: absolute " + numberText(worst.absolute) + ", relative " + numberText(worst.relative) +
                    ", " + std::to_string(worst.ulp) + " ulp");
  return lines;
}

std::string passText(const Verdict& verdict, const format::Manifest& manifest) {
  return counted(verdict.comparison.regions.size(), "region") + ", " + sizeText(verdict.comparison.bytes) + " compared " +
         verdict.howCompared + ", " + timesText(verdict, manifest.kernelNanoseconds);
}

std::string failText(const Verdict& verdict) {
  auto wrong = std::count_if(verdict.comparison.regions.begin(), verdict.comparison.regions.end(),
                             [](const replay::RegionResult& region) { return region.wrong > 0; });
  return "wrong answer in " + std::to_string(wrong) + " of " + counted(verdict.comparison.regions.size(), "region") +
         ", " + sizeText(verdict.comparison.bytes) + " compared " + verdict.howCompared;
}

const char* headWord(Outcome outcome) {
  return outcome == Outcome::Pass ? "PASS" : outcome == Outcome::Undecided ? "UNDECIDED" : "FAIL";
}

nlohmann::json mismatchData(const Verdict& verdict, const format::Manifest& manifest) {
  auto list = nlohmann::json::array();
  for (size_t i = 0; i < verdict.comparison.regions.size(); ++i) {
    const auto& result = verdict.comparison.regions[i];
    if (!result.first) continue;
    list.push_back({{"region", i}, {"name", manifest.regions[i].range.name}, {"wrong", result.wrong},
                    {"offset", result.first->offset}, {"element", result.first->index},
                    {"type", format::name(result.first->shownAs)},
                    {"typed", verdict.elements[i] == result.first->shownAs}, {"expected", result.first->expected},
                    {"got", result.first->got}});
  }
  return list;
}

}  // namespace

uint64_t median(std::vector<uint64_t> values) {
  std::sort(values.begin(), values.end());
  size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

int exitCodeOf(Outcome outcome) {
  return outcome == Outcome::Pass ? kPass : outcome == Outcome::Undecided ? kUndecided : kFailed;
}

std::vector<std::string> verdictLines(const Verdict& verdict, const format::Manifest& manifest,
                                      const std::filesystem::path& path, const std::string& model,
                                      const ReplayOptions& options) {
  auto outcome = verdict.outcome;
  std::string text = outcome == Outcome::Pass       ? passText(verdict, manifest)
                     : outcome == Outcome::Mismatch ? failText(verdict)
                                                    : verdict.reason;
  std::vector<std::string> lines{heading(headWord(outcome), verdict, path, model) + text};
  if (outcome == Outcome::Mismatch)
    for (auto& line : mismatchLines(verdict, manifest)) lines.push_back(std::move(line));
  if (verdict.relocated > 0)
    lines.push_back("  relocated: " + counted(verdict.relocated, "region") +
                    " could not have the recorded address; stored pointers were rewritten");
  if (outcome == Outcome::Mismatch && manifest.sharedWrites)
    lines.push_back("  the recording is marked shared-writes: others may have written this memory while it was made");
  if (auto next = nextAfterVerdict(verdict, manifest, path, options); !next.empty()) lines.push_back("  next: " + next);
  return lines;
}

nlohmann::json verdictData(const Verdict& verdict, const format::Manifest& manifest, const std::filesystem::path& path,
                           const std::string& model) {
  auto worst = verdict.comparison.worst();
  return {{"name", recordingName(path)}, {"manifest", path.string()}, {"kernel", manifest.demangled},
          {"verdict", outcomeName(verdict.outcome)}, {"reason", verdict.reason}, {"device", model},
          {"code", name(verdict.kind)}, {"origin", verdict.origin}, {"compared", verdict.howCompared},
          {"bytes", verdict.comparison.bytes}, {"regions", verdict.comparison.regions.size()},
          {"relocated", verdict.relocated}, {"identical", verdict.comparison.identical()},
          {"wrong", verdict.comparison.wrong()}, {"kernel_ns", verdict.kernelNanoseconds},
          {"timed_ns", verdict.timedNanoseconds}, {"mismatches", mismatchData(verdict, manifest)},
          {"worst", {{"absolute", worst.absolute}, {"relative", worst.relative}, {"ulp", worst.ulp}}}};
}

}  // namespace mneme::cli
