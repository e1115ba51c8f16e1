// SPDX-License-Identifier: Apache-2.0
/// Modules of the program that are loaded, and their code. The code's bytes belong to the program until a launch is
/// recorded: then they are copied once, so that the program may unload the module before they are written.
/// Thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "format/recording_set.h"
#include "record/recorder.h"

namespace mneme::record {

/// A module's code, kept for the writer. Only the background thread uses `references`.
struct KeptCode {
  struct Piece {
    CodeKind kind;
    std::vector<std::byte> bytes;
    std::string architecture, source, command, library;
  };
  std::vector<Piece> pieces;
  std::vector<format::CodeReference> references;  ///< once a recording with them is on disk; the pieces are gone then
};

class Modules {
 public:
  void load(ModuleId module, std::span<const ModuleCode> code);
  void unload(ModuleId module);

  /// Of its code; of its number where it has none or is not known.
  [[nodiscard]] Hash128 identity(ModuleId module);
  /// nullptr: not loaded, or without code.
  [[nodiscard]] std::shared_ptr<KeptCode> keep(ModuleId module);

 private:
  struct Loaded {
    std::vector<ModuleCode> code;
    std::shared_ptr<KeptCode> kept;
  };
  std::mutex mutex_;
  std::unordered_map<ModuleId, Loaded> loaded_;
};

}  // namespace mneme::record
