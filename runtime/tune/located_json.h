// SPDX-License-Identifier: Apache-2.0
/// JSON that people wrote: read with the line of every member, so that an error can say where.
/// The order of members stays; a member given twice is an error. Nothing here throws.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/error.h"

namespace mneme::tune {

struct LocatedJson {
  nlohmann::ordered_json value;
  std::map<std::string, size_t> lines;  ///< by JSON pointer: "/parameters/tile/range"
  std::string origin;

  /// "space.json:12: parameters.tile.range: what", as CorruptRecording.
  [[nodiscard]] Error wrong(const std::string& pointer, const std::string& what) const;
};

/// CorruptRecording for text that is not JSON or nests deeper than 16 levels.
[[nodiscard]] Expected<LocatedJson> parseLocated(std::string_view text, const std::string& origin);

/// A member's name as a step of a JSON pointer.
[[nodiscard]] std::string pointerStep(std::string_view name);

}  // namespace mneme::tune
