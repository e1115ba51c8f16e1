// SPDX-License-Identifier: Apache-2.0
/// `mneme gate --calibrate`: the same code on both sides, to see how often this machine's gate would be wrong.
#pragma once

#include <string>

#include "gate_job.h"

namespace mneme::cli {

struct CalibrateOptions {
  unsigned comparisons = 5;  ///< live ones, of each recording
  unsigned seconds = 0;      ///< of each recording, after which no further comparison begins; 0: no limit
  std::string file;          ///< where the numbers are kept; empty: beside other caches, by device
};

/// Of one recording: the live comparisons, and what resampling their processes says. `data` holds all numbers.
[[nodiscard]] ReplayResult calibrate(const GateOptions& options, const CalibrateOptions& calibration,
                                     const std::filesystem::path& manifest);

/// Keeps the numbers; returns the file. Later ones of the same recording on the same device replace earlier ones.
[[nodiscard]] Expected<std::filesystem::path> keepCalibration(const CalibrateOptions& calibration, const ReplayResult& result);

/// "a slowdown of 1.8 % is found in 95 of 100 cases": what a kept calibration says of this recording; empty if there is none.
[[nodiscard]] std::string calibrationNote(const std::string& device, const std::string& recording);

}  // namespace mneme::cli
