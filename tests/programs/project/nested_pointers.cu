// SPDX-License-Identifier: Apache-2.0
/// A linked list on the device: the kernel's only argument points to structs that point to buffers and to each other.
#include <vector>

#include "check.h"

struct Node {
  float* values;
  int count;
  Node* next;
};

__global__ void doubleAll(Node* list) {
  for (Node* node = list; node; node = node->next)
    for (int i = threadIdx.x; i < node->count; i += blockDim.x) node->values[i] *= 2.0f;
}

int main() {
  Node* list = nullptr;
  std::vector<float*> buffers;
  for (int n = 1; n <= 4; ++n) {
    std::vector<float> values(100 * n, float(n));
    Node node{nullptr, 100 * n, list};
    check(cudaMalloc(&node.values, values.size() * sizeof(float)), "values");
    check(cudaMemcpy(node.values, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice), "copy");
    check(cudaMalloc(&list, sizeof node), "node");
    check(cudaMemcpy(list, &node, sizeof node, cudaMemcpyHostToDevice), "copy");
    buffers.push_back(node.values);
  }
  doubleAll<<<1, 64>>>(list);
  check(cudaDeviceSynchronize(), "doubleAll");
  bool good = true;
  for (int n = 1; n <= 4; ++n) {
    float last = 0;
    check(cudaMemcpy(&last, buffers[n - 1] + 100 * n - 1, sizeof last, cudaMemcpyDeviceToHost), "copy");
    good = good && last == 2.0f * n;
  }
  return finish(good);
}
