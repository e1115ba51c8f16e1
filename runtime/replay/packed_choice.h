// SPDX-License-Identifier: Apache-2.0
/// Several translation units of a binary may hold a kernel of one name: a template that each of them made, or static
/// functions that have nothing to do with each other. Fat binaries do not say which source they come from.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "format/recording_set.h"
#include "replay/binary_code.h"

namespace mneme::replay {

struct PackedKernel {
  const CodePiece* piece;
  std::string kernel;
};

/// The index of the one whose neighbours are most like those in the recorded image. Unsupported, by name, if two are
/// equally like and have different code for the kernel.
[[nodiscard]] Expected<size_t> choosePacked(format::Recording& recording, std::span<const PackedKernel> candidates);

}  // namespace mneme::replay
