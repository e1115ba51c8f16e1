// SPDX-License-Identifier: Apache-2.0
/// `mneme prune`: removes recordings whose kernel a binary no longer has.
#include <cstdio>
#include <map>
#include <set>

#include "code/notes.h"
#include "command.h"
#include "format/collect.h"
#include "format/recording_set.h"
#include "replay/code_selection.h"
#include "set_text.h"
#include "text.h"

namespace mneme::cli {
namespace {

namespace fs = std::filesystem;

struct PruneOptions {
  std::vector<std::string> binaries, recordings;
  bool dryRun = false;
};

using Kernels = std::set<std::string>;

/// A kernel that only lacks one kind of code is still there.
Expected<Kernels> kernelsOf(const fs::path& binary) {
  auto archive = code::NoteArchive::openWithLibraries(binary);
  if (!archive) return std::move(archive).error();
  Kernels kernels;
  for (const auto& note : archive->notes()) {
    kernels.insert(note.kernels.begin(), note.kernels.end());
    kernels.insert(note.missing.begin(), note.missing.end());
  }
  return kernels;
}

/// What the binaries that were given have, and the libraries that recordings name beside them.
class CodeThatIsThere {
 public:
  /// A binary without any notes proves nothing.
  [[nodiscard]] static Expected<CodeThatIsThere> open(const std::vector<std::string>& binaries) {
    CodeThatIsThere code;
    for (const auto& binary : binaries) {
      auto kernels = kernelsOf(binary);
      if (!kernels) return std::move(kernels).error();
      if (kernels->empty())
        return Error(ErrorCode::InvalidArgument, binary + ": holds no notes of kernels; build it with mneme_add_recordable_kernel() and MNEME_RECORDABLE=ON");
      code.given_.merge(*kernels);
    }
    code.binaries_ = binaries;
    return code;
  }

  [[nodiscard]] bool has(const format::Manifest& manifest) {
    if (given_.contains(manifest.kernel)) return true;
    for (const auto& binary : binaries_)
      for (const auto& library : replay::librariesBeside(binary, manifest)) {
        auto known = libraries_.find(library);
        if (known == libraries_.end()) {
          auto kernels = kernelsOf(library);
          known = libraries_.emplace(library, kernels ? std::move(*kernels) : Kernels{manifest.kernel}).first;
        }
        if (known->second.contains(manifest.kernel)) return true;
      }
    return false;
  }

  /// The library the code was in, if nobody can tell whether the kernel is still there.
  [[nodiscard]] std::string unknownLibrary(const format::Manifest& manifest) const {
    std::string missing;
    for (const auto& binary : binaries_)
      if ((missing = replay::missingLibrary(binary, manifest)).empty()) return {};
    return missing;
  }

 private:
  std::vector<std::string> binaries_;
  Kernels given_;
  std::map<fs::path, Kernels> libraries_;
};

struct Sorted {
  std::vector<fs::path> gone;
  std::map<std::string, size_t> kept;  ///< by the library that nobody gave
};

Expected<Sorted> sortOut(const std::vector<fs::path>& manifests, CodeThatIsThere& code) {
  Sorted sorted;
  for (const auto& path : manifests) {
    auto recording = format::Recording::open(path);
    if (!recording) return std::move(recording).error();
    const auto& manifest = (*recording)->manifest();
    if (code.has(manifest)) continue;
    if (auto library = code.unknownLibrary(manifest); !library.empty()) ++sorted.kept[library];
    else sorted.gone.push_back(path);
  }
  return sorted;
}

int prune(const PruneOptions& options) {
  auto code = CodeThatIsThere::open(options.binaries);
  if (!code) return report(code.error());
  auto manifests = options.recordings.empty() ? format::listManifests("recordings") : manifestsOf(options.recordings, true);
  if (!manifests) return report(manifests.error());
  auto sorted = sortOut(*manifests, *code);
  if (!sorted) return report(sorted.error());
  for (const auto& path : sorted->gone) std::puts(path.c_str());
  for (const auto& [library, count] : sorted->kept)
    std::printf("kept %s of code in %s, which is not there: give it by --code, too\n", counted(count, "recording").c_str(), library.c_str());
  if (options.dryRun) return kPass;
  auto freed = format::removeRecordings(sorted->gone);
  if (!freed) return report(freed.error());
  std::printf("removed %zu of %zu recordings, %s freed\n", sorted->gone.size(), manifests->size(), sizeText(*freed).c_str());
  return kPass;
}

}  // namespace

std::function<int()> setupPrune(CLI::App& app) {
  auto options = std::make_shared<PruneOptions>();
  app.add_option("--code", options->binaries, "the program that the recordings are of, as it is built now; and libraries it loads")
      ->required()
      ->allow_extra_args(false);
  app.add_option("REC|SET", options->recordings, "sets, or single manifests; by default the set recordings");
  app.add_flag("--dry-run", options->dryRun, "only print what would be removed");
  app.footer("Removes nothing if a recording cannot be read or a binary has no notes. Recordings of a library that is neither\ngiven nor where it was beside the program are kept.\nExample:\n  mneme prune --code build/heat recordings");
  return [options] { return prune(*options); };
}

}  // namespace mneme::cli
