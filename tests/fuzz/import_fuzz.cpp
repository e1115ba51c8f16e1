// SPDX-License-Identifier: Apache-2.0
/// Hostile exported files, damaged and forged: all of it is imported and verifies, or nothing appears.
#include <cstdint>

#include "format/archive.h"
#include "format/collect.h"
#include "format/recording_set.h"
#include "fuzz.h"
#include "hostile_pack.h"
#include "seal.h"

namespace mneme::fuzz {
namespace {

void import(const Bytes& file) {
  static Scratch scratch;
  std::error_code ignored;
  fs::remove_all(scratch / "set", ignored);
  writeFile(scratch / "file.mneme", file);
  auto imported = format::importRecordings(scratch / "file.mneme", scratch / "set");
  if (!imported) {
    demandClear(imported.error(), {ErrorCode::CorruptRecording});
    auto left = format::listManifests(scratch / "set");
    return demand(!left || left->empty(), "a refused import left a recording");
  }
  for (const auto& path : imported->manifests) {
    demand(path.parent_path() == scratch / "set", "a recording outside of the set", path.native());
    auto whole = format::verifyRecording(path, 1);
    demand(whole.has_value(), "an imported recording does not verify", whole ? "" : whole.error().message());
  }
}

/// One or two recordings, with code that may be missing, of another name, or of another hash.
Bytes forged(FuzzedDataProvider& input) {
  HostilePack pack(input);
  const int recordings = input.ConsumeIntegralInRange<int>(0, 2);
  for (int i = 0; i < recordings; ++i) {
    auto manifest = pack.addRecording();
    const Bytes code = bytesOf(input.ConsumeRandomLengthString(16));
    const auto hash = hash128(std::span<const std::byte>(code));
    if (input.ConsumeBool()) manifest.code.push_back({CodeKind::Llvm, toHex(hash) + ".bc", hash, "", "", ""});
    if (input.ConsumeIntegralInRange<int>(0, 7) == 7 && !manifest.code.empty()) manifest.code[0].file = input.ConsumeRandomLengthString(40);
    if (input.ConsumeIntegralInRange<int>(0, 7) != 7) pack.addWhole(format::RecordType::Code, code);
    pack.addWhole(format::RecordType::Manifest, bytesOf(format::toJson(manifest)));
  }
  return pack.bytes();
}

}  // namespace
}  // namespace mneme::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace mneme::fuzz;
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  Bytes damaged(begin, begin + size);
  if (damaged.size() > 4 && data[0] == 0x89) {  // a pack's first byte: a real exported file, damaged
    import(damaged);
    sealPack(damaged);
    import(damaged);
    return 0;
  }
  FuzzedDataProvider input(data, size);
  import(forged(input));
  return 0;
}
