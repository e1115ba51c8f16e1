// SPDX-License-Identifier: Apache-2.0
/// Texture and surface objects that the program has, and launches that use them: these are not recorded yet.
/// Thread-safe; its lock is a leaf.
#pragma once

#include <cuda.h>

#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/launch.h"
#include "cubin/cubin.h"

namespace mneme::preload {

class Textures {
 public:
  enum class Kind { Texture, Surface };
  void created(uint64_t handle, Kind kind);
  void destroyed(uint64_t handle, Kind kind);

  /// Why a launch of code that samples so cannot be recorded; nullopt: it can. `arguments` packed as the slots say.
  [[nodiscard]] std::optional<std::string> refusal(cubin::Sampling sampling, const std::vector<ParameterSlot>& slots,
                                                   std::span<const std::byte> arguments) const;

 private:
  [[nodiscard]] std::optional<std::string> namedArgument(const std::vector<ParameterSlot>& slots,
                                                         std::span<const std::byte> arguments) const;

  mutable std::mutex mutex_;
  std::multimap<uint64_t, Kind> live_;  ///< contexts number theirs alike, textures and surfaces too
};

}  // namespace mneme::preload
