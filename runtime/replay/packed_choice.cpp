// SPDX-License-Identifier: Apache-2.0
#include "replay/packed_choice.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "cubin/cubin.h"
#include "cubin/elf.h"

namespace mneme::replay {
namespace {

using Bytes = std::vector<std::byte>;

/// The kernels beside which the recorded one was loaded; empty if no image was recorded.
std::set<std::string> recordedNeighbours(format::Recording& recording) {
  std::set<std::string> names;
  for (const auto& reference : recording.manifest().code) {
    if (reference.kind != CodeKind::Image) continue;
    const auto bytes = recording.code(reference);
    const auto parsed = bytes ? cubin::parse(*bytes) : Expected<cubin::Cubin>(bytes.error());
    if (!parsed) continue;
    for (const auto& kernel : parsed->kernels) names.insert(kernel.name);
  }
  return names;
}

/// Kernels in both, less those in one alone; all alike where no neighbours are known.
int64_t likeness(const std::vector<std::string>& kernels, const std::set<std::string>& neighbours) {
  if (neighbours.empty()) return 0;
  const auto shared = std::ranges::count_if(kernels, [&](const std::string& name) { return neighbours.contains(name); });
  return 3 * shared - static_cast<int64_t>(kernels.size()) - static_cast<int64_t>(neighbours.size());
}

/// The machine code of the kernel alone; of PTX the whole text.
Expected<Bytes> codeOf(const PackedKernel& candidate) {
  auto bytes = candidate.piece->bytes();
  if (!bytes || candidate.piece->kind != CodeKind::Image) return bytes;
  const auto elf = ElfView::parse(*bytes);
  if (!elf) return elf.error();
  const auto* text = elf->section(".text." + candidate.kernel);
  return text ? Bytes(text->content.begin(), text->content.end()) : Bytes{};
}

}  // namespace

Expected<size_t> choosePacked(format::Recording& recording, std::span<const PackedKernel> candidates) {
  if (candidates.size() < 2) return size_t{0};
  const auto neighbours = recordedNeighbours(recording);
  const auto score = [&](const PackedKernel& candidate) { return likeness(candidate.piece->kernels, neighbours); };
  const auto best = std::ranges::max_element(candidates, std::ranges::less{}, score);
  const auto code = codeOf(*best);
  if (!code) return code.error();
  for (const auto& other : candidates) {
    if (&other == &*best || score(other) != score(*best)) continue;
    const auto rival = codeOf(other);
    if (!rival) return rival.error();
    if (*rival != *code)
      return Error(ErrorCode::Unsupported,
                   "two translation units of " + other.piece->binary.string() + " define " +
                       format::demangle(other.kernel) + " differently, and the recording does not say which one ran; "
                       "build it with mneme_add_recordable_kernel, whose notes tell them apart (--as ptx or llvm)");
  }
  return static_cast<size_t>(best - candidates.begin());
}

}  // namespace mneme::replay
