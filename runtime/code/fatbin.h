// SPDX-License-Identifier: Apache-2.0
/// The images and PTX that nvcc and clang put into a binary: NVIDIA's fat binaries, as found in a file's sections.
/// No vendor header and no LLVM. Hostile input is an error, never a crash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/launch.h"

namespace mneme::code {

/// One entry of a fat binary. The code stays where it is, perhaps compressed, until FatBinaries::code is asked.
struct FatBinaryEntry {
  CodeKind kind = CodeKind::Image;  ///< Image or Ptx
  std::string architecture;         ///< "sm_90", "sm_90a", of PTX "compute_90"
  std::vector<std::string> kernels; ///< mangled; of PTX the .entry names
  bool relocatable = false;         ///< an object for the device linker, which cannot be loaded as it is
  std::string unreadable;           ///< why its code cannot be had; empty if it can
  std::filesystem::path binary;     ///< where it was found
  uint64_t offset = 0;              ///< of its header in that file
};

/// Every device entry of an executable, shared library or object.
class FatBinaries {
 public:
  /// NotFound if the file is missing, CorruptRecording if a section that should be a fat binary is none; a file without
  /// device code gives no entries. With an architecture ("sm_90"), code that it cannot run is left out unread: libraries
  /// hold gigabytes for others.
  [[nodiscard]] static Expected<FatBinaries> open(const std::filesystem::path& binary,
                                                  const std::string& architecture = {});

  [[nodiscard]] const std::vector<FatBinaryEntry>& entries() const { return entries_; }
  /// The decompressed cubin or PTX text (without a trailing NUL).
  [[nodiscard]] Expected<std::vector<std::byte>> code(const FatBinaryEntry& entry) const;
  /// Loadable entries of that kind that define the kernel, best for `architecture` ("sm_90") first: the same
  /// architecture, then what the device can run.
  [[nodiscard]] std::vector<const FatBinaryEntry*> find(const std::string& kernel, CodeKind kind,
                                                        const std::string& architecture) const;

 private:
  explicit FatBinaries(MappedFile file) : file_(std::move(file)) {}
  Expected<void> readSection(std::span<const std::byte> section, const std::filesystem::path& binary,
                             const std::string& architecture);
  Expected<void> readEntries(std::span<const std::byte> entries, const std::filesystem::path& binary,
                             const std::string& architecture);

  MappedFile file_;
  std::vector<FatBinaryEntry> entries_;
};

/// True if a device of architecture "sm_<device>" can run code of the kind and architecture: same major and not newer for
/// images, not newer for PTX; "a" variants on exactly their architecture.
[[nodiscard]] bool runsOn(CodeKind kind, const std::string& code, const std::string& device);

/// Orders architectures of one vendor: the newer and the more special has the greater number; 0 for what is none.
[[nodiscard]] unsigned architectureRank(const std::string& architecture);

}  // namespace mneme::code
