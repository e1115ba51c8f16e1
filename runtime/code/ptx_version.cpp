// SPDX-License-Identifier: Apache-2.0
/// From the release notes of PTX, "Release History".
#include "code/ptx_version.h"

#include <array>
#include <charconv>
#include <system_error>

namespace mneme::code {
namespace {

struct Release {
  unsigned major, minor;
  uint32_t ptx;
};
constexpr std::array kReleases{Release{11, 0, 70}, Release{11, 1, 71}, Release{11, 2, 72}, Release{11, 3, 73},
                               Release{11, 4, 74}, Release{11, 5, 75}, Release{11, 6, 76}, Release{11, 7, 77},
                               Release{11, 8, 78}, Release{12, 0, 80}, Release{12, 1, 81}, Release{12, 2, 82},
                               Release{12, 3, 83}, Release{12, 4, 84}, Release{12, 5, 85}, Release{12, 7, 86},
                               Release{12, 8, 87}, Release{12, 9, 88}, Release{13, 0, 90}};

}  // namespace

uint32_t ptxVersionOfCuda(std::string_view version) {
  unsigned major = 0, minor = 0;
  const char* end = version.data() + version.size();
  const auto afterMajor = std::from_chars(version.data(), end, major);
  if (afterMajor.ec != std::errc() || afterMajor.ptr == end || *afterMajor.ptr != '.') return 0;
  if (std::from_chars(afterMajor.ptr + 1, end, minor).ec != std::errc()) return 0;
  uint32_t newest = 0;
  for (const Release& release : kReleases)
    if (release.major < major || (release.major == major && release.minor <= minor)) newest = release.ptx;
  return newest;
}

}  // namespace mneme::code
