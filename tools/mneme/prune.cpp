// SPDX-License-Identifier: Apache-2.0
/// `mneme prune`: removes recordings whose kernel a binary no longer has.
#include <cstdio>
#include <set>

#include "code/notes.h"
#include "command.h"
#include "format/collect.h"
#include "format/recording_set.h"
#include "set_text.h"
#include "text.h"

namespace mneme::cli {
namespace {

namespace fs = std::filesystem;

struct PruneOptions {
  std::string binary;
  std::vector<std::string> recordings;
  bool dryRun = false;
};

/// A kernel that only lacks one kind of code is still there. A binary without any notes proves nothing.
Expected<std::set<std::string>> kernelsOf(const std::string& binary) {
  auto archive = code::NoteArchive::openWithLibraries(binary);
  if (!archive) return std::move(archive).error();
  std::set<std::string> kernels;
  for (const auto& note : archive->notes()) {
    kernels.insert(note.kernels.begin(), note.kernels.end());
    kernels.insert(note.missing.begin(), note.missing.end());
  }
  if (!kernels.empty()) return kernels;
  return Error(ErrorCode::InvalidArgument, binary + ": holds no notes of kernels; build it with mneme_add_recordable_kernel() and MNEME_RECORDABLE=ON");
}

int prune(const PruneOptions& options) {
  auto kernels = kernelsOf(options.binary);
  if (!kernels) return report(kernels.error());
  auto manifests = options.recordings.empty() ? format::listManifests("recordings") : manifestsOf(options.recordings, true);
  if (!manifests) return report(manifests.error());
  std::vector<fs::path> gone;
  for (const auto& path : *manifests) {
    auto recording = format::Recording::open(path);
    if (!recording) return report(recording.error());
    if (!kernels->contains((*recording)->manifest().kernel)) gone.push_back(path);
  }
  for (const auto& path : gone) std::puts(path.c_str());
  if (options.dryRun) return kPass;
  auto freed = format::removeRecordings(gone);
  if (!freed) return report(freed.error());
  std::printf("removed %zu of %zu recordings, %s freed\n", gone.size(), manifests->size(), sizeText(*freed).c_str());
  return kPass;
}

}  // namespace

std::function<int()> setupPrune(CLI::App& app) {
  auto options = std::make_shared<PruneOptions>();
  app.add_option("--code", options->binary, "the program that the recordings are of, as it is built now")->required();
  app.add_option("REC|SET", options->recordings, "sets, or single manifests; by default the set recordings");
  app.add_flag("--dry-run", options->dryRun, "only print what would be removed");
  app.footer("Removes nothing if a recording cannot be read or the binary has no notes.\nExample:\n  mneme prune --code build/heat recordings");
  return [options] { return prune(*options); };
}

}  // namespace mneme::cli
