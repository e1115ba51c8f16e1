// SPDX-License-Identifier: Apache-2.0
/// The C entry points of <mneme/mneme.h> live here, so that whatever links the recorder answers them.
/// They run in the program's own calls: nothing may leave them but a return.
#include "record/annotations.h"

#include <algorithm>
#include <cmath>

#include "base/log.h"
#include "mneme/mneme.h"

namespace mneme::record {
namespace {

thread_local std::vector<std::string> openTags;

format::Annotation annotationFrom(const mneme_annotation& given) {
  format::Annotation annotation;
  annotation.buffer = given.name ? given.name : "";
  if (given.element > 0 && given.element <= static_cast<int>(format::ElementType::I64))
    annotation.element = static_cast<format::ElementType>(given.element);
  if (std::isfinite(given.atol) && given.atol >= 0) annotation.atol = given.atol;
  if (std::isfinite(given.rtol) && given.rtol >= 0) annotation.rtol = given.rtol;
  if (given.ulp >= 0) annotation.ulp = static_cast<uint64_t>(given.ulp);
  return annotation;
}

/// Runs `work` in a call of the program: out of memory is the recorder's trouble, not the program's.
template <typename Work>
void shielded(Work work) noexcept {
  try {
    work();
  } catch (...) {
    logOnce(LogLevel::Warn, "an annotation was lost: out of memory");
  }
}

}  // namespace

void SuballocatedBlocks::add(uint64_t address, uint64_t size) {
  if (size == 0) return;
  std::lock_guard lock(mutex_);
  blocks_[address] = size;
}

void SuballocatedBlocks::remove(uint64_t address) {
  std::lock_guard lock(mutex_);
  blocks_.erase(address);
}

std::vector<MemoryRange> SuballocatedBlocks::split(const std::vector<MemoryRange>& ranges) const {
  std::lock_guard lock(mutex_);
  if (blocks_.empty()) return ranges;
  std::vector<MemoryRange> pieces;
  for (const MemoryRange& range : ranges) {
    const size_t before = pieces.size();
    const uint64_t end = range.address + range.size;
    for (auto block = blocks_.lower_bound(range.address); block != blocks_.end() && block->first < end; ++block)
      pieces.push_back({block->first, std::min(block->second, end - block->first), range.kind, range.name});
    if (pieces.size() == before) pieces.push_back(range);
  }
  return pieces;
}

std::optional<MemoryRange> SuballocatedBlocks::narrow(const MemoryRange& range, uint64_t address) const {
  std::lock_guard lock(mutex_);
  const uint64_t end = range.address + range.size;
  const auto first = blocks_.lower_bound(range.address);
  if (first == blocks_.end() || first->first >= end) return range;
  const auto after = blocks_.upper_bound(address);
  if (after == first) return std::nullopt;
  const auto [base, size] = *std::prev(after);
  if (address - base >= size) return std::nullopt;
  return MemoryRange{base, std::min(size, end - base), range.kind, range.name};
}

void BufferAnnotations::set(uint64_t address, format::Annotation annotation) {
  std::lock_guard lock(mutex_);
  byAddress_[address] = std::move(annotation);
}

std::optional<format::Annotation> BufferAnnotations::find(const MemoryRange& range) const {
  std::lock_guard lock(mutex_);
  const auto at = byAddress_.lower_bound(range.address);
  if (at == byAddress_.end() || at->first - range.address >= range.size) return std::nullopt;
  return at->second;
}

SuballocatedBlocks& suballocatedBlocks() {
  static auto& blocks = *new SuballocatedBlocks;
  return blocks;
}

BufferAnnotations& bufferAnnotations() {
  static auto& annotations = *new BufferAnnotations;
  return annotations;
}

std::string currentTag() {
  std::string joined;
  for (const std::string& tag : openTags) joined += (joined.empty() ? "" : "/") + tag;
  return joined;
}

}  // namespace mneme::record

extern "C" {

__attribute__((visibility("default"))) void mneme_annotate(const void* pointer, const mneme_annotation* annotation) {
  if (!pointer || !annotation) return;
  mneme::record::shielded([&] {
    mneme::record::bufferAnnotations().set(reinterpret_cast<uint64_t>(pointer),
                                           mneme::record::annotationFrom(*annotation));
  });
}

__attribute__((visibility("default"))) void mneme_suballocated(const void* base, unsigned long long size) {
  mneme::record::shielded(
      [&] { mneme::record::suballocatedBlocks().add(reinterpret_cast<uint64_t>(base), size); });
}

__attribute__((visibility("default"))) void mneme_subfreed(const void* base) {
  mneme::record::shielded([&] { mneme::record::suballocatedBlocks().remove(reinterpret_cast<uint64_t>(base)); });
}

__attribute__((visibility("default"))) void mneme_push_tag(const char* text) {
  mneme::record::shielded([&] { mneme::record::openTags.emplace_back(text ? text : ""); });
}

__attribute__((visibility("default"))) void mneme_pop_tag(void) {
  if (!mneme::record::openTags.empty()) mneme::record::openTags.pop_back();
}

}  // extern "C"
