// SPDX-License-Identifier: Apache-2.0
/// The recorder itself, with its parts given: what Recorder::start makes from the environment, and tests by hand.
#pragma once

#include <memory>

#include "record/options.h"
#include "record/recorder.h"
#include "record/writer_queue.h"

namespace mneme::record {

/// `access` outlives the recorder. Destroying it waits for what is queued; the process's own is never destroyed.
[[nodiscard]] std::unique_ptr<Recorder> makeRecorder(Options options, MemoryAccess& access,
                                                     WriterQueue::OpenWriter openWriter);

/// Opens the real set that the options name.
[[nodiscard]] WriterQueue::OpenWriter setWriterFor(const Options& options);

}  // namespace mneme::record
