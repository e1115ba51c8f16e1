// SPDX-License-Identifier: Apache-2.0
/// See static_limits.h.
#include "static_limits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "code/instruction_classes.h"

namespace mneme::cli {
namespace {

constexpr std::array kMetrics{"registers", "spills", "stack", "shared", "constant", "instructions", "code", "occupancy",
                              "scalar_registers"};
constexpr std::array kDefaults{"registers=+0", "spills=+0", "stack=+0", "occupancy=-0"};
constexpr double kRounding = 1e-9;

Error wrong(const std::string& text, const std::string& why) {
  std::string known;
  for (const char* metric : kMetrics) known += (known.empty() ? "" : ", ") + std::string(metric);
  return {ErrorCode::InvalidArgument, "--static-limits '" + text + "': " + why + "; write registers=+0, spills=0 or occupancy=-0, with one of " + known + ", or a class's double_instructions"};
}

/// Also the instructions of each class: "double_instructions".
bool isMetric(const std::string& name) {
  if (std::find(kMetrics.begin(), kMetrics.end(), name) != kMetrics.end()) return true;
  return std::any_of(code::kInstructionClasses.begin(), code::kInstructionClasses.end(),
                     [&](std::string_view one) { return name == std::string(one) + "_instructions"; });
}

double allowedBy(const StaticLimit& limit, double baseline) {
  if (!limit.relative) return limit.value;
  const double room = limit.percent ? baseline * limit.value / 100 : limit.value;
  return isBetterHigh(limit.metric) ? baseline - room : baseline + room;
}

}  // namespace

bool isBetterHigh(const std::string& metric) { return metric == "occupancy"; }

Expected<StaticLimit> parseStaticLimit(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos) return wrong(text, "there is no '='");
  StaticLimit limit;
  limit.metric = text.substr(0, equals);
  if (!isMetric(limit.metric)) return wrong(text, "no such metric");
  std::string number = text.substr(equals + 1);
  limit.relative = !number.empty() && (number[0] == '+' || number[0] == '-');
  if (limit.relative && (number[0] == '-') != isBetterHigh(limit.metric))
    return wrong(text, isBetterHigh(limit.metric) ? "less of it is worse" : "more of it is worse");
  if (limit.relative) number.erase(0, 1);
  if (!number.empty() && number.back() == '%') {
    limit.percent = true;
    number.pop_back();
  }
  size_t used = 0;
  try {
    limit.value = std::stod(number, &used);
  } catch (const std::logic_error&) {
    return wrong(text, "the limit is no number");
  }
  if (used != number.size() || !std::isfinite(limit.value) || limit.value < 0) return wrong(text, "the limit is no number");
  if (limit.percent && !limit.relative && limit.metric != "occupancy") return wrong(text, "percent of what");
  return limit;
}

Expected<std::vector<StaticLimit>> staticLimits(const std::vector<std::string>& given) {
  std::vector<StaticLimit> limits;
  for (const char* text : kDefaults) limits.push_back(*parseStaticLimit(text));
  for (const auto& text : given) {
    auto limit = parseStaticLimit(text);
    if (!limit) return std::move(limit).error();
    const auto same = std::find_if(limits.begin(), limits.end(), [&](const StaticLimit& known) { return known.metric == limit->metric; });
    if (same == limits.end()) limits.push_back(std::move(*limit));
    else *same = std::move(*limit);
  }
  return limits;
}

std::vector<Excess> excesses(const std::vector<StaticLimit>& limits, const Figures& baseline, const Figures& candidate) {
  std::vector<Excess> found;
  for (const auto& limit : limits) {
    const auto before = baseline.find(limit.metric), now = candidate.find(limit.metric);
    if (now == candidate.end() || (limit.relative && before == baseline.end())) continue;
    const double was = before == baseline.end() ? 0 : before->second;
    const double allowed = allowedBy(limit, was);
    const bool beyond = isBetterHigh(limit.metric) ? now->second < allowed - kRounding : now->second > allowed + kRounding;
    if (beyond) found.push_back({limit.metric, was, now->second, allowed});
  }
  return found;
}

}  // namespace mneme::cli
