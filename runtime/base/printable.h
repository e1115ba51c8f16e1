// SPDX-License-Identifier: Apache-2.0
/// Text of unknown origin, made fit for a line of a terminal or a log: it cannot end the line or send escape sequences.
#pragma once

#include <string>
#include <string_view>

namespace mneme {

/// Control characters (also DEL, and U+0080 to U+009F in UTF-8) become \xNN; everything else stays.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace mneme
