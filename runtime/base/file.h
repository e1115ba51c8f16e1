// SPDX-License-Identifier: Apache-2.0
/// Files as the recorder and the readers need them: every failure is an Error with path and reason,
/// writes become visible whole or not at all, nothing throws and nothing aborts on a full disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace mneme {

/// A descriptor that closes itself.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor();

  [[nodiscard]] int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

/// An Error of code Io (NotFound for a missing file): "<what> <path>: <strerror(errno)>".
[[nodiscard]] Error ioError(const std::string& what, const std::filesystem::path& path, int errorNumber);

/// Opens with O_CLOEXEC.
[[nodiscard]] Expected<FileDescriptor> openFile(const std::filesystem::path& path, int flags, int mode = 0666);

/// Writes all bytes, retrying short writes and EINTR.
[[nodiscard]] Expected<void> writeAll(int fd, std::span<const std::byte> bytes, const std::filesystem::path& path);

/// Reads exactly bytes.size() at the offset; a short file is CorruptRecording.
[[nodiscard]] Expected<void> readAt(int fd, uint64_t offset, std::span<std::byte> bytes,
                                    const std::filesystem::path& path);

/// A regular file of at most maxBytes, whole. Larger is CorruptRecording and reads nothing.
[[nodiscard]] Expected<std::string> readText(const std::filesystem::path& path, uint64_t maxBytes = 64u << 20);
[[nodiscard]] Expected<std::vector<std::byte>> readBytes(const std::filesystem::path& path, uint64_t maxBytes);

/// Writes beside the target and renames over it; a crash leaves the old file or the new one, never half of one.
/// The temporary name starts with a dot and ends in ".tmp".
[[nodiscard]] Expected<void> writeAtomically(const std::filesystem::path& path, std::span<const std::byte> bytes);
[[nodiscard]] Expected<void> writeAtomically(const std::filesystem::path& path, std::string_view text);

/// A whole file mapped read-only; unmapped at destruction.
class MappedFile {
 public:
  [[nodiscard]] static Expected<MappedFile> open(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  MappedFile(const std::byte* data, size_t size) : data_(data), size_(size) {}
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace mneme
