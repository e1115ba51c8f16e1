// SPDX-License-Identifier: Apache-2.0
/// Neutral events in, recordings out. The interceptors in preload/ call this; it never calls them, only the
/// MemoryAccess they hand over. Every entry point is thread-safe, noexcept and returns quickly when the launch is not
/// selected; a failure is said once on stderr and the program runs on.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/launch.h"

namespace mneme::record {

/// Identifies a loaded module to the recorder; the interceptor's own number, never reused in a process.
using ModuleId = uint64_t;

/// A piece of code of a module, as found at load time.
struct ModuleCode {
  CodeKind kind = CodeKind::Llvm;
  std::span<const std::byte> bytes;  ///< borrowed until moduleUnloaded
  std::string_view architecture, source, command;  ///< as noted at compile time, borrowed likewise; may be empty
  std::string_view library = {};  ///< that holds it, relative to the program's folder; empty: the program, or not known
};

/// What is known of one launch at its enter. All views are borrowed for the call.
struct LaunchInfo {
  ModuleId module = 0;
  std::string_view kernel;  ///< mangled
  LaunchShape shape;
  std::span<const ParameterSlot> parameters;
  std::span<const std::byte> arguments;  ///< packed as `parameters` says
  uint32_t device = 0;                   ///< ordinal
  uint64_t stream = 0;                   ///< opaque; 0 is the default stream
  int64_t maxDynamicSharedBytes = -1;    ///< function attribute, -1: never set
  int64_t sharedCarveout = -1;
  std::string_view refusal;              ///< why it cannot be recorded at all; empty: it can
  int64_t stackLimit = -1, printfLimit = -1, mallocHeapLimit = -1;  ///< of the context, bytes, -1: not known
};

/// What a snapshot needs of memory while the program runs. Implemented per vendor; called only between
/// Recorder::launching and ::launched of one launch, from the thread that launches, except `readScratch`, which
/// background threads call. All copies run on the implementation's own queue under its own deadline.
class MemoryAccess {
 public:
  virtual ~MemoryAccess() = default;

  /// The allocation or variable that holds `address`, from the vendor's own register; nullopt if none does.
  [[nodiscard]] virtual std::optional<MemoryRange> resolve(uint64_t address) = 0;
  /// Every live allocation on the device, for --reach all.
  [[nodiscard]] virtual std::vector<MemoryRange> liveRanges() = 0;
  /// The mutable variables of a module that the kernel can use: roots of its launches. All of them where that is not known.
  [[nodiscard]] virtual std::vector<MemoryRange> variables(ModuleId module, std::string_view kernel) = 0;
  /// True if the word points into code or another place that cannot be recorded; the launch is refused by name.
  [[nodiscard]] virtual bool isCodeAddress(uint64_t address) = 0;
  /// Every place for which isCodeAddress is true, where that is known: scans of memory then look for these alone.
  /// nullopt: every word that could be a pointer is asked about, which is slow. A range's name, if it has one, says
  /// what is there instead of code.
  [[nodiscard]] virtual std::optional<std::vector<MemoryRange>> codeRanges() { return std::nullopt; }

  /// Asked after the launch: places whose addresses another process has elsewhere, or not at all (code, shared memory, a
  /// heap). A launch that wrote one into memory cannot be compared with its replay, and is refused. Named like codeRanges.
  [[nodiscard]] virtual std::vector<MemoryRange> fleetingRanges() { return {}; }

  /// Copies device memory to host memory now, ordered behind the launch stream's earlier work.
  [[nodiscard]] virtual Expected<void> read(uint64_t address, std::span<std::byte> bytes) = 0;

  /// A frozen copy of ranges. Freed by its destructor, from any thread.
  class Scratch {
   public:
    virtual ~Scratch() = default;
    /// Bytes of range `index` as they were at capture. Callable from background threads, several at once.
    [[nodiscard]] virtual Expected<void> read(size_t index, uint64_t offset, std::span<std::byte> bytes) = 0;
    /// Which of `live` (sorted, disjoint) the aligned words of range `index` point into, as indices, found where the
    /// memory is. nullopt: not here; the caller reads the bytes and looks itself. By the launching thread alone.
    [[nodiscard]] virtual std::optional<std::vector<size_t>> reached(size_t /*index*/,
                                                                     std::span<const MemoryRange> /*live*/) {
      return std::nullopt;
    }
    /// Where the bytes can be read without a copy (host memory), or nullptr.
    [[nodiscard]] virtual const std::byte* view(size_t /*index*/) { return nullptr; }
  };
  /// Fast copy of the ranges' bytes now. Unavailable: no room for scratch or the deadline passed. Called several times
  /// for one launch, as pointers lead to more memory.
  [[nodiscard]] virtual Expected<std::unique_ptr<Scratch>> capture(std::span<const MemoryRange> ranges) = 0;

