// SPDX-License-Identifier: Apache-2.0
/// Compiled as C++14 with all warnings as errors: the public header as programs include it.
#include "mneme/mneme.h"

void describe(const float *forces);
void describe(const float *forces) {
  mneme::annotate(forces, {mneme::Element::f32, 1e-6, 1e-4, mneme::any, "forces"});
  mneme::suballocated(forces, 64);
  mneme::freed(forces);
  auto scope = mneme::tag("warm-up");
}
