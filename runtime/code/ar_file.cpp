// SPDX-License-Identifier: Apache-2.0
/// Reads the GNU flavour of ar(5), with its table of long names.
#include "code/ar_file.h"

#include <ar.h>

#include <charconv>
#include <climits>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>

namespace mneme::code {
namespace {

constexpr std::string_view kThinMagic = "!<thin>\n";

std::string_view text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Error broken(const std::string& what) { return {ErrorCode::InvalidArgument, "broken archive: " + what}; }

std::optional<uint64_t> number(std::string_view digits) {
  while (!digits.empty() && digits.back() == ' ') digits.remove_suffix(1);
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

/// "name/" as it stands, "/123" from the table of long names.
std::optional<std::string> memberName(std::string_view field, std::string_view longNames) {
  if (field.size() > 1 && field[0] == '/' && field[1] >= '0' && field[1] <= '9') {
    const auto offset = number(field.substr(1));
    if (!offset || *offset >= longNames.size()) return std::nullopt;
    const std::string_view rest = longNames.substr(*offset, PATH_MAX);
    return std::string(rest.substr(0, rest.find("/\n")));
  }
  return std::string(field.substr(0, field.find('/')));
}

}  // namespace

bool isAr(std::span<const std::byte> bytes) {
  const std::string_view head = text(bytes).substr(0, SARMAG);
  return head == ARMAG || head == kThinMagic;
}

Expected<ArFile> readAr(std::span<const std::byte> bytes) {
  if (!isAr(bytes)) return broken("no header");
  ArFile archive;
  archive.thin = text(bytes).substr(0, SARMAG) == kThinMagic;
  std::string_view longNames;
  for (uint64_t at = SARMAG; at < bytes.size();) {
    if (bytes.size() - at < sizeof(ar_hdr)) return broken("a member's header is cut off");
    ar_hdr head;
    std::memcpy(&head, bytes.data() + at, sizeof head);
    at += sizeof head;
    const std::string_view field(head.ar_name, sizeof head.ar_name);
    const auto size = number({head.ar_size, sizeof head.ar_size});
    if (std::memcmp(head.ar_fmag, ARFMAG, sizeof head.ar_fmag) != 0 || !size) return broken("a member's header");
    const bool table = field.starts_with("/ ") || field.starts_with("// ") || field.starts_with("/SYM64/");
    const bool stored = table || !archive.thin;
    if (stored && *size > bytes.size() - at) return broken("a member outside of the file");
    const auto content = bytes.subspan(at, stored ? *size : 0);
    if (field.starts_with("// ")) longNames = text(content);
    if (!table) {
      auto name = memberName(field, longNames);
      if (!name) return broken("a member's name");
      archive.members.push_back({std::move(*name), content});
    }
    at += content.size() + content.size() % 2;
  }
  return archive;
}

}  // namespace mneme::code
