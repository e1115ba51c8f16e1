// SPDX-License-Identifier: Apache-2.0
/// The host device's events for the recorder. While MNEME_RECORD is unset, each costs one branch.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>

#include "backend/host/engine.h"
#include "base/launch.h"
#include "record/recorder.h"

namespace mneme::host_runtime {

struct KernelEntry;

/// Starts the recorder if the environment asks for it; does nothing at a second call. At registration, long before the first
/// launch, so that the snapshots' memory is touched by then.
void startRecording() noexcept;

/// Starts the recorder too, if registration has not.
/// `library`: that holds the code, until announceUnloaded; empty: the program does.
void announceLoaded(uint64_t module, std::span<const std::byte> code, std::string_view library) noexcept;
void announceUnloaded(uint64_t module) noexcept;
void noteNotRecorded(std::string_view kernel, std::string_view reason) noexcept;

/// One launch, from before it runs until its outcome is known.
class RecordedLaunch {
 public:
  RecordedLaunch(const KernelEntry& entry, const host::CompiledKernel& kernel, const LaunchShape& shape,
                 std::span<const std::byte> arguments, const void* stream) noexcept {
    if (auto* recorder = record::Recorder::active()) begin(*recorder, entry, kernel, shape, arguments, stream);
  }
  ~RecordedLaunch() {
    if (token_) finished(false);
  }
  RecordedLaunch(const RecordedLaunch&) = delete;
  RecordedLaunch& operator=(const RecordedLaunch&) = delete;

  void finished(bool succeeded) noexcept {
    if (token_) end(succeeded);
  }

 private:
  void begin(record::Recorder& recorder, const KernelEntry& entry, const host::CompiledKernel& kernel,
             const LaunchShape& shape, std::span<const std::byte> arguments, const void* stream) noexcept;
  void end(bool succeeded) noexcept;

  record::LaunchToken token_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace mneme::host_runtime
