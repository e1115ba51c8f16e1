// SPDX-License-Identifier: Apache-2.0
/// The table is keyed by module and kernel name; kernels of equal name and code share one state, so that a module
/// loaded on two devices, or loaded again, counts once.
#include "record/selection.h"

#include <cstring>
#include <string_view>

#include "format/manifest.h"

namespace mneme::record {
namespace {

constexpr uint64_t kMostRetries = 3;
constexpr size_t kMostShapes = 1 << 16;  ///< of one kernel that are counted; launches of further ones are not recorded

uint64_t mix(uint64_t seed, uint64_t value) {
  seed ^= value + 0x9e3779b97f4a7c15u + (seed << 6) + (seed >> 2);
  return seed * 0xff51afd7ed558ccdu;
}

uint64_t hashOf(const LaunchShape& shape) {
  uint64_t hash = mix(shape.dynamicSharedBytes, shape.cooperative);
  for (const Dim3& dim : {shape.grid, shape.block, shape.cluster})
    hash = mix(mix(hash, uint64_t{dim.x} << 32 | dim.y), dim.z);
  return hash;
}

/// Of shape and argument bytes.
Hash128 distinctKeyOf(const LaunchInfo& info) {
  Hash128 key = hash128(info.arguments);
  const uint64_t shape = hashOf(info.shape);
  for (size_t i = 0; i < sizeof shape; ++i) key.bytes[i] ^= static_cast<uint8_t>(shape >> (8 * i));
  return key;
}

Hash128 slotKeyOf(const LaunchInfo& info) {
  Hash128 key = hash128(info.kernel);
  const uint64_t module = mix(0, info.module);
  for (size_t i = 0; i < sizeof module; ++i) key.bytes[i] ^= static_cast<uint8_t>(module >> (8 * i));
  return key;
}

/// Kernels of communication libraries wait for other processes: a snapshot around one stops them all.
bool isCommunication(std::string_view demangled) {
  for (std::string_view prefix : {"nccl", "nvshmem", "rccl"})
    for (size_t at = demangled.find(prefix); at != std::string_view::npos; at = demangled.find(prefix, at + 1))
      if (at == 0 || std::strchr(" :*&", demangled[at - 1])) return true;
  return false;
}

bool namesCommunication(const Options& options) {
  if (!options.kernels) return false;
  const std::string& text = options.kernels->text();
  return text.find("ccl") != std::string::npos || text.find("nvshmem") != std::string::npos;
}

/// "void solver::step<float>(int)" -> up to the parameters and template arguments, whose types may name anything.
std::string_view functionPart(std::string_view demangled) { return demangled.substr(0, demangled.find_first_of("(<")); }

}  // namespace

struct Selector::Slot {
  Hash128 key;
  KernelState* kernel;
  const Slot* next;
};

Selector::Selector(Options options, CodeIdentity identity, Newcomer newcomer)
    : options_(std::move(options)),
      identity_(std::move(identity)),
      newcomer_(std::move(newcomer)),
      buckets_(kBuckets) {}

Selector::~Selector() {
  for (auto& bucket : buckets_)
    for (const Slot* slot = bucket.load(); slot;) delete std::exchange(slot, slot->next);
}

const Selector::Slot* Selector::find(const Hash128& key) const {
  const Slot* slot = buckets_[std::hash<Hash128>{}(key) % kBuckets].load(std::memory_order_acquire);
  while (slot && slot->key != key) slot = slot->next;
  return slot;
}

bool Selector::isEligible(const std::string& name, const std::string& demangled) const {
  if (isCommunication(functionPart(demangled)) && !namesCommunication(options_)) return false;
  if (!options_.kernels) return true;
  const auto& pattern = *options_.kernels;
  return pattern.matches(name) || pattern.matches(demangled) || pattern.matches(format::shortNameOf(demangled));
}

const Selector::Slot* Selector::learn(const Hash128& key, const LaunchInfo& info) {
  const std::string name(info.kernel);
  const std::string demangled = format::demangle(name);
  const bool eligible = isEligible(name, demangled);
  const Hash128 code = eligible ? identity_(info.module) : Hash128{};

  std::lock_guard lock(learning_);
  if (const Slot* known = find(key)) return known;
  auto& kernel = kernels_[{name, code}];
  if (!kernel) {
    auto& counts = counts_[name];
    if (!counts) counts = std::make_unique<LaunchCounts>();
    kernel = std::make_unique<KernelState>();
    kernel->name = name;
    kernel->demangled = demangled;
    kernel->eligible = eligible;
    kernel->counts = counts.get();
    if (newcomer_) newcomer_(name, eligible);
  }
  auto& bucket = buckets_[std::hash<Hash128>{}(key) % kBuckets];
  const Slot* slot = new Slot{key, kernel.get(), bucket.load(std::memory_order_relaxed)};
  bucket.store(slot, std::memory_order_release);
  return slot;
}

bool Selector::wants(KernelState& kernel, const LaunchInfo& info, Choice& choice) const {
  if (kernel.seen++ < options_.skip) return false;
  if (options_.max != 0 && kernel.taken >= options_.max) return false;
  if (options_.distinct) {
    choice.distinctKey = distinctKeyOf(info);
    if (!kernel.distinct.insert(choice.distinctKey).second) return false;
  }
  ++kernel.taken;
  ++kernel.unfinished;
  return true;
}

KernelState& Selector::kernelOf(const LaunchInfo& info) {
  const Hash128 key = slotKeyOf(info);
  const Slot* slot = find(key);
  if (!slot) slot = learn(key, info);
  return *slot->kernel;
}

Choice Selector::choose(const LaunchInfo& info) {
  KernelState& kernel = kernelOf(info);
  if (!kernel.eligible) return {};

  std::lock_guard lock(kernel.counts->mutex);
  auto& byShape = kernel.counts->byShape;
  const uint64_t shape = hashOf(info.shape);
  if (byShape.size() >= kMostShapes && !byShape.contains(shape)) return {};
  Choice choice;
  choice.ordinal = byShape[shape]++;
  if (wants(kernel, info, choice)) choice.kernel = &kernel;
  return choice;
}

void Selector::giveBack(const Choice& choice) {
  if (!choice.kernel) return;
  KernelState& kernel = *choice.kernel;
  std::lock_guard lock(kernel.counts->mutex);
  --kernel.unfinished;
  if (kernel.retries++ >= kMostRetries) return;
  --kernel.taken;
  if (options_.distinct) kernel.distinct.erase(choice.distinctKey);
}

void Selector::finish(const Choice& choice) {
  if (!choice.kernel) return;
  std::lock_guard lock(choice.kernel->counts->mutex);
  --choice.kernel->unfinished;
}

Recorder::Settled Selector::settled(const LaunchInfo& info) {
  KernelState& kernel = kernelOf(info);
  if (!kernel.eligible) return {true, nullptr};
  std::lock_guard lock(kernel.counts->mutex);
  if (options_.max == 0 || kernel.taken < options_.max || kernel.unfinished > 0) return {};
  const auto counted = kernel.counts->byShape.find(hashOf(info.shape));
  return {true, counted == kernel.counts->byShape.end() ? nullptr : &counted->second};
}

}  // namespace mneme::record
