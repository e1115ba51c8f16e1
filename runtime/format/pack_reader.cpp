// SPDX-License-Identifier: Apache-2.0
/// Reads packs; see pack_reader.h. Large reads into a small buffer rather than a mapping: no fault a page, and a file
/// that shrinks under the reader is an error instead of a signal.
#include "format/pack_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "format/parallel.h"

namespace mneme::format {
namespace {

constexpr uint64_t kBlockBytes = 512 * 1024;
constexpr uint64_t kMaxGap = 64 * 1024;  ///< read over a hole of that size rather than start another read

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

/// Requests [first, last) of the sorted list, which lie in [begin, end) of the file.
struct Block {
  size_t first, last;
  uint64_t begin, end;
};

uint64_t endOf(const ChunkRequest& request) { return request.entry.offset + kRecordHeaderBytes + request.entry.storedBytes; }

std::vector<Block> planBlocks(const std::vector<ChunkRequest>& sorted) {
  std::vector<Block> blocks;
  for (size_t i = 0; i < sorted.size(); ++i) {
    uint64_t begin = sorted[i].entry.offset, end = endOf(sorted[i]);
    bool joins = !blocks.empty() && end - blocks.back().begin <= kBlockBytes && begin <= blocks.back().end + kMaxGap;
    if (!joins) blocks.push_back({i, i, begin, end});
    blocks.back().last = i + 1;
    blocks.back().end = std::max(blocks.back().end, end);
  }
  return blocks;
}

}  // namespace

/// One thread's half of readChunks.
class BlockReader {
 public:
  BlockReader(const PackReader& pack, const std::vector<ChunkRequest>& requests, const ReadChunkSink& sink)
      : pack_(pack), requests_(requests), sink_(sink), context_(ZSTD_createDCtx()), content_(kChunkBytes) {
    if (!context_) throw std::bad_alloc();
  }

  Expected<void> read(const Block& block) {
    if (buffer_.size() < block.end - block.begin) buffer_.resize(std::max(kBlockBytes, block.end - block.begin));
    auto bytes = std::span(buffer_).first(block.end - block.begin);
    if (auto done = readAt(pack_.fd_.get(), block.begin, bytes, pack_.path()); !done) return done;
    for (size_t i = block.first; i < block.last; ++i) {
      auto record = bytes.subspan(requests_[i].entry.offset - block.begin, kRecordHeaderBytes + requests_[i].entry.storedBytes);
      if (auto done = chunk(requests_[i], record); !done) return done;
    }
    return {};
  }

 private:
  Expected<void> chunk(const ChunkRequest& request, std::span<const std::byte> record) {
    auto header = decodeRecordHeader(record.first<kRecordHeaderBytes>());
    bool right = header && isChunk(header->type) && header->payloadBytes == request.entry.storedBytes &&
                 header->rawBytes == request.bytes && header->hash == request.entry.hash;
    if (!right) return damaged(request);
    auto payload = record.subspan(kRecordHeaderBytes);
    auto content = header->type == RecordType::ChunkRaw ? payload : decompress(payload, request.bytes);
    if (content.size() != request.bytes || hash128(content) != request.entry.hash) return damaged(request);
    return sink_({request, *header, payload, content});
  }

  /// Never writes more than a chunk; empty if the frame is broken.
  std::span<const std::byte> decompress(std::span<const std::byte> payload, size_t bytes) {
    size_t size = ZSTD_decompressDCtx(context_.get(), content_.data(), bytes, payload.data(), payload.size());
    return std::span<const std::byte>(content_).first(ZSTD_isError(size) ? 0 : size);
  }

  Error damaged(const ChunkRequest& request) const {
    return pack_.corrupt("chunk at byte " + std::to_string(request.entry.offset) + " is damaged (region " +
                         std::to_string(request.region) + ", chunk " + std::to_string(request.entry.index) + ")");
  }