  /// After the launch finished (waits for it, bounded): compares memory with `before` chunk by chunk and keeps a frozen
  /// copy of the chunks that changed.
  struct Changes {
    std::vector<std::vector<uint32_t>> chunks;  ///< per range: ascending indices of changed chunks
    std::unique_ptr<Scratch> bytes;             ///< range i: its changed chunks, concatenated in that order
    bool sharedWrites = false;                  ///< others wrote, or may have written, between capture and compare
  };
  [[nodiscard]] virtual Expected<Changes> captureChanges(std::span<const MemoryRange> ranges, Scratch& before,
                                                         uint64_t chunkBytes) = 0;

  /// Nanoseconds the recorded kernel ran inside the program, where the vendor can tell without disturbing it.
  [[nodiscard]] virtual std::optional<uint64_t> lastKernelNanoseconds() { return std::nullopt; }

  struct Description {
    std::string backend, model, architecture, driver, toolchain;
  };
  [[nodiscard]] virtual Description describe() = 0;
};

class Session;  // one launch being recorded

/// Nothing (the usual case) or a launch under recording; must reach Recorder::launched on the same thread.
class LaunchToken {
 public:
  LaunchToken();
  LaunchToken(LaunchToken&&) noexcept;
  LaunchToken& operator=(LaunchToken&&) noexcept;
  ~LaunchToken();
  explicit operator bool() const { return session_ != nullptr; }

 private:
  friend class Recorder;
  explicit LaunchToken(std::unique_ptr<Session> session);
  std::unique_ptr<Session> session_;
};

class Recorder {
 public:
  /// The process's recorder if MNEME_RECORD is set (created at the first call, from the MNEME_RECORD_* environment),
  /// else nullptr: one load, no lock. `access` lives as long as the process.
  static Recorder* start(MemoryAccess& access) noexcept;
  static Recorder* active() noexcept;

  virtual ~Recorder() = default;

  virtual void moduleLoaded(ModuleId module, std::span<const ModuleCode> code) noexcept = 0;
  virtual void moduleUnloaded(ModuleId module) noexcept = 0;
  /// Called at enter. A non-empty token means: memory is captured, the caller launches now and then calls launched().
  /// While another thread's launch on the device is being recorded, any launch waits here, at most the deadline long.
  [[nodiscard]] virtual LaunchToken launching(const LaunchInfo& info) noexcept = 0;
  /// After launching() said no: whether it will say so to every further launch of this kernel with this shape. The
  /// caller may then count those in `launches`, if it is not null, and call writing() instead. It never goes away.
  struct Settled {
    bool yes = false;
    std::atomic<uint64_t>* launches = nullptr;
  };
  [[nodiscard]] virtual Settled settled(const LaunchInfo& info) noexcept = 0;
  /// `succeeded`: the launch call itself was accepted. A failed launch is dropped.
  virtual void launched(LaunchToken token, bool succeeded) noexcept = 0;
  /// Called at enter of the program's own copies and fills that write memory of the device: waits like launching().
  virtual void writing(uint32_t device) noexcept = 0;
  /// Kernel nodes of graphs and others that are seen but cannot be recorded; counted and reported at exit.
  virtual void notRecorded(std::string_view kernel, std::string_view reason) noexcept = 0;
  /// Waits until everything captured is on disk. Called at exit, before contexts end, and before exec.
  virtual void drain(std::chrono::milliseconds longest = std::chrono::hours(24)) noexcept = 0;
  /// In a signal handler, before the signal ends the program: waits, ten seconds at most, for what is being written.
  virtual void settleInSignal() noexcept = 0;
  /// In a forked child: stop for good, without touching the parent's files or threads.
  virtual void abandonInChild() noexcept = 0;

 protected:
  static LaunchToken tokenFor(std::unique_ptr<Session> session);
  static std::unique_ptr<Session> take(LaunchToken& token);
};

}  // namespace mneme::record
