// SPDX-License-Identifier: Apache-2.0
/// The directory of a set: creation, its lock, publishing manifests, finding and removing packs. Internal to format/.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "format/manifest.h"

namespace mneme::format {

/// Makes the directories, set.json and .gitattributes where they are missing; refuses a set of a newer version.
[[nodiscard]] Expected<void> createSet(const std::filesystem::path& set);

/// The set that a manifest or another of a set's own files is in; "." for a bare name.
[[nodiscard]] std::filesystem::path setOf(const std::filesystem::path& file);

/// As checkSet, and InvalidArgument without a set.json: for what removes files, which must not run in other directories.
[[nodiscard]] Expected<void> requireSet(const std::filesystem::path& set);

/// flock on the set's directory. Shared while a manifest is published, exclusive while packs and code are removed: so
/// nothing is removed between being looked up and being referred to. Waits for a time, then goes on without:
/// a stopped process must not stop a recording, and not every file system has locks.
class SetLock {
 public:
  enum class Mode { Shared, Exclusive };
  SetLock(const std::filesystem::path& set, Mode mode, std::chrono::milliseconds patience = std::chrono::seconds(2));
  [[nodiscard]] bool held() const { return held_; }
  /// Not held because another process has it; false where the file system has no locks.
  [[nodiscard]] bool busy() const { return busy_; }

 private:
  FileDescriptor directory_;
  bool held_ = false, busy_ = false;
};

/// Publishes a manifest under a name that is free; false if the name is taken.
[[nodiscard]] Expected<bool> publishNew(const std::filesystem::path& path, std::string_view text);

/// Packs and code files that the readable manifests of a set refer to.
struct References {
  std::set<std::string> packs, code;
  std::vector<std::filesystem::path> unreadable;  ///< manifests that could not be read: their packs are not known
};
[[nodiscard]] Expected<References> references(const std::filesystem::path& set);

/// Opens a pack under an exclusive lock without waiting; Unavailable while its writer lives.
[[nodiscard]] Expected<FileDescriptor> lockPack(const std::filesystem::path& path, int flags);

/// Packs under lock, by name.
using HeldPacks = std::map<std::string, FileDescriptor>;
[[nodiscard]] HeldPacks holdPacks(const std::filesystem::path& set, const std::set<std::string>& packs);
/// Removes those of the held packs that `used` does not have; the bytes freed. Under an exclusive SetLock, with
/// references that were looked up after the packs were held: whoever could still refer to them would hold a lock.
uint64_t removeUnused(const std::filesystem::path& set, const HeldPacks& held, const References& used);

/// Removes those of `packs` that no manifest refers to and no writer holds; the bytes freed. Removes nothing while a
/// manifest of the set is unreadable, since its packs are not known.
[[nodiscard]] Expected<uint64_t> removeUnusedPacks(const std::filesystem::path& set, const std::set<std::string>& packs);

/// Regular files in a directory by extension, sorted; empty if it is missing. Files whose name starts with a dot only
/// where the extension is ".tmp".
[[nodiscard]] std::vector<std::filesystem::path> filesIn(const std::filesystem::path& directory, std::string_view extension);

void syncDirectory(const std::filesystem::path& directory);

inline constexpr uint64_t kMaxManifestBytes = 16u << 20;

}  // namespace mneme::format
