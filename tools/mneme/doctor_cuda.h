// SPDX-License-Identifier: Apache-2.0
/// What `mneme doctor` looks at for NVIDIA's GPUs: device files, driver, toolkit, and the libraries loaded at run time.
#pragma once

#include <vector>

#include "doctor_checks.h"

namespace mneme::cli {

[[nodiscard]] std::vector<Check> cudaChecks();

}  // namespace mneme::cli
