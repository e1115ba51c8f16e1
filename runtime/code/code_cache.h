// SPDX-License-Identifier: Apache-2.0
/// Generated code kept on disk by content: the same input gives the same file. Losing it costs time only.
#pragma once

#include <filesystem>
#include <optional>

#include "base/hash.h"
#include "code/generate.h"

namespace mneme::code {

/// Of everything that decides the code: bitcode, target, numerics, pins, specialisation, LLVM and Mneme versions.
[[nodiscard]] Hash128 cacheKey(const GenerateInput& input);

class CodeCache {
 public:
  /// Finds and stores nothing.
  CodeCache() = default;
  /// Below $MNEME_CACHE_DIR, else $XDG_CACHE_HOME/mneme, else ~/.cache/mneme; without any of them the empty cache.
  [[nodiscard]] static CodeCache open();

  /// A damaged or foreign file is no hit.
  [[nodiscard]] std::optional<GeneratedCode> find(const Hash128& key) const;
  /// Failing to store is logged once and no error.
  void store(const Hash128& key, const GeneratedCode& code) const;

 private:
  [[nodiscard]] std::filesystem::path fileFor(const Hash128& key) const;
  std::filesystem::path folder_;
};

}  // namespace mneme::code
