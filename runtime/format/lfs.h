// SPDX-License-Identifier: Apache-2.0
/// Recognises a file that Git LFS has not fetched yet. Internal to format/.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace mneme::format {

inline constexpr std::string_view kLfsPrefix = "version https://git-lfs.github.com/spec/";

[[nodiscard]] inline bool isLfsPointer(std::string_view content) { return content.starts_with(kLfsPrefix); }

[[nodiscard]] inline Error lfsError(const std::string& origin) {
  return {ErrorCode::CorruptRecording, origin + ": is a Git LFS pointer, its content is not here; run `git lfs pull`"};
}

}  // namespace mneme::format
