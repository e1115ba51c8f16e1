// SPDX-License-Identifier: Apache-2.0
/// Appends to a pack; see pack_writer.h.
#include "format/pack_writer.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <random>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

namespace mneme::format {
namespace {

/// Random, so that two processes of one rank, or two branches of a repository, never meet.
std::string randomName(const std::string& prefix) {
  std::random_device source;
  Hash128 random;
  for (auto& b : random.bytes) b = static_cast<uint8_t>(source());
  return prefix + "-" + toHex(random).substr(0, 12);
}

/// False if a collector removed the file between its creation and its lock.
bool stillThere(int fd) {
  struct stat info {};
  return ::fstat(fd, &info) == 0 && info.st_nlink > 0;
}

/// All bytes at the offset, whatever the system call accepts at a time.
Expected<void> writeVectors(int fd, std::span<iovec> vectors, uint64_t offset, const std::filesystem::path& path) {
  while (!vectors.empty()) {
    auto count = static_cast<int>(std::min<size_t>(vectors.size(), IOV_MAX));
    ssize_t written = ::pwritev(fd, vectors.data(), count, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return ioError("cannot write", path, written < 0 ? errno : ENOSPC);
    offset += static_cast<uint64_t>(written);
    auto left = static_cast<size_t>(written);
    while (!vectors.empty() && left >= vectors.front().iov_len) {
      left -= vectors.front().iov_len;
      vectors = vectors.subspan(1);
    }
    if (vectors.empty()) break;
    vectors.front().iov_base = static_cast<std::byte*>(vectors.front().iov_base) + left;
    vectors.front().iov_len -= left;
  }
  return {};
}

iovec vectorOf(std::span<const std::byte> bytes) { return {const_cast<std::byte*>(bytes.data()), bytes.size()}; }

uint64_t recordBytes(const EncodedChunk& chunk) { return kRecordHeaderBytes + chunk.payload.size(); }

}  // namespace

Expected<std::unique_ptr<PackWriter>> PackWriter::create(const std::filesystem::path& set,
                                                         const std::string& prefix, uint64_t maxBytes) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    auto name = randomName(prefix);
    auto path = packPath(set, name);
    auto fd = openFile(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
    if (!fd) return std::move(fd).error();
    if (::flock(fd->get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) continue;  // a collector was faster
    if (!stillThere(fd->get())) continue;
    std::unique_ptr<PackWriter> pack(new PackWriter(path, name, std::move(*fd), maxBytes));
    if (auto written = pack->writeHeader(); !written) return std::move(written).error();
    return pack;
  }
  return Error(ErrorCode::Io, set.string() + ": a new pack was taken away again and again");
}

Expected<std::unique_ptr<PackWriter>> PackWriter::createFile(const std::filesystem::path& path) {
  auto fd = openFile(path, O_RDWR | O_CREAT | O_EXCL);
  if (!fd) return std::move(fd).error();
  std::unique_ptr<PackWriter> pack(new PackWriter(path, "export", std::move(*fd), 0));
  if (auto written = pack->writeHeader(); !written) return std::move(written).error();
  return pack;
}

Expected<void> PackWriter::writeHeader() {
  auto written = writeAll(fd_.get(), encodePackHeader(), path_);
  if (!written) remove();
  return written;
}

PackWriter::~PackWriter() = default;

bool PackWriter::find(const Hash128& hash, ChunkEntry& entry) {
  std::lock_guard lock(mutex_);
  auto found = index_.find(hash);
  if (found == index_.end()) return false;
  entry.offset = found->second.offset;
  entry.storedBytes = found->second.bytes;
  entry.hash = hash;
  return true;
}

Expected<void> PackWriter::append(std::span<const EncodedChunk> chunks, std::span<ChunkEntry* const> entries) {
  std::vector<EncodedChunk> fresh;
  uint64_t start = 0;
  {
    std::lock_guard lock(mutex_);
    start = end_;
    for (size_t i = 0; i < chunks.size(); ++i) {
      auto bytes = static_cast<uint32_t>(chunks[i].payload.size());
      auto [place, isNew] = index_.try_emplace(chunks[i].header.hash, Stored{end_, bytes});
      entries[i]->offset = place->second.offset;
      entries[i]->storedBytes = place->second.bytes;
      entries[i]->hash = chunks[i].header.hash;
      if (!isNew) continue;
      fresh.push_back(chunks[i]);
      end_ += recordBytes(chunks[i]);
    }
    if (maxBytes_ != 0 && end_ > maxBytes_)
      return Error(ErrorCode::Unavailable, "the limit of " + std::to_string(maxBytes_) + " recorded bytes is reached");
  }
  // Outside the lock: others append behind this piece meanwhile.
  return writeRecords(start, fresh);
}

Expected<void> PackWriter::writeRecords(uint64_t offset, std::span<const EncodedChunk> records) {
  std::vector<std::array<std::byte, kRecordHeaderBytes>> headers(records.size());
  std::vector<iovec> vectors;
  for (size_t i = 0; i < records.size(); ++i) {
    headers[i] = encodeRecordHeader(records[i].header);
    vectors.push_back(vectorOf(headers[i]));
    vectors.push_back(vectorOf(records[i].payload));
  }
  return writeVectors(fd_.get(), vectors, offset, path_);
}

Expected<TableReference> PackWriter::appendTable(std::span<const std::byte> table) {
  auto offset = appendWhole(RecordType::Table, table);
  if (!offset) return std::move(offset).error();
  return TableReference{name_, *offset, table.size(), hash128(table)};
}

Expected<uint64_t> PackWriter::appendWhole(RecordType type, std::span<const std::byte> bytes) {
  EncodedChunk record{{type, bytes.size(), bytes.size(), hash128(bytes)}, bytes};
  uint64_t offset = end_;
  if (auto written = writeRecords(offset, {&record, 1}); !written) return std::move(written).error();
  end_ += recordBytes(record);
  return offset;
}

Expected<void> PackWriter::sync() {
  if (::fdatasync(fd_.get()) != 0) return ioError("cannot flush", path_, errno);
  return {};
}

void PackWriter::rollback(uint64_t end) {
  std::erase_if(index_, [&](const auto& item) { return item.second.offset >= end; });
  end_ = end;
  // If even this fails, the bytes stay behind the last good end: nothing refers to them and `mneme gc` drops them.
  [[maybe_unused]] int ignored = ::ftruncate(fd_.get(), static_cast<off_t>(end));
}

void PackWriter::remove() { ::unlink(path_.c_str()); }

}  // namespace mneme::format
