// SPDX-License-Identifier: Apache-2.0
/// See self_check.h.
#include "self_check.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "format/recording_set.h"
#include "text.h"

namespace mneme::cli {
namespace {

using format::SelfCheck;

/// Floating-point sums in another order differ by little; more is another answer.
constexpr double kLargestSpread = 1e-3;

double numberAt(const nlohmann::json& data, const char* key) {
  auto found = data.find(key);
  return found != data.end() && found->is_number() ? found->get<double>() : HUGE_VAL;
}

bool onlyFloatsWrong(const nlohmann::json& data) {
  const auto& mismatches = data.at("mismatches");
  return std::all_of(mismatches.begin(), mismatches.end(), [](const nlohmann::json& mismatch) {
    return mismatch.value("typed", false) && mismatch.value("type", "").find('f') != std::string::npos;
  });
}

SelfCheck judgeMismatch(const ReplayResult& result) {
  const auto& worst = result.data.at("worst");
  double relative = numberAt(worst, "relative");
  if (onlyFloatsWrong(result.data) && relative <= kLargestSpread)
    return {SelfCheck::Result::ReproducedWithin, numberAt(worst, "absolute"), relative, worst.value("ulp", uint64_t{0}), ""};
  std::string why = result.lines.size() > 1 ? result.lines[1] : result.lines.front();
  return {SelfCheck::Result::NotReproduced, 0, 0, 0, why.substr(why.find_first_not_of(' '))};
}

std::string resultText(const SelfCheck& check) {
  switch (check.result) {
    case SelfCheck::Result::NotRun: return "not checked";
    case SelfCheck::Result::Reproduced: return "reproduced";
    case SelfCheck::Result::ReproducedWithin: return "reproduced within " + numberText(check.relative);
    case SelfCheck::Result::NotReproduced: return "NOT reproduced: " + check.reason;
    case SelfCheck::Result::Refused: return "refused: " + check.reason;
  }
  return {};
}

}  // namespace

format::SelfCheck judgeSelfCheck(const ReplayResult& result) {
  auto verdict = result.data.value("verdict", "");
  auto reason = result.data.value("reason", "");
  if (verdict == "pass") return {SelfCheck::Result::Reproduced, 0, 0, 0, ""};
  if (verdict == "skipped") return {SelfCheck::Result::NotRun, 0, 0, 0, reason};
  if (verdict == "mismatch") return judgeMismatch(result);
  bool refused = result.data.value("refused", false);
  return {refused ? SelfCheck::Result::Refused : SelfCheck::Result::NotReproduced, 0, 0, 0, reason};
}

Expected<format::Manifest> selfCheck(const std::filesystem::path& path) {
  auto recording = format::Recording::open(path);
  if (!recording) return std::move(recording).error();
  format::Manifest manifest = (*recording)->manifest();
  std::set<CodeKind> kinds;
  for (const auto& code : manifest.code) kinds.insert(code.kind);
  for (auto kind : kinds) {
    ReplayOptions options;
    options.as = std::string(name(kind));
    options.device = manifest.backend;
    options.selfCheck = true;
    manifest.selfCheck[options.as] = judgeSelfCheck(replayOne(options, path));
  }
  if (auto written = format::rewriteManifest(path, manifest); !written) return std::move(written).error();
  return manifest;
}

std::string selfCheckText(const format::Manifest& manifest) {
  std::string text;
  for (const auto& [kind, check] : manifest.selfCheck) text += (text.empty() ? "" : ", ") + kind + " " + resultText(check);
  return text.empty() ? "not checked" : text;
}

}  // namespace mneme::cli
