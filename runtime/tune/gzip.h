// SPDX-License-Identifier: Apache-2.0
/// Text of a file that may be gzip-compressed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/error.h"

namespace mneme::tune {

/// The file's text, unpacked if it is gzip. CorruptRecording if it is damaged or unpacks to more than maxBytes.
[[nodiscard]] Expected<std::string> readMaybeGzip(const std::filesystem::path& path, uint64_t maxBytes);

}  // namespace mneme::tune
