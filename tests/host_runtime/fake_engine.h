// SPDX-License-Identifier: Apache-2.0
/// An engine for tests of the API alone: it runs nothing, remembers what it was asked, and answers as told.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backend/host/engine.h"

namespace mneme::host::fake {

struct Launch {
  std::string kernel;
  LaunchShape shape;
  std::vector<std::byte> arguments;
};

struct State {
  std::vector<Launch> launches;
  LaunchResult answer;                  ///< of the next runs
  std::function<void()> during;         ///< called inside a run
  int loads = 0;
};
State& state();

/// Every module has kernel "scale(float*, int)" as `_Z5scalePfi`, with 64 bytes of static shared memory and a launch
/// bound of 512, kernel `_Z6refusev`, which is refused, and the variables `table` (16 bytes) and `limits` (constant).
inline constexpr char kScale[] = "_Z5scalePfi";
inline constexpr char kRefused[] = "_Z6refusev";

}  // namespace mneme::host::fake
