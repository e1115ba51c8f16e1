// SPDX-License-Identifier: Apache-2.0
/// One conversion at a time, through snprintf; %n is ignored.
#include "backend/host/engine/device_printf.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace mneme::host {
namespace {

class PackedArguments {
 public:
  explicit PackedArguments(const void* bytes) : bytes_(static_cast<const char*>(bytes)) {}

  template <typename T>
  T next() {
    offset_ = (offset_ + sizeof(T) - 1) & ~(sizeof(T) - 1);
    T value{};
    if (bytes_) std::memcpy(&value, bytes_ + offset_, sizeof value);
    offset_ += sizeof(T);
    ++count_;
    return value;
  }
  [[nodiscard]] int count() const { return count_; }

 private:
  const char* bytes_;
  size_t offset_ = 0;
  int count_ = 0;
};

/// One "%…" of the format, taken apart.
struct Conversion {
  std::string flags;   ///< with width and precision, stars resolved
  std::string length;
  char kind = 0;
};

Conversion parseConversion(const char*& at, PackedArguments& arguments) {
  Conversion conversion;
  conversion.flags = "%";
  for (; *at && std::strchr("-+ #0123456789.*", *at); ++at)
    conversion.flags += *at == '*' ? std::to_string(arguments.next<int>()) : std::string(1, *at);
  for (; *at && std::strchr("hljztL", *at); ++at) conversion.length += *at;
  if (*at) conversion.kind = *at++;
  return conversion;
}

template <typename T>
std::string print(const std::string& format, T value) {
  int size = std::snprintf(nullptr, 0, format.c_str(), value);
  if (size < 0) return {};
  std::string text(static_cast<size_t>(size) + 1, '\0');
  std::snprintf(text.data(), text.size(), format.c_str(), value);
  text.pop_back();
  return text;
}

std::string formatOne(const Conversion& conversion, PackedArguments& arguments) {
  const auto& [flags, length, kind] = conversion;
  const bool wide = length == "l" || length == "ll" || length == "j" || length == "z" || length == "t";
  switch (kind) {
    case 'd': case 'i':
      return wide ? print(flags + "ll" + kind, arguments.next<long long>()) : print(flags + length + kind, arguments.next<int>());
    case 'u': case 'x': case 'X': case 'o':
      return wide ? print(flags + "ll" + kind, arguments.next<unsigned long long>())
                  : print(flags + length + kind, arguments.next<unsigned>());
    case 'c': return print(flags + kind, arguments.next<int>());
    case 'f': case 'F': case 'e': case 'E': case 'g': case 'G': case 'a': case 'A':
      return print(flags + kind, arguments.next<double>());
    case 'p': return print(flags + kind, arguments.next<void*>());
    case 's': {
      auto* text = arguments.next<const char*>();
      return print(flags + kind, text ? text : "(null)");
    }
    case 'n': arguments.next<void*>(); return {};
    case '%': return "%";
    default: return flags + length + (kind ? std::string(1, kind) : "");
  }
}

}  // namespace

std::string formatDevicePrintf(const char* format, const void* bytes, int& count) {
  count = -1;
  if (!format) return {};
  PackedArguments arguments(bytes);
  std::string text;
  for (const char* at = format; *at;) {
    if (*at != '%') {
      const char* end = std::strchr(at, '%');
      size_t size = end ? static_cast<size_t>(end - at) : std::strlen(at);
      text.append(at, size);
      at += size;
      continue;
    }
    ++at;
    auto conversion = parseConversion(at, arguments);
    text += formatOne(conversion, arguments);
  }
  count = arguments.count();
  return text;
}

}  // namespace mneme::host
