// SPDX-License-Identifier: Apache-2.0
/// Runs numbered pieces of work on a few threads; the first error stops the rest and is returned. Internal to format/.
#pragma once

#include <cstdint>
#include <functional>

#include "base/error.h"

namespace mneme::format {

/// What one thread does with piece `number`; made once a thread, so it can own buffers.
using PieceWorker = std::function<Expected<void>(uint64_t number)>;

/// Calls workers with 0 … count-1, each once, in roughly ascending order. With one thread (or where no more can be
/// had) everything runs in the caller.
[[nodiscard]] Expected<void> runPieces(unsigned threads, uint64_t count, const std::function<PieceWorker()>& makeWorker);

}  // namespace mneme::format
