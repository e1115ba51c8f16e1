// SPDX-License-Identifier: Apache-2.0
/// A space whose points were all measured before: Kernel Tuner's cache files and T4 results, gzip or plain.
/// Strategies can be compared on it without a device.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "tune/domain.h"

namespace mneme::tune {

struct MeasuredPoint {
  double time = 0;            ///< milliseconds; infinity where it failed
  std::vector<float> samples; ///< of which `time` is the mean, in the order of measuring; may be empty
};

struct MeasuredSpace {
  std::string kernel, device;
  std::optional<Domain> domain;
  std::unordered_map<Point, MeasuredPoint, PointHash> measured;
  double optimum = 0;  ///< the smallest time
};

/// CorruptRecording with the path for anything that is neither format, has no valid point, or is not consistent.
/// A cache file of an interrupted run, which lacks its last brackets, is read up to its last whole entry.
[[nodiscard]] Expected<MeasuredSpace> readMeasuredSpace(const std::filesystem::path& path);

}  // namespace mneme::tune
