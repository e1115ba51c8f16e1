// SPDX-License-Identifier: Apache-2.0
/// A device's memory and a recording set that live in this process, and remember what was asked of them.
/// Addresses of the fake memory are real: kernels of the tests are functions that write through them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "format/recording_set.h"
#include "record/process_recorder.h"
#include "record/recorder.h"

namespace mneme::record::test {

class FakeMemory final : public MemoryAccess {
 public:
  /// Zero-filled memory of the device.
  uint64_t allocate(uint64_t size, MemoryKind kind = MemoryKind::Device) {
    std::lock_guard lock(mutex_);
    blocks_.emplace_back(size + 16);
    const uint64_t address = (reinterpret_cast<uint64_t>(blocks_.back().data()) + 15) & ~uint64_t{15};
    live_[address] = {address, size, kind, {}};
    return address;
  }
  /// Memory that only the vendor's register knows, not the list of live ranges.
  uint64_t allocateUnlisted(uint64_t size) {
    const uint64_t address = allocate(size);
    std::lock_guard lock(mutex_);
    unlisted_[address] = live_.extract(address).mapped();
    return address;
  }
  uint64_t addVariable(const std::string& name, uint64_t size) {
    const uint64_t address = allocate(size, MemoryKind::Global);
    std::lock_guard lock(mutex_);
    live_[address].name = name;
    variables_.push_back(live_.extract(address).mapped());
    return address;
  }
  template <typename T>
  static void store(uint64_t address, T value) {
    std::memcpy(reinterpret_cast<void*>(address), &value, sizeof value);
  }
  template <typename T>
  static T load(uint64_t address) {
    T value;
    std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
    return value;
  }

  std::optional<MemoryRange> resolve(uint64_t address) override {
    ++resolveCalls;
    std::lock_guard lock(mutex_);
    for (const auto* ranges : {&live_, &unlisted_})
      for (const auto& [base, range] : *ranges)
        if (address - base < range.size) return range;
    return std::nullopt;
  }
  std::vector<MemoryRange> liveRanges() override {
    std::lock_guard lock(mutex_);
    std::vector<MemoryRange> ranges;
    for (const auto& [base, range] : live_) ranges.push_back(range);
    return ranges;
  }
  std::vector<MemoryRange> variables(ModuleId, std::string_view) override { return variables_; }
  bool isCodeAddress(uint64_t address) override { return codeSize != 0 && address - codeBegin < codeSize; }
  std::optional<std::vector<MemoryRange>> codeRanges() override {
    if (!codeRangesKnown) return std::nullopt;
    return std::vector<MemoryRange>{{codeBegin, codeSize, MemoryKind::Device, codeName}};
  }
  std::vector<MemoryRange> fleetingRanges() override { return fleeting; }
  Expected<void> read(uint64_t address, std::span<std::byte> bytes) override {
    std::memcpy(bytes.data(), reinterpret_cast<const void*>(address), bytes.size());
    return {};
  }

  struct Copy final : Scratch {
    explicit Copy(FakeMemory& owner) : owner(owner) { ++owner.scratches; }
    ~Copy() override { --owner.scratches; }
    Expected<void> read(size_t index, uint64_t offset, std::span<std::byte> bytes) override {
      std::memcpy(bytes.data(), ranges[index].data() + offset, bytes.size());
      return {};
    }
    const std::byte* view(size_t index) override { return owner.viewable ? ranges[index].data() : nullptr; }
    FakeMemory& owner;
    std::vector<std::vector<std::byte>> ranges;
  };
  Expected<std::unique_ptr<Scratch>> capture(std::span<const MemoryRange> ranges) override {
    ++captures;
    if (captureFailure) return *captureFailure;
    if (throwOnCapture) throw std::bad_alloc();
    auto copy = std::make_unique<Copy>(*this);
    for (const MemoryRange& range : ranges) {
      const auto* bytes = reinterpret_cast<const std::byte*>(range.address);
      copy->ranges.emplace_back(bytes, bytes + range.size);
    }
    return std::unique_ptr<Scratch>(std::move(copy));
  }
  Expected<Changes> captureChanges(std::span<const MemoryRange> ranges, Scratch& before, uint64_t chunk) override {
    if (compareFailure) return *compareFailure;
    Changes changes;
    auto bytes = std::make_unique<Copy>(*this);
    for (size_t i = 0; i < ranges.size(); ++i) {
      const auto* now = reinterpret_cast<const std::byte*>(ranges[i].address);
      const auto& old = static_cast<Copy&>(before).ranges[i];
      changes.chunks.emplace_back();
      bytes->ranges.emplace_back();
      for (uint64_t at = 0; at < ranges[i].size; at += chunk) {
        const uint64_t size = std::min(chunk, ranges[i].size - at);
        if (std::memcmp(now + at, old.data() + at, size) == 0) continue;
        changes.chunks.back().push_back(static_cast<uint32_t>(at / chunk));
        bytes->ranges.back().insert(bytes->ranges.back().end(), now + at, now + at + size);
      }
    }
    changes.bytes = std::move(bytes);
    changes.sharedWrites = reportSharedWrites;
    return changes;
  }
  std::optional<uint64_t> lastKernelNanoseconds() override { return 1234; }
  Description describe() override { return {"fake", "Fake 1", "fake_1", "1.0", "none"}; }

