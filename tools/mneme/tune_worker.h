// SPDX-License-Identifier: Apache-2.0
/// The process that runs candidates. It speaks lines of JSON over stdin and stdout and shares nothing else, so that any
/// launcher can start it (ssh, srun, mpirun). First line out: {"ready": …} or {"error": …}. Then one answer per line in:
///   {"candidate": {"grid": [..], "block": [..], "shared": 0, "knobs": {}, "macros": {}}, "milliseconds": 50}
///   {"time_ns": 1234.5, "samples_ns": [..], "code": "1f2e…"}  or  {"failure": "wrong", "reason": "…"}
///   {"identify": {the default}}  gives  {"identity": "1f2e…"}: of the code before anything is generated from it
/// After a device failure the answer has "last": true and it ends: what ran in a broken context would prove nothing.
/// "unreadable": true says that the recording is damaged: no trial can work.
#pragma once

#include <string>
#include <vector>

namespace mneme::cli {

struct TuneWorkerOptions {
  std::string manifest, device = "auto", code = "recorded", as;
  std::vector<std::string> tolerances;
  bool relocate = false;
};

/// Until stdin ends; the exit code.
int runTuneWorker(const TuneWorkerOptions& options);

}  // namespace mneme::cli
