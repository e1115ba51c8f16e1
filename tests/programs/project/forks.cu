// SPDX-License-Identifier: Apache-2.0
/// Launches, forks, launches again in parent and child; both answers must be right and nothing may hang.
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

__global__ void before(int* x) { x[threadIdx.x] = threadIdx.x; }
__global__ void after(int* x) { x[threadIdx.x] += 1000; }

static bool launchAfter(int* x) {
  int last = 0;
  after<<<1, 64>>>(x);
  check(cudaMemcpy(&last, x + 63, sizeof last, cudaMemcpyDeviceToHost), "copy");
  return last == 1063;
}

int main() {
  int* x = nullptr;
  check(cudaMalloc(&x, 64 * sizeof *x), "malloc");
  before<<<1, 64>>>(x);
  check(cudaDeviceSynchronize(), "before");
  const pid_t child = fork();
  if (child == 0) _exit(launchAfter(x) ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  return finish(launchAfter(x) && status == 0);
}
