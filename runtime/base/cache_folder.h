// SPDX-License-Identifier: Apache-2.0
/// Where what can be made again is kept between processes.
#pragma once

#include <filesystem>

namespace mneme {

/// $MNEME_CACHE_DIR, else $XDG_CACHE_HOME/mneme, else ~/.cache/mneme; empty without any of them. It need not exist.
[[nodiscard]] std::filesystem::path cacheFolder();

}  // namespace mneme
