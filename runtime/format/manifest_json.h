// SPDX-License-Identifier: Apache-2.0
/// The spellings that writing and reading a manifest share. Internal to format/.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/manifest.h"

namespace mneme::format {

/// "0x7f00…": addresses do not fit the numbers of every JSON reader.
[[nodiscard]] std::string toHexNumber(uint64_t value);
[[nodiscard]] std::optional<uint64_t> fromHexNumber(std::string_view text);
[[nodiscard]] std::string toHexBytes(const std::vector<uint8_t>& bytes);
[[nodiscard]] std::optional<std::vector<uint8_t>> fromHexBytes(std::string_view text);
/// JSON has no infinity and no NaN: an error that large is a string.
[[nodiscard]] nlohmann::json numberOrText(double value);

}  // namespace mneme::format
