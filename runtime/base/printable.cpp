// SPDX-License-Identifier: Apache-2.0
/// See printable.h.
#include "base/printable.h"

namespace mneme {

std::string printable(std::string_view text) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  unsigned char last = 0;
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool control = byte < 0x20 || byte == 0x7f || (last == 0xc2 && byte >= 0x80 && byte < 0xa0);
    if (control) out.append({'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]});
    else out += c;
    last = byte;
  }
  return out;
}

}  // namespace mneme