  const PackReader& pack_;
  const std::vector<ChunkRequest>& requests_;
  const ReadChunkSink& sink_;
  std::unique_ptr<ZSTD_DCtx, FreeContext> context_;
  std::vector<std::byte> buffer_, content_;
};

Error PackReader::corrupt(const std::string& what) const {
  return {ErrorCode::CorruptRecording, path_.string() + ": " + what};
}

bool PackReader::fits(uint64_t offset, uint64_t payloadBytes) const {
  return offset >= kPackHeaderBytes && offset <= size_ && size_ - offset >= kRecordHeaderBytes &&
         size_ - offset - kRecordHeaderBytes >= payloadBytes;
}

Expected<std::unique_ptr<PackReader>> PackReader::open(const std::filesystem::path& set, const std::string& name) {
  if (!isPackName(name)) return Error(ErrorCode::CorruptRecording, "'" + name.substr(0, 80) + "' is not a pack's name");
  return openFile(packPath(set, name));
}

Expected<std::unique_ptr<PackReader>> PackReader::openFile(const std::filesystem::path& path) {
  auto fd = mneme::openFile(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!fd) return Error(ErrorCode::CorruptRecording, fd.error().message());
  struct stat info {};
  if (::fstat(fd->get(), &info) != 0) return ioError("cannot stat", path, errno);
  if (!S_ISREG(info.st_mode)) return Error(ErrorCode::CorruptRecording, path.string() + ": is not a regular file");
  std::vector<std::byte> start(std::min<uint64_t>(static_cast<uint64_t>(info.st_size), 64));
  if (auto done = readAt(fd->get(), 0, start, path); !done) return std::move(done).error();
  if (auto readable = checkPackHeader(start, path.string()); !readable) return std::move(readable).error();
  return std::unique_ptr<PackReader>(new PackReader(path, std::move(*fd), static_cast<uint64_t>(info.st_size)));
}

Expected<SnapshotTable> PackReader::table(const TableReference& reference, SnapshotKind kind) const {
  if (!fits(reference.offset, reference.size)) return corrupt("is shorter than its manifest says (table out of bounds)");
  std::vector<std::byte> record(kRecordHeaderBytes + reference.size);
  if (auto done = readAt(fd_.get(), reference.offset, record, path_); !done) return std::move(done).error();
  auto header = decodeRecordHeader(std::span<const std::byte>(record).first<kRecordHeaderBytes>());
  auto payload = std::span<const std::byte>(record).subspan(kRecordHeaderBytes);
  bool right = header && header->type == RecordType::Table && header->payloadBytes == reference.size &&
               header->hash == reference.hash && hash128(payload) == reference.hash;
  if (!right) return corrupt("table at byte " + std::to_string(reference.offset) + " is damaged");
  auto table = decodeTable(payload, kind, path_.string());
  if (!table) return table;
  for (const auto& region : table->regions)
    for (const auto& entry : region.chunks)
      if (entry.offset != 0 && !fits(entry.offset, entry.storedBytes)) return corrupt("a chunk is out of bounds");
  return table;
}

Expected<void> PackReader::scan(const RecordVisitor& visit) const {
  for (uint64_t offset = kPackHeaderBytes; offset < size_;) {
    std::array<std::byte, kRecordHeaderBytes> bytes;
    if (!fits(offset, 0)) return corrupt("ends inside a record at byte " + std::to_string(offset));
    if (auto done = readAt(fd_.get(), offset, bytes, path_); !done) return done;
    auto header = decodeRecordHeader(bytes);
    if (!header || !fits(offset, header->payloadBytes)) return corrupt("record at byte " + std::to_string(offset) + " is damaged");
    if (auto done = visit(offset, *header); !done) return done;
    offset += kRecordHeaderBytes + header->payloadBytes;
  }
  return {};
}

Expected<std::vector<std::byte>> PackReader::whole(uint64_t offset, const RecordHeader& header, uint64_t maxBytes) const {
  if (isChunk(header.type) || header.payloadBytes > maxBytes || !fits(offset, header.payloadBytes))
    return corrupt("record at byte " + std::to_string(offset) + " is too large");
  std::vector<std::byte> bytes(header.payloadBytes);
  if (auto done = readAt(fd_.get(), offset + kRecordHeaderBytes, bytes, path_); !done) return std::move(done).error();
  if (hash128(bytes) != header.hash) return corrupt("record at byte " + std::to_string(offset) + " is damaged");
  return bytes;
}

Expected<void> PackReader::readChunks(std::vector<ChunkRequest> requests, unsigned threads, const ReadChunkSink& sink) const {
  std::sort(requests.begin(), requests.end(),
            [](const ChunkRequest& a, const ChunkRequest& b) { return a.entry.offset < b.entry.offset; });
  auto blocks = planBlocks(requests);
  return runPieces(threads, blocks.size(), [&]() -> PieceWorker {
    auto reader = std::make_shared<BlockReader>(*this, requests, sink);
    return [reader, &blocks](uint64_t block) { return reader->read(blocks[block]); };
  });
}

}  // namespace mneme::format
