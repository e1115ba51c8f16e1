// SPDX-License-Identifier: Apache-2.0
/// Bitcode made into what a device or an assembler takes. LLVM is loaded only if one of these is called.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/error.h"
#include "code/generate.h"
#include "code/notes.h"
#include "device/device.h"
#include "format/manifest.h"
#include "replay/code_selection.h"

namespace mneme::cli {

/// Machine code of one kernel of `note` for `architecture`; what the kernel misses is pulled from the archive's other
/// bitcode. The image is empty where nothing here can assemble.
[[nodiscard]] Expected<code::GeneratedCode> generateNoted(const code::NoteArchive& archive, const code::Note& note,
                                                          const std::string& kernel, const std::string& architecture);

/// The same of a recording's bitcode, which holds all that the kernel needs. No architecture: what the bitcode is for.
[[nodiscard]] Expected<code::GeneratedCode> generateRecorded(const format::CodeReference& reference,
                                                             const std::vector<std::byte>& bytes, const std::string& kernel,
                                                             const std::string& architecture);

/// Replaces the selected bitcode by code for the device, its variables pinned to where they were recorded.
[[nodiscard]] Expected<void> generateForDevice(const format::Manifest& manifest, const device::DeviceInfo& device,
                                               replay::SelectedCode& selected);

/// The same with choices made for it.
[[nodiscard]] Expected<void> generateSpecialised(const format::Manifest& manifest, const device::DeviceInfo& device,
                                                 const code::Specialisation& specialisation, replay::SelectedCode& selected);

/// For a device that takes bitcode: relocatable code and what it needs of the binary's other code become one module.
[[nodiscard]] Expected<void> completeCode(replay::SelectedCode& selected);

}  // namespace mneme::cli
