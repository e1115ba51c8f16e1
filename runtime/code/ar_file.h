// SPDX-License-Identifier: Apache-2.0
/// Members of a static library. Thin archives name their members as files beside them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace mneme::code {

struct ArMember {
  std::string name;
  std::span<const std::byte> bytes;  ///< borrowed from the archive; empty in a thin archive
};

struct ArFile {
  bool thin = false;  ///< members are files, named relative to the archive's folder
  std::vector<ArMember> members;
};

[[nodiscard]] bool isAr(std::span<const std::byte> bytes);
[[nodiscard]] Expected<ArFile> readAr(std::span<const std::byte> bytes);

}  // namespace mneme::code
