// SPDX-License-Identifier: Apache-2.0
// A plate with one hot edge; prints its mean temperature after some steps.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "heat.h"

int main(int argc, char** argv) {
  const int width = 96, steps = argc > 1 ? std::atoi(argv[1]) : 50;
  std::vector<float> plate(width * width, 20.0f);
  for (int x = 0; x < width; ++x) plate[x] = 100.0f;

  const float change = simulateHeat(plate, width, 0.2f, steps);

  double sum = 0;
  for (float t : plate) sum += t;
  std::printf("after %d steps: mean %.4f, last change %.4f\n", steps, sum / plate.size(), change);
  return sum / plate.size() > 20.0 ? 0 : 1;
}
