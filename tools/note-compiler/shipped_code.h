// SPDX-License-Identifier: Apache-2.0
/// What an object holds for the device after the real compiler has written it: its kernels, and its PTX.
#pragma once

#include <string>
#include <vector>

#include "compiler_command.h"
#include "note_step.h"
#include "options.h"

namespace mneme::notes {

struct ShippedCode {
  Words kernels;                ///< mangled, of all architectures
  std::string architecture;     ///< the newest: "sm_90a"
  std::string ptxArchitecture;  ///< of the newest PTX: "compute_90a"; empty if the object holds none
  std::vector<std::byte> ptx;
  bool relocatable = false;     ///< for a later device link: functions alone matter, too
};

/// Nothing where the object cannot be read or holds no device code.
[[nodiscard]] ShippedCode readShipped(const std::string& object);

/// The PTX that the object ships, newest architecture only; made by running the command once more to PTX if it ships none.
[[nodiscard]] Expected<NoteContent> ptxNote(const Options& options, const CompilerCommand& command,
                                            const std::string& source, const ShippedCode& shipped, TemporaryFiles& files);

/// The kernels of the first list that the second lacks, also under the other compiler's spelling.
[[nodiscard]] Words kernelsWithout(const Words& shipped, const Words& known);

/// As people read it, without what compilers add per file.
[[nodiscard]] std::string readableName(const std::string& kernel);

/// "file.cu:3:1: error: …" out of a compiler's output.
[[nodiscard]] std::string firstError(const std::string& output);

}  // namespace mneme::notes