  std::atomic<int> captures{0}, resolveCalls{0}, scratches{0};
  uint64_t codeBegin = 0, codeSize = 0;
  std::string codeName;
  std::vector<MemoryRange> fleeting;
  bool codeRangesKnown = true, viewable = true, throwOnCapture = false, reportSharedWrites = false;
  std::optional<Error> captureFailure, compareFailure;

 private:
  std::mutex mutex_;
  std::vector<std::vector<std::byte>> blocks_;
  std::map<uint64_t, MemoryRange> live_, unlisted_;
  std::vector<MemoryRange> variables_;
};

/// What one recording held.
struct Written {
  format::Manifest manifest;
  std::vector<std::vector<std::byte>> before, after;
  std::vector<std::vector<uint32_t>> changedChunks;
  /// Bytes of the region at `address` before the launch; nullptr if it was not recorded.
  const std::vector<std::byte>* region(uint64_t address) const {
    for (size_t i = 0; i < manifest.regions.size(); ++i)
      if (manifest.regions[i].range.address == address) return &before[i];
    return nullptr;
  }
};

/// Outlives the writers made from it.
struct FakeSet {
  std::mutex mutex;
  std::vector<Written> written;
  std::vector<std::string> code;
  std::optional<Error> failure;
  std::atomic<int> opened{0}, finished{0};
  std::atomic<bool> held{false};  ///< add() waits while true

  WriterQueue::OpenWriter opener();
  [[nodiscard]] std::vector<Written> all() {
    std::lock_guard lock(mutex);
    return written;
  }
};

class FakeWriter final : public format::SetWriter {
 public:
  explicit FakeWriter(FakeSet& set) : set_(set) {}
  Expected<format::CodeReference> addCode(CodeKind kind, std::span<const std::byte> bytes,
                                          const std::string& extension) override {
    std::lock_guard lock(set_.mutex);
    set_.code.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return format::CodeReference{kind, toHex(hash128(bytes)) + "." + extension, hash128(bytes), {}, {}, {}};
  }
  Expected<Added> add(format::Manifest& manifest, std::span<const format::RegionSource> before,
                      std::span<const std::vector<uint32_t>> changedChunks,
                      std::span<const format::RegionSource> after) override {
    while (set_.held) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::lock_guard lock(set_.mutex);
    if (set_.failure) return *set_.failure;
    Written entry{manifest, {}, {}, {changedChunks.begin(), changedChunks.end()}};
    for (const auto& source : before) entry.before.push_back(bytesOf(source));
    for (const auto& source : after) entry.after.push_back(bytesOf(source));
    set_.written.push_back(std::move(entry));
    return Added{"set/" + manifest.kernel + ".json", false};
  }
  Expected<void> finish() override {
    ++set_.finished;
    return {};
  }

 private:
  static std::vector<std::byte> bytesOf(const format::RegionSource& source) {
    std::vector<std::byte> bytes(source.size);
    if (source.view) std::memcpy(bytes.data(), source.view, source.size);
    else if (source.size && !source.read(0, bytes)) bytes.clear();
    return bytes;
  }
  FakeSet& set_;
};

inline WriterQueue::OpenWriter FakeSet::opener() {
  return [this](uint64_t) -> Expected<std::unique_ptr<format::SetWriter>> {
    ++opened;
    return std::unique_ptr<format::SetWriter>(std::make_unique<FakeWriter>(*this));
  };
}

/// Packs arguments at their natural alignment.
class Arguments {
 public:
  template <typename T>
  Arguments& add(const T& value) {
    const size_t at = (bytes_.size() + alignof(T) - 1) / alignof(T) * alignof(T);
    bytes_.resize(at + sizeof value);
    std::memcpy(bytes_.data() + at, &value, sizeof value);
    slots_.push_back({static_cast<uint32_t>(at), sizeof value});
    return *this;
  }
  [[nodiscard]] LaunchInfo launch(std::string_view kernel, Dim3 grid = {1, 1, 1}) const {
    LaunchInfo info;
    info.module = 1;
    info.kernel = kernel;
    info.shape.grid = grid;
    info.parameters = slots_;
    info.arguments = bytes_;
    return info;
  }

 private:
  std::vector<std::byte> bytes_;
  std::vector<ParameterSlot> slots_;
};

/// A recorder over the fakes, with module 1 loaded.
struct Fixture {
  FakeMemory memory;
  FakeSet set;
  std::string bitcode = "bitcode";
  std::unique_ptr<Recorder> recorder;

  static Options defaults() {
    Options options;
    options.directory = "unused";
    options.memoryBytes = uint64_t{64} << 20;
    return options;
  }
  void start(Options options = defaults()) {
    recorder = makeRecorder(std::move(options), memory, set.opener());
    load(1);
  }
  void load(ModuleId module) {
    const ModuleCode code{CodeKind::Llvm, std::as_bytes(std::span(bitcode)), "fake_1", "a.cu", "clang a.cu"};
    recorder->moduleLoaded(module, {&code, 1});
  }
  /// One launch of the program: `kernel` runs between enter and exit. True if it was under recording.
  template <typename Kernel>
  bool launch(const LaunchInfo& info, Kernel kernel, bool succeeds = true) {
    LaunchToken token = recorder->launching(info);
    const bool recorded = static_cast<bool>(token);
    kernel();
    recorder->launched(std::move(token), succeeds);
    return recorded;
  }
  bool launch(const LaunchInfo& info) {
    return launch(info, [] {});
  }
  std::vector<Written> recordings() {
    recorder->drain();
    return set.all();
  }
};

}  // namespace mneme::record::test
