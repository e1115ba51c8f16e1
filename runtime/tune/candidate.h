// SPDX-License-Identifier: Apache-2.0
/// One point of a space as something to run, and what came of it: plain values and their JSON, which is what processes
/// exchange, what the store keeps and what tuned.json says.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/launch.h"
#include "tune/space.h"

namespace mneme::tune {

struct Candidate {
  LaunchShape shape;
  std::map<std::string, Value> knobs;   ///< by name, of knobs()
  std::map<std::string, Value> macros;
};

/// InvalidArgument (one clause) if the point is no launch, or a knob or macro cannot be computed.
[[nodiscard]] Expected<Candidate> candidateOf(const Space& space, const Point& point, const LaunchShape& recorded);

/// The values that a point stands for, by parameter.
using Configuration = std::map<std::string, Value>;
/// "block_x=32 unroll=4"
[[nodiscard]] std::string text(const Configuration& configuration);
[[nodiscard]] Configuration configurationOf(const Space& space, const Point& point);
/// nullopt if the space has no such point.
[[nodiscard]] std::optional<Point> pointOf(const Space& space, const Configuration& configuration);

/// Why a trial did not count.
inline constexpr const char* kFailures[] = {"invalid", "compile", "launch", "wrong", "crash", "timeout", "lost"};

struct TrialResult {
  std::string failure;         ///< of kFailures; empty: verified and timed
  std::string reason;          ///< of a failure, one clause
  double nanoseconds = 0;      ///< median of one launch
  std::vector<double> samples; ///< nanoseconds of one launch each
  std::string code = {};       ///< of what worked: identity of generated code and launch shape; empty: not known
  [[nodiscard]] bool worked() const { return failure.empty(); }
};

[[nodiscard]] nlohmann::json toJson(const Value& value);
[[nodiscard]] nlohmann::json toJson(const std::map<std::string, Value>& values);
[[nodiscard]] nlohmann::json toJson(const Candidate& candidate);
[[nodiscard]] nlohmann::json toJson(const TrialResult& result);
/// nullopt for what is no value, and for a whole number that does not fit.
[[nodiscard]] std::optional<Value> valueFrom(const nlohmann::json& json);
/// CorruptRecording for anything else.
[[nodiscard]] Expected<std::map<std::string, Value>> valuesFrom(const nlohmann::json& json);
[[nodiscard]] Expected<Candidate> candidateFrom(const nlohmann::json& json);
[[nodiscard]] Expected<TrialResult> trialResultFrom(const nlohmann::json& json);

}  // namespace mneme::tune
