// SPDX-License-Identifier: Apache-2.0
#pragma once

constexpr int kBins = 64;

/// Counts the `n` bytes at `data` (device memory) into `bins` (device memory, kBins counters, zeroed by the caller).
void countBytes(const unsigned char* data, int n, unsigned* bins);
