// SPDX-License-Identifier: Apache-2.0
/// Handles are small numbers, so an argument that equals one says nothing by itself: the code decides, the handles only
/// name the argument. Code that cannot be read is judged by its arguments alone.
#include "preload/cuda/textures.h"

#include <cstring>

namespace mneme::preload {
namespace {
constexpr uint32_t kHandleBytes = 8;
}

void Textures::created(uint64_t handle, Kind kind) {
  std::lock_guard lock(mutex_);
  live_.emplace(handle, kind);
}

void Textures::destroyed(uint64_t handle, Kind kind) {
  std::lock_guard lock(mutex_);
  const auto [first, last] = live_.equal_range(handle);
  for (auto at = first; at != last; ++at)
    if (at->second == kind) return static_cast<void>(live_.erase(at));
}

std::optional<std::string> Textures::namedArgument(const std::vector<ParameterSlot>& slots,
                                                   std::span<const std::byte> arguments) const {
  std::lock_guard lock(mutex_);
  for (size_t i = 0; i < slots.size(); ++i) {
    const uint64_t end = slots[i].offset + uint64_t{slots[i].size};
    const uint64_t first = (slots[i].offset + kHandleBytes - 1) / kHandleBytes * kHandleBytes;
    for (uint64_t at = first; at + kHandleBytes <= end && end <= arguments.size(); at += kHandleBytes) {
      uint64_t word = 0;
      std::memcpy(&word, arguments.data() + at, sizeof word);
      const auto found = live_.find(word);
      if (found == live_.end()) continue;
      const bool texture = found->second == Kind::Texture;
      return "its argument " + std::to_string(i) + (texture ? " is a texture object (textures" : " is a surface object (surfaces") +
             " are not recorded yet)";
    }
  }
  return std::nullopt;
}

std::optional<std::string> Textures::refusal(cubin::Sampling sampling, const std::vector<ParameterSlot>& slots,
                                             std::span<const std::byte> arguments) const {
  if (sampling == cubin::Sampling::None) return std::nullopt;
  if (sampling == cubin::Sampling::References) return "it reads a texture reference (textures are not recorded yet)";
  if (auto named = namedArgument(slots, arguments)) return named;
  if (sampling == cubin::Sampling::Unknown) return std::nullopt;
  return "its code uses a texture or surface object (textures and surfaces are not recorded yet)";
}

}  // namespace mneme::preload
