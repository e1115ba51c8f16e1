// SPDX-License-Identifier: Apache-2.0
/// Which launches are recorded, and their ordinals. Asked at every launch of the program: a known kernel costs one hash
/// of its name, a lock-free look-up and a counter. Thread-safe; kernels are remembered for the life of the process.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/hash.h"
#include "record/options.h"
#include "record/recorder.h"

namespace mneme::record {

/// Launches of one kernel name, by shape: what ordinals count.
struct LaunchCounts {
  std::mutex mutex;
  std::unordered_map<uint64_t, std::atomic<uint64_t>> byShape;  ///< hash of the shape -> launches so far
};

/// One kernel: a name and the code it comes from. Its counters are guarded by counts->mutex.
struct KernelState {
  std::string name, demangled;
  bool eligible = false;
  LaunchCounts* counts = nullptr;
  uint64_t seen = 0, taken = 0, retries = 0;
  uint64_t unfinished = 0;  ///< chosen, and may yet be given back
  std::unordered_set<Hash128> distinct;
};

/// The answer for one launch; `kernel` is null if it is not recorded.
struct Choice {
  KernelState* kernel = nullptr;
  uint64_t ordinal = 0;
  Hash128 distinctKey;
};

class Selector {
 public:
  /// Tells modules apart by content; called at the first launch of an eligible kernel of a module.
  using CodeIdentity = std::function<Hash128(ModuleId)>;

  /// Told of a kernel's first launch, and whether it can ever be chosen.
  using Newcomer = std::function<void(const std::string& kernel, bool eligible)>;

  Selector(Options options, CodeIdentity identity, Newcomer newcomer = {});
  ~Selector();
  Selector(const Selector&) = delete;
  Selector& operator=(const Selector&) = delete;

  [[nodiscard]] Choice choose(const LaunchInfo& info);
  /// The chosen launch could not be recorded for a passing reason (busy, failed launch): a later one may be chosen
  /// instead, a few times.
  void giveBack(const Choice& choice);
  /// The chosen launch is recorded, or will never be.
  void finish(const Choice& choice);
  /// Whether choose() can answer for this kernel with anything but no, now or later.
  [[nodiscard]] Recorder::Settled settled(const LaunchInfo& info);

 private:
  struct Slot;
  [[nodiscard]] const Slot* find(const Hash128& key) const;
  [[nodiscard]] KernelState& kernelOf(const LaunchInfo& info);
  [[nodiscard]] const Slot* learn(const Hash128& key, const LaunchInfo& info);
  [[nodiscard]] bool isEligible(const std::string& name, const std::string& demangled) const;
  [[nodiscard]] bool wants(KernelState& kernel, const LaunchInfo& info, Choice& choice) const;

  static constexpr size_t kBuckets = 1 << 14;
  const Options options_;
  const CodeIdentity identity_;
  const Newcomer newcomer_;
  std::vector<std::atomic<const Slot*>> buckets_;  ///< chains; slots are never removed
  std::mutex learning_;
  std::map<std::pair<std::string, Hash128>, std::unique_ptr<KernelState>> kernels_;
  std::map<std::string, std::unique_ptr<LaunchCounts>> counts_;
};

}  // namespace mneme::record
