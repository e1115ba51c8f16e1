// SPDX-License-Identifier: Apache-2.0
/// Unpacks gzip with zlib, never more than allowed; see gzip.h.
#include "tune/gzip.h"

#include <zlib.h>

#include <algorithm>

#include "base/file.h"

namespace mneme::tune {
namespace {

constexpr size_t kStep = 1u << 20;

Error damaged(const std::filesystem::path& path, const std::string& what) {
  return {ErrorCode::CorruptRecording, path.string() + ": " + what};
}

/// One stream after the other, as gzip(1) reads them.
Expected<std::string> unpack(z_stream& stream, uint64_t maxBytes, const std::filesystem::path& path) {
  std::string text;
  for (;;) {
    const size_t used = text.size();
    if (used > maxBytes) return damaged(path, "unpacks to more than " + std::to_string(maxBytes >> 20) + " MiB");
    text.resize(used + kStep);
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + used);
    stream.avail_out = kStep;
    const int status = inflate(&stream, Z_NO_FLUSH);
    text.resize(text.size() - stream.avail_out);
    if (status == Z_STREAM_END && stream.avail_in > 0) inflateReset(&stream);
    else if (status == Z_STREAM_END) return text;
    else if (status != Z_OK || (stream.avail_in == 0 && stream.avail_out > 0)) return damaged(path, "the gzip data is damaged or cut off");
  }
}

}  // namespace

Expected<std::string> readMaybeGzip(const std::filesystem::path& path, uint64_t maxBytes) {
  auto raw = readText(path, maxBytes);
  if (!raw || !raw->starts_with("\x1f\x8b")) return raw;
  if (raw->size() > UINT32_MAX) return damaged(path, "too large");
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(raw->data());
  stream.avail_in = static_cast<uInt>(raw->size());
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return Error(ErrorCode::Io, "zlib does not start");
  auto text = unpack(stream, maxBytes, path);
  inflateEnd(&stream);
  return text;
}

}  // namespace mneme::tune
