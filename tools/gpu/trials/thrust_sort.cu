// SPDX-License-Identifier: Apache-2.0
/// A Thrust sort: kernels of CUB, temporary memory freed right behind them.
#include <thrust/device_vector.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>

#include <cstdio>

int main() {
  thrust::device_vector<unsigned> values(1 << 18);
  thrust::sequence(values.begin(), values.end(), 0u, 2654435761u);
  thrust::sort(values.begin(), values.end());
  std::printf("sort %s\n", thrust::is_sorted(values.begin(), values.end()) ? "correct" : "wrong");
}
