// SPDX-License-Identifier: Apache-2.0
/// Chunk encoding; see chunk_encoder.h. One piece of work is a megabyte of chunks: one write each.
#include "format/chunk_encoder.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "format/parallel.h"

namespace mneme::format {
namespace {

constexpr uint64_t kChunksPerPiece = 16;
constexpr int kLevel = 1;
constexpr size_t kSampleBytes = 4096;

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

/// Compression has to save this much, else the bytes are stored as they are: reading them back is then a copy.
size_t largestWorthwhile(size_t size) { return size - size / 16 * 3; }

bool isZero(std::span<const std::byte> bytes) {
  return bytes[0] == std::byte{0} && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

/// One thread's half of storeChunks: buffers and a compression context of its own.
class PieceEncoder {
 public:
  PieceEncoder(PackWriter& pack, std::span<const ChunkRun> runs, std::span<const uint64_t> starts)
      : pack_(pack), runs_(runs), starts_(starts), context_(ZSTD_createCCtx()) {
    if (!context_) throw std::bad_alloc();
    compressed_.resize(kChunksPerPiece * kChunkBytes);
  }

  Expected<void> encode(uint64_t piece) {
    chunks_.clear();
    entries_.clear();
    uint64_t at = piece * kChunksPerPiece, end = std::min(at + kChunksPerPiece, starts_.back());
    while (at < end) {
      size_t run = static_cast<size_t>(std::upper_bound(starts_.begin(), starts_.end(), at) - starts_.begin()) - 1;
      uint64_t stop = std::min(end, starts_[run + 1]);
      auto done = encodeRun(runs_[run], at - starts_[run], stop - starts_[run], (at % kChunksPerPiece) * kChunkBytes);
      if (!done) return done;
      at = stop;
    }
    return chunks_.empty() ? Expected<void>() : pack_.append(chunks_, entries_);
  }

 private:
  /// Chunks first … last-1 of one run; `slot` is where in the buffers the first one goes.
  Expected<void> encodeRun(const ChunkRun& run, uint64_t first, uint64_t last, size_t slot) {
    uint64_t offset = first * kChunkBytes;
    uint64_t bytes = (last - 1 - first) * kChunkBytes + chunkLength(run.regionBytes, (*run.entries)[last - 1].index);
    auto source = read(*run.source, offset, bytes, slot);
    if (!source) return std::move(source).error();
    for (uint64_t i = first; i < last; ++i) {
      auto& entry = (*run.entries)[i];
      encodeChunk(source->subspan((i - first) * kChunkBytes, chunkLength(run.regionBytes, entry.index)), entry,
                  slot + (i - first) * kChunkBytes);
    }
    return {};
  }

  Expected<std::span<const std::byte>> read(const RegionSource& source, uint64_t offset, uint64_t bytes, size_t slot) {
    if (source.view) return std::span(source.view + offset, bytes);
    if (raw_.empty()) raw_.resize(kChunksPerPiece * kChunkBytes);
    auto out = std::span(raw_).subspan(slot, bytes);
    if (auto done = source.read(offset, out); !done) return std::move(done).error();
    return std::span<const std::byte>(out);
  }

  void encodeChunk(std::span<const std::byte> bytes, ChunkEntry& entry, size_t slot) {
    if (isZero(bytes)) return;
    auto hash = hash128(bytes);
    if (pack_.find(hash, entry)) return;
    EncodedChunk chunk{{RecordType::ChunkRaw, bytes.size(), bytes.size(), hash}, bytes};
    if (auto size = compress(bytes, slot)) {
      chunk.header.type = RecordType::ChunkZstd;
      chunk.header.payloadBytes = size;
      chunk.payload = std::span(compressed_).subspan(slot, size);
    }
    chunks_.push_back(chunk);
    entries_.push_back(&entry);
  }

  /// Compressed size, or 0 if it is not worth it.
  size_t compress(std::span<const std::byte> bytes, size_t slot) {
    bool worthTrying = bytes.size() < 4 * kSampleBytes || sampleShrinks(bytes.subspan(bytes.size() / 4, kSampleBytes), slot) ||
                       sampleShrinks(bytes.subspan(bytes.size() / 4 * 3, kSampleBytes), slot);
    return worthTrying ? compressInto(bytes, slot) : 0;
  }

  bool sampleShrinks(std::span<const std::byte> sample, size_t slot) { return compressInto(sample, slot) != 0; }

  size_t compressInto(std::span<const std::byte> bytes, size_t slot) {
    size_t size = ZSTD_compressCCtx(context_.get(), compressed_.data() + slot, largestWorthwhile(bytes.size()),
                                    bytes.data(), bytes.size(), kLevel);
    return ZSTD_isError(size) || size >= bytes.size() ? 0 : size;
  }

  PackWriter& pack_;
  std::span<const ChunkRun> runs_;
  std::span<const uint64_t> starts_;
  std::unique_ptr<ZSTD_CCtx, FreeContext> context_;
  std::vector<std::byte> raw_, compressed_;
  std::vector<EncodedChunk> chunks_;
  std::vector<ChunkEntry*> entries_;
};

}  // namespace

Expected<void> storeChunks(PackWriter& pack, std::span<const ChunkRun> runs, unsigned threads) {
  std::vector<uint64_t> starts{0};  // of each run, counted in chunks
  for (const auto& run : runs) starts.push_back(starts.back() + run.entries->size());
  uint64_t pieces = (starts.back() + kChunksPerPiece - 1) / kChunksPerPiece;
  return runPieces(threads, pieces, [&]() -> PieceWorker {
    auto encoder = std::make_shared<PieceEncoder>(pack, runs, starts);
    return [encoder](uint64_t piece) { return encoder->encode(piece); };
  });
}

}  // namespace mneme::format
