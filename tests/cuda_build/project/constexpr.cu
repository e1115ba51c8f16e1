// SPDX-License-Identifier: Apache-2.0
/// Device code that calls host functions which are constexpr.
#include <algorithm>
#include <limits>
constexpr int three() { return 3; }
__global__ void bounded(float* a) { *a = std::max(*a, std::numeric_limits<float>::lowest()) + three(); }
