// SPDX-License-Identifier: Apache-2.0
/// POSIX files behind Error; see file.h.
#include "base/file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>

namespace mneme {

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = other.release();
  }
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) ::close(fd_);
}

Error ioError(const std::string& what, const std::filesystem::path& path, int errorNumber) {
  auto code = errorNumber == ENOENT ? ErrorCode::NotFound : ErrorCode::Io;
  return {code, what + " " + path.string() + ": " + std::strerror(errorNumber)};
}

Expected<FileDescriptor> openFile(const std::filesystem::path& path, int flags, int mode) {
  int fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  if (fd < 0) return ioError("cannot open", path, errno);
  return FileDescriptor(fd);
}

Expected<void> writeAll(int fd, std::span<const std::byte> bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ioError("cannot write", path, errno);
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
  return {};
}

Expected<void> readAt(int fd, uint64_t offset, std::span<std::byte> bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    ssize_t n = ::pread(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ioError("cannot read", path, errno);
    if (n == 0) return Error(ErrorCode::CorruptRecording, path.string() + ": file ends too early");
    offset += static_cast<uint64_t>(n);
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
  return {};
}

namespace {
template <typename Container>
Expected<Container> readWhole(const std::filesystem::path& path, uint64_t maxBytes) {
  auto fd = openFile(path, O_RDONLY | O_NONBLOCK);  // a FIFO must not block
  if (!fd) return std::move(fd).error();
  struct stat info {};
  if (::fstat(fd->get(), &info) != 0) return ioError("cannot stat", path, errno);
  if (!S_ISREG(info.st_mode)) return Error(ErrorCode::InvalidArgument, path.string() + " is not a regular file");
  if (static_cast<uint64_t>(info.st_size) > maxBytes)
    return Error(ErrorCode::CorruptRecording, path.string() + ": " + std::to_string(info.st_size) +
                                                  " bytes, more than the " + std::to_string(maxBytes) + " allowed");
  Container content;
  content.resize(static_cast<size_t>(info.st_size));
  auto done = readAt(fd->get(), 0, std::as_writable_bytes(std::span(content.data(), content.size())), path);
  if (!done) return std::move(done).error();
  return content;
}
}  // namespace

Expected<std::string> readText(const std::filesystem::path& path, uint64_t maxBytes) {
  return readWhole<std::string>(path, maxBytes);
}

Expected<std::vector<std::byte>> readBytes(const std::filesystem::path& path, uint64_t maxBytes) {
  return readWhole<std::vector<std::byte>>(path, maxBytes);
}

Expected<void> writeAtomically(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  static std::atomic<unsigned> counter{0};
  auto temporary = path.parent_path() / ("." + path.filename().string() + "." + std::to_string(::getpid()) + "." +
                                         std::to_string(counter++) + ".tmp");
  auto fd = openFile(temporary, O_WRONLY | O_CREAT | O_EXCL);
  if (!fd) return std::move(fd).error();
  auto written = writeAll(fd->get(), bytes, temporary);
  if (written && ::fsync(fd->get()) != 0) written = ioError("cannot flush", temporary, errno);
  if (written && ::rename(temporary.c_str(), path.c_str()) != 0) written = ioError("cannot rename to", path, errno);
  if (!written) ::unlink(temporary.c_str());
  return written;
}

Expected<void> writeAtomically(const std::filesystem::path& path, std::string_view text) {
  return writeAtomically(path, std::as_bytes(std::span(text)));
}

Expected<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  auto fd = openFile(path, O_RDONLY | O_NONBLOCK);  // a FIFO must not block
  if (!fd) return std::move(fd).error();
  struct stat info {};
  if (::fstat(fd->get(), &info) != 0) return ioError("cannot stat", path, errno);
  if (!S_ISREG(info.st_mode)) return Error(ErrorCode::InvalidArgument, path.string() + " is not a regular file");
  auto size = static_cast<size_t>(info.st_size);
  if (size == 0) return MappedFile(nullptr, 0);
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd->get(), 0);
  if (data == MAP_FAILED) return ioError("cannot map", path, errno);
  return MappedFile(static_cast<const std::byte*>(data), size);
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(const_cast<std::byte*>(data_), size_);
}

}  // namespace mneme
