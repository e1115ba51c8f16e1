// SPDX-License-Identifier: Apache-2.0
/// The names under which memory and code kinds appear in manifests and on the command line.
#include "base/launch.h"

#include <array>

namespace mneme {
namespace {
constexpr std::array<std::string_view, 6> kMemoryNames{"device",     "managed", "pinned",
                                                       "registered", "global",  "constant"};
constexpr std::array<std::string_view, 3> kCodeNames{"image", "ptx", "llvm"};

template <typename Enum, size_t N>
std::optional<Enum> find(const std::array<std::string_view, N>& names, std::string_view name) {
  for (size_t i = 0; i < N; ++i)
    if (names[i] == name) return static_cast<Enum>(i);
  return std::nullopt;
}
}  // namespace

std::string_view name(MemoryKind kind) { return kMemoryNames[static_cast<size_t>(kind)]; }
std::string_view name(CodeKind kind) { return kCodeNames[static_cast<size_t>(kind)]; }
std::optional<MemoryKind> memoryKindFromName(std::string_view name) { return find<MemoryKind>(kMemoryNames, name); }
std::optional<CodeKind> codeKindFromName(std::string_view name) { return find<CodeKind>(kCodeNames, name); }

}  // namespace mneme
