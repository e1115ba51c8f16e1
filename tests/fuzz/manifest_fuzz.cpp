// SPDX-License-Identifier: Apache-2.0
/// Hostile manifests, as they come and with hashes that fit: refused in one line, or written and read again alike.
#include <cstdint>

#include "fuzz.h"
#include "seal.h"

namespace mneme::fuzz {
namespace {

void parse(std::string_view text) {
  auto manifest = format::parseManifest(text, "m.json");
  if (!manifest) return demandClear(manifest.error(), {ErrorCode::CorruptRecording});
  demand(format::manifestFileName(*manifest).find('/') == std::string::npos, "a file name spells a path");
  if (manifest->unlistedRegions != 0) return;  // those are in the pack
  auto written = format::toJson(*manifest);
  auto again = format::parseManifest(written, "again.json");
  demand(again.has_value(), "a manifest is not read once written", again ? "" : again.error().message());
  demand(format::toJson(*again) == written, "a manifest changes when it is written", written);
}

}  // namespace
}  // namespace mneme::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace mneme;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::parse(text);
  auto document = format::parseJsonObject(text, "m.json");
  if (!document) return 0;
  fuzz::parse(fuzz::sealManifest(std::move(*document)));
  return 0;
}
