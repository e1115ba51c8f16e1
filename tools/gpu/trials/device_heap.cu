// SPDX-License-Identifier: Apache-2.0
/// Device-side malloc: a list that one kernel builds on the device heap and another walks. To be refused by name.
#include <cstdio>

struct Cell {
  int value;
  Cell* next;
};

__global__ void build(Cell** head, int n) {
  for (int i = 0; i < n; ++i) {
    auto* cell = static_cast<Cell*>(malloc(sizeof(Cell)));
    *cell = {i, *head};
    *head = cell;
  }
}

__global__ void walk(Cell** head, int* sum) {
  *sum = 0;
  for (Cell* cell = *head; cell; cell = cell->next) *sum += cell->value;
}

int main() {
  Cell** head;
  int *sum, result = 0;
  cudaMalloc(&head, sizeof *head);
  cudaMalloc(&sum, sizeof *sum);
  cudaMemset(head, 0, sizeof *head);
  build<<<1, 1>>>(head, 10);
  walk<<<1, 1>>>(head, sum);
  cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost);
  std::printf("heap %s\n", result == 45 ? "correct" : "wrong");
}
