// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Negates `n` floats at `x` (device memory).
void negateOnDevice(float* x, int n);
