// SPDX-License-Identifier: Apache-2.0
// Explicit steps of the heat equation on a square plate with fixed borders.
#pragma once

#include <vector>

/// Advances `plate` (width x width, row by row) by `steps` steps of size `alpha`; returns the last step's largest change.
float simulateHeat(std::vector<float>& plate, int width, float alpha, int steps);
