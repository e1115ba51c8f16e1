// SPDX-License-Identifier: Apache-2.0
/// In place of recording.cpp in programs built with MNEME_RECORDABLE=OFF: the device's events reach nobody, whatever the
/// environment asks for.
#include "preload/host/recording.h"

namespace mneme::host_runtime {

void startRecording() noexcept {}
void announceLoaded(uint64_t, std::span<const std::byte>, std::string_view) noexcept {}
void announceUnloaded(uint64_t) noexcept {}
void noteNotRecorded(std::string_view, std::string_view) noexcept {}
void RecordedLaunch::begin(record::Recorder&, const KernelEntry&, const host::CompiledKernel&, const LaunchShape&,
                           std::span<const std::byte>, const void*) noexcept {}
void RecordedLaunch::end(bool) noexcept {}

}  // namespace mneme::host_runtime
