// SPDX-License-Identifier: Apache-2.0
/// Right hashes for wrong content: an attacker computes them too, and without them a fuzzer never gets past the first check.
#pragma once

#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/hash.h"
#include "format/json_fields.h"
#include "format/layout.h"
#include "format/manifest.h"

namespace mneme::fuzz {

/// The document with a hash8 and a manifest_hash that fit it; members of another type than usual are left as they are.
inline std::string sealManifest(nlohmann::json document) {
  std::optional<std::string> ignored;
  const format::JsonFields root(document, ignored, "");
  format::Manifest m;
  m.kernel = root.object("kernel").text("mangled");
  auto shape = root.object("shape");
  auto dimensions = [&](const char* key) {
    auto n = shape.unsignedNumbers(key);
    n.resize(3);
    return Dim3{static_cast<uint32_t>(n[0]), static_cast<uint32_t>(n[1]), static_cast<uint32_t>(n[2])};
  };
  m.shape = {dimensions("grid"), dimensions("block"), shape.unsignedNumber("dynamic_shared_bytes"), shape.flag("cooperative"),
             dimensions("cluster")};
  auto identity = root.object("identity");
  m.ordinal = identity.unsignedNumber("ordinal");
  m.rank = static_cast<uint32_t>(identity.unsignedNumber("rank"));
  m.tag = identity.text("tag");
  if (document.contains("identity") && document["identity"].is_object()) document["identity"]["hash8"] = format::identityHash(m);
  document.erase("manifest_hash");
  document["manifest_hash"] = toHex(hash128(format::canonicalText(document)));
  return format::canonicalText(document);
}

/// Makes the checksums of a pack's header and of its record headers right, as far as the lengths lead.
inline void sealPack(std::vector<std::byte>& pack) {
  auto seal = [&](size_t at, size_t bytes) {
    const auto hash = hash128(std::span<const std::byte>(pack).subspan(at, bytes));
    std::memcpy(pack.data() + at + bytes, hash.bytes.data(), 8);
  };
  if (pack.size() < format::kPackHeaderBytes) return;
  seal(0, 24);
  for (uint64_t at = format::kPackHeaderBytes; pack.size() - at >= format::kRecordHeaderBytes;) {
    seal(at, 40);
    const auto payload = format::loadLittle<uint64_t>(pack.data() + at + 8);
    at += format::kRecordHeaderBytes;
    if (payload > pack.size() - at) return;
    at += payload;
  }
}

}  // namespace mneme::fuzz
