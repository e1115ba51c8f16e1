// SPDX-License-Identifier: Apache-2.0
/// Hostile tables, and recordings whose hashes fit: opened, read and verified; what is read is what the hashes name.
#include <cstdint>

#include "format/collect.h"
#include "format/recording_set.h"
#include "fuzz.h"
#include "hostile_pack.h"

namespace mneme::fuzz {
namespace {

constexpr uint64_t kReadAtMost = 4u << 20;  ///< a declared size of terabytes of zeros is legal, and not worth reading
constexpr std::initializer_list<ErrorCode> kRefusals{ErrorCode::CorruptRecording};

void table(std::span<const std::byte> bytes) {
  for (auto kind : {format::SnapshotKind::Before, format::SnapshotKind::After}) {
    auto decoded = format::decodeTable(bytes, kind, "p.pack");
    if (!decoded) demandClear(decoded.error(), kRefusals);
    else demand(std::ranges::equal(format::encodeTable(*decoded), bytes), "a table changes when it is written");
  }
}

/// Reads one snapshot into `regions`; every byte lies inside its region.
bool read(format::Recording& recording, bool before, std::vector<Bytes>& regions) {
  std::vector<uint64_t> seen(regions.size());
  auto sink = [&](size_t region, uint64_t offset, std::span<const std::byte> bytes) -> Expected<void> {
    demand(region < regions.size() && offset <= regions[region].size() && bytes.size() <= regions[region].size() - offset,
           "bytes outside of their region");
    std::copy(bytes.begin(), bytes.end(), regions[region].begin() + static_cast<ptrdiff_t>(offset));
    seen[region] += bytes.size();
    return {};
  };
  auto done = before ? recording.readBefore(1, sink) : recording.readAfter(1, sink);
  if (!done) {
    demandClear(done.error(), kRefusals);
    return false;
  }
  for (size_t i = 0; before && i < regions.size(); ++i) demand(seen[i] == regions[i].size(), "a region is not read once whole");
  return true;
}

void checkHashes(const format::Recording& recording, const std::vector<Bytes>& regions) {
  for (size_t r = 0; r < regions.size(); ++r)
    for (uint64_t at = 0; at < regions[r].size(); at += format::kChunkBytes) {
      const auto length = std::min<uint64_t>(format::kChunkBytes, regions[r].size() - at);
      const auto hash = recording.beforeHash(r, static_cast<uint32_t>(at / format::kChunkBytes));
      demand(hash && *hash == hash128(std::span<const std::byte>(regions[r]).subspan(at, length)), "a chunk of another hash");
    }
}

void readAll(const fs::path& manifest) {
  auto recording = format::Recording::open(manifest);
  if (!recording) return demandClear(recording.error(), kRefusals);
  uint64_t total = 0;
  for (const auto& region : (*recording)->manifest().regions) total += std::min(region.range.size, kReadAtMost);
  bool readable = total < kReadAtMost;
  if (readable) {
    std::vector<Bytes> regions;
    for (const auto& region : (*recording)->manifest().regions) regions.emplace_back(region.range.size, std::byte{0xee});
    readable = read(**recording, true, regions);
    if (readable) checkHashes(**recording, regions);
    readable = read(**recording, false, regions) && readable;
  }
  auto verified = format::verifyRecording(manifest, 1);
  if (!verified) demandClear(verified.error(), kRefusals);
  else demand(readable || total >= kReadAtMost, "verified, and yet not readable");
}

void recording(const uint8_t* data, size_t size) {
  static Scratch scratch;
  FuzzedDataProvider input(data, size);
  HostilePack pack(input);
  auto manifest = pack.addRecording();
  std::error_code none;
  fs::create_directories(scratch / "data", none);
  if (input.ConsumeIntegralInRange<int>(0, 3) == 3)
    pack.bytes().resize(std::min<size_t>(pack.bytes().size(), input.ConsumeIntegral<uint16_t>()));
  writeFile(scratch / "data/p.pack", pack.bytes());
  writeFile(scratch / "k.json", asBytes(format::toJson(manifest)));
  readAll(scratch / "k.json");
}

}  // namespace
}  // namespace mneme::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  mneme::fuzz::table(std::as_bytes(std::span(data, size)));
  mneme::fuzz::recording(data, size);
  return 0;
}
