// SPDX-License-Identifier: Apache-2.0
/// Encodes and checks snapshot tables; see table.h.
#include "format/table.h"

#include <cstring>

#include "format/layout.h"

namespace mneme::format {
namespace {

constexpr size_t kTableHeaderBytes = 16;
constexpr size_t kRegionHeaderBytes = 40;
constexpr size_t kEntryBytes = 32;
constexpr uint8_t kLastMemoryKind = static_cast<uint8_t>(MemoryKind::Constant);
constexpr uint8_t kLastElementType = static_cast<uint8_t>(ElementType::I64);

void encodeEntry(std::byte* out, const ChunkEntry& entry) {
  storeLittle<uint64_t>(out, entry.offset);
  storeLittle<uint32_t>(out + 8, entry.index);
  storeLittle<uint32_t>(out + 12, entry.storedBytes);
  std::memcpy(out + 16, entry.hash.bytes.data(), entry.hash.bytes.size());
}

ChunkEntry decodeEntry(const std::byte* in) {
  ChunkEntry entry{loadLittle<uint64_t>(in), loadLittle<uint32_t>(in + 8), loadLittle<uint32_t>(in + 12), {}};
  std::memcpy(entry.hash.bytes.data(), in + 16, entry.hash.bytes.size());
  return entry;
}

std::byte* encodeRegion(std::byte* out, const RegionTable& table) {
  const Region& region = table.region;
  storeLittle<uint64_t>(out, region.range.address);
  storeLittle<uint64_t>(out + 8, region.range.size);
  storeLittle<uint64_t>(out + 16, region.changedBytes);
  out[24] = static_cast<std::byte>(region.range.kind);
  out[25] = static_cast<std::byte>(region.element);
  out[26] = static_cast<std::byte>(region.changed);
  storeLittle<uint32_t>(out + 28, static_cast<uint32_t>(region.range.name.size()));
  storeLittle<uint64_t>(out + 32, table.chunks.size());
  out += kRegionHeaderBytes;
  std::memcpy(out, region.range.name.data(), region.range.name.size());
  out += region.range.name.size();
  for (const auto& entry : table.chunks) {
    encodeEntry(out, entry);
    out += kEntryBytes;
  }
  return out;
}

/// Walks the bytes; any `false` leaves `problem` set.
class TableReader {
 public:
  TableReader(std::span<const std::byte> bytes, std::string& problem) : rest_(bytes), problem_(problem) {}

  bool header(SnapshotKind expected, uint64_t& regions) {
    if (rest_.size() < kTableHeaderBytes) return fail("table is too short");
    if (loadLittle<uint32_t>(rest_.data()) != static_cast<uint32_t>(expected)) return fail("table is of the other snapshot");
    if (loadLittle<uint32_t>(rest_.data() + 4) != 0) return fail("table has unknown flags");
    regions = loadLittle<uint64_t>(rest_.data() + 8);
    rest_ = rest_.subspan(kTableHeaderBytes);
    return regions <= rest_.size() / kRegionHeaderBytes || fail("table declares more regions than it holds");
  }

  bool region(RegionTable& out) {
    uint64_t entries = 0;
    if (!regionHeader(out.region, entries)) return false;
    if (entries > rest_.size() / kEntryBytes) return fail("table declares more chunks than it holds");
    out.chunks.reserve(entries);
    for (uint64_t i = 0; i < entries; ++i)
      if (!entry(out)) return false;
    return true;
  }

  bool atEnd() { return rest_.empty() || fail("table has bytes behind its end"); }

 private:
  bool fail(const char* what) {
    problem_ = what;
    return false;
  }

  bool regionHeader(Region& out, uint64_t& entries) {
    if (rest_.size() < kRegionHeaderBytes) return fail("table ends inside a region");
    const std::byte* in = rest_.data();
    auto kind = static_cast<uint8_t>(in[24]), element = static_cast<uint8_t>(in[25]), changed = static_cast<uint8_t>(in[26]);
    auto nameBytes = loadLittle<uint32_t>(in + 28);
    entries = loadLittle<uint64_t>(in + 32);
    out.range.address = loadLittle<uint64_t>(in);
    out.range.size = loadLittle<uint64_t>(in + 8);
    out.changedBytes = loadLittle<uint64_t>(in + 16);
    if (kind > kLastMemoryKind || element > kLastElementType || changed > 1 || in[27] != std::byte{0})
      return fail("table has an unknown kind of region");
    out.range.kind = static_cast<MemoryKind>(kind);
    out.element = static_cast<ElementType>(element);
    out.changed = changed != 0;
    rest_ = rest_.subspan(kRegionHeaderBytes);
    if (nameBytes > rest_.size()) return fail("table ends inside a region's name");
    out.range.name.assign(reinterpret_cast<const char*>(rest_.data()), nameBytes);
    rest_ = rest_.subspan(nameBytes);
    return sizesFit(out);
  }

  bool sizesFit(const Region& region) {
    bool wraps = region.range.size > UINT64_MAX - region.range.address;
    if (region.range.size > kMaxRegionBytes || wraps) return fail("table has an impossible region size");
    total_ += region.range.size;
    return total_ <= kMaxSnapshotBytes || fail("table has an impossible total size");
  }

  bool entry(RegionTable& out) {
    auto entry = decodeEntry(rest_.data());
    rest_ = rest_.subspan(kEntryBytes);
    if (entry.index >= chunkCount(out.region.range.size)) return fail("table has a chunk outside its region");
    if (!out.chunks.empty() && entry.index <= out.chunks.back().index) return fail("table's chunks are not ascending");
    bool zero = entry.offset == 0;
    if (zero != (entry.storedBytes == 0) || entry.storedBytes > kChunkBytes || (zero && entry.hash != Hash128{}))
      return fail("table has an impossible chunk length");
    out.chunks.push_back(entry);
    return true;
  }

  std::span<const std::byte> rest_;
  std::string& problem_;
  uint64_t total_ = 0;
};

}  // namespace

std::vector<std::byte> encodeTable(const SnapshotTable& table) {
  size_t size = kTableHeaderBytes;
  for (const auto& region : table.regions)
    size += kRegionHeaderBytes + region.region.range.name.size() + region.chunks.size() * kEntryBytes;
  std::vector<std::byte> out(size);
  storeLittle<uint32_t>(out.data(), static_cast<uint32_t>(table.kind));
  storeLittle<uint64_t>(out.data() + 8, table.regions.size());
  std::byte* at = out.data() + kTableHeaderBytes;
  for (const auto& region : table.regions) at = encodeRegion(at, region);
  return out;
}

Expected<SnapshotTable> decodeTable(std::span<const std::byte> bytes, SnapshotKind expected, const std::string& origin) {
  std::string problem;
  TableReader reader(bytes, problem);
  SnapshotTable table{expected, {}};
  uint64_t regions = 0;
  bool good = reader.header(expected, regions);
  for (uint64_t i = 0; good && i < regions; ++i) {
    table.regions.emplace_back();
    good = reader.region(table.regions.back());
  }
  if (!good || !reader.atEnd()) return Error(ErrorCode::CorruptRecording, origin + ": " + problem);
  return table;
}

}  // namespace mneme::format
