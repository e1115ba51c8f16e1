// SPDX-License-Identifier: Apache-2.0
#include "device/address_draw.h"

#include <sys/personality.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/file.h"

namespace mneme::device {
namespace {

constexpr char kCounter[] = "MNEME_ADDRESS_DRAW";
constexpr int kDraws = 8;

struct Mapping {
  uint64_t begin = 0, end = 0;
};

/// "7f00-7f10 r-xp …"; false for a line that is none.
bool parseLine(std::string_view line, Mapping& mapping) {
  const char* end = line.data() + line.size();
  const auto first = std::from_chars(line.data(), end, mapping.begin, 16);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '-') return false;
  return std::from_chars(first.ptr + 1, end, mapping.end, 16).ec == std::errc{};
}

bool overlap(const MemoryRange& range, const Mapping& mapping) {
  if (range.size == 0) return false;
  if (range.address >= mapping.begin) return range.address < mapping.end;
  return mapping.begin - range.address < range.size;
}

}  // namespace

std::vector<MemoryRange> takenIn(std::string_view maps, std::span<const MemoryRange> ranges) {
  std::vector<bool> taken(ranges.size());
  while (!maps.empty()) {
    const size_t end = std::min(maps.find('\n'), maps.size());
    Mapping mapping;
    if (parseLine(maps.substr(0, end), mapping))
      for (size_t i = 0; i < ranges.size(); ++i)
        if (overlap(ranges[i], mapping)) taken[i] = true;
    maps.remove_prefix(std::min(end + 1, maps.size()));
  }
  std::vector<MemoryRange> result;
  for (size_t i = 0; i < ranges.size(); ++i)
    if (taken[i]) result.push_back(ranges[i]);
  return result;
}

Expected<std::vector<MemoryRange>> takenHere(std::span<const MemoryRange> ranges) {
  // Files in /proc have no size; they are read until they end.
  auto file = openFile("/proc/self/maps", 0);
  if (!file) return std::move(file).error();
  std::string text;
  for (char block[16384];;) {
    const ssize_t got = ::read(file->get(), block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ioError("reading", "/proc/self/maps", errno);
    if (got == 0) break;
    text.append(block, static_cast<size_t>(got));
  }
  return takenIn(text, ranges);
}

Error drawAgain(char* const* arguments) {
  const char* counted = std::getenv(kCounter);
  const int draw = counted ? std::atoi(counted) : 1;
  if (draw >= kDraws)
    return {ErrorCode::Unavailable, "the recorded addresses were taken in " + std::to_string(kDraws) +
                                        " processes in a row"};
  if (draw == kDraws - 1) {
    const int present = personality(0xffffffff);
    if (present != -1) personality(static_cast<unsigned long>(present) | ADDR_NO_RANDOMIZE | ADDR_COMPAT_LAYOUT);
  }
  setenv(kCounter, std::to_string(draw + 1).c_str(), 1);
  execv("/proc/self/exe", arguments);
  return {ErrorCode::Unavailable, std::string("starting again for other addresses: ") + std::strerror(errno)};
}

}  // namespace mneme::device
