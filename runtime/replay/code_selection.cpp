// SPDX-License-Identifier: Apache-2.0
/// Finds the kernel in the recording or in a binary's notes; see code_selection.h.
#include "replay/code_selection.h"

#include <algorithm>

#include "replay/kernel_names.h"
#include "replay/shipped_image.h"

namespace mneme::replay {
namespace {

struct Candidate {
  const code::Note* note;
  std::string kernel;
  NameMatch match;
};

bool fits(CodeKind kind, const std::string& architecture, const CodeRequest& request) {
  return kind != CodeKind::Image || architecture.empty() || request.architecture.empty() ||
         architecture == request.architecture;
}

std::vector<CodeKind> wantedKinds(const CodeRequest& request) {
  return request.as ? std::vector{*request.as} : request.deviceKinds;
}

std::string kindList(const std::vector<CodeKind>& kinds) {
  std::string text;
  for (auto kind : kinds) text += (text.empty() ? "" : ", ") + std::string(name(kind));
  return text.empty() ? "none" : text;
}

Error noUsableKind(const std::string& kernel, std::vector<CodeKind> have, const CodeRequest& request,
                   const std::string& where) {
  std::sort(have.begin(), have.end());
  have.erase(std::unique(have.begin(), have.end()), have.end());
  return {ErrorCode::Unsupported, where + " has kernel " + kernel + " as " + kindList(have) +
                                      ", the replay can take " + kindList(wantedKinds(request))};
}

Expected<Selection> recordedCode(format::Recording& recording, const CodeRequest& request) {
  const auto& manifest = recording.manifest();
  std::vector<CodeKind> have;
  for (const auto& reference : manifest.code) have.push_back(reference.kind);
  for (auto kind : wantedKinds(request))
    for (const auto& reference : manifest.code) {
      if (reference.kind != kind || !fits(kind, reference.architecture, request)) continue;
      auto bytes = recording.code(reference);
      if (!bytes) return std::move(bytes).error();
      Selection found;
      found.code = {{kind, std::move(*bytes), manifest.kernel}, manifest.kernel,        "recorded code",  reference.source,
                    {},                        reference.architecture, reference.command};
      return found;
    }
  return noUsableKind(manifest.demangled, have, request, "the recording");
}

/// The notes that define the kernel, best way of matching only.
std::vector<Candidate> findKernel(const std::vector<code::Note>& notes, const std::string& kernel) {
  std::vector<Candidate> found;
  auto best = NameMatch::None;
  for (const auto& note : notes)
    for (const auto& candidate : note.kernels) {
      auto match = matchNames(kernel, candidate);
      if (match == NameMatch::None || match > best) continue;
      if (match < best) found.clear();
      best = match;
      found.push_back({&note, candidate, match});
    }
  return found;
}

std::string recordedSource(const format::Manifest& manifest) {
  for (const auto& reference : manifest.code)
    if (!reference.source.empty()) return reference.source;
  return {};
}

int likeness(const code::Note& note, const std::string& source) {
  if (source.empty()) return 0;
  return std::max(sourceLikeness(note.source, source),
                  sourceLikeness(std::filesystem::path(note.directory) / note.source, source));
}

/// Keeps the candidates whose source is most like the recorded one.
std::vector<Candidate> closestSources(const std::vector<Candidate>& all, const std::string& source) {
  int best = 0;
  for (const auto& candidate : all) best = std::max(best, likeness(*candidate.note, source));
  std::vector<Candidate> kept;
  for (const auto& candidate : all)
    if (likeness(*candidate.note, source) == best) kept.push_back(candidate);
  return kept;
}

std::vector<Candidate> ofKind(const std::vector<Candidate>& all, CodeKind kind, const CodeRequest& request) {
  std::vector<Candidate> kept;
  for (const auto& candidate : all)
    if (candidate.note->kind == kind && fits(kind, candidate.note->architecture, request)) kept.push_back(candidate);
  return kept;
}

/// The first candidate; refused if two files each have a private kernel of that name and nothing tells which was meant.
Expected<Candidate> decide(const std::vector<Candidate>& left) {
  for (const auto& other : left)
    if (isInternalName(other.kernel) && other.note->source != left.front().note->source)
      return Error(ErrorCode::Unsupported, "both " + left.front().note->source + " and " + other.note->source +
                                               " define " + format::demangle(other.kernel) +
                                               " and the recording does not say which one ran");
  return left.front();
}

Selection gone(const format::Manifest& manifest, const CodeRequest& request) {
  return {Obstacle::KernelGone, "kernel gone: " + manifest.demangled + " is not in " + request.binary->string(), {}};
}

Selection changed(const format::Manifest& manifest, const Candidate& now) {
  return {Obstacle::ParametersChanged,
          "parameters changed: recorded " + manifest.demangled + ", now " + format::demangle(now.kernel), {}};
}

Expected<code::NoteArchive> openArchive(const std::filesystem::path& binary) {
  auto archive = code::NoteArchive::openWithLibraries(binary);
  if (archive && archive->notes().empty())
    return Error(ErrorCode::InvalidArgument, binary.string() + " holds no device code for replay; was it built with "
                                             "mneme_add_recordable_kernel and without -DMNEME_RECORDABLE=OFF?");
  return archive;
}

Expected<Selection> selectFrom(const code::NoteArchive& archive, const std::vector<Candidate>& all,
                               const format::Manifest& manifest, const CodeRequest& request) {
  for (auto kind : wantedKinds(request)) {
    auto left = closestSources(ofKind(all, kind, request), recordedSource(manifest));
    if (left.empty()) continue;
    auto chosen = decide(left);
    if (!chosen) return std::move(chosen).error();
    auto bytes = archive.code(*chosen->note);
    if (!bytes) return std::move(bytes).error();
    const auto& note = *chosen->note;
    std::string command;
    for (const auto& word : note.command) command += (command.empty() ? "" : " ") + word;
    Selection found;
    found.code = {{kind, std::move(*bytes), chosen->kernel}, chosen->kernel, "current build", note.source,
                  note.compiler,             note.architecture, std::move(command)};
    return found;
  }
  std::vector<CodeKind> have;
  for (const auto& candidate : all) have.push_back(candidate.note->kind);
  return noUsableKind(manifest.demangled, have, request, request.binary->string());
}

}  // namespace

Expected<Selection> selectCode(format::Recording& recording, const CodeRequest& request) {
  if (!request.binary) return recordedCode(recording, request);
  if (auto kinds = wantedKinds(request); !kinds.empty() && kinds.front() == CodeKind::Image) {
    auto image = shippedImage(*request.binary, recording.manifest().kernel, request.architecture);
    if (!image) return std::move(image).error();
    if (*image) return Selection{Obstacle::None, {}, std::move(**image)};
  }
  auto archive = openArchive(*request.binary);
  if (!archive) return std::move(archive).error();
  const auto& manifest = recording.manifest();
  auto all = findKernel(archive->notes(), manifest.kernel);
  if (all.empty()) return gone(manifest, request);
  if (all.front().match == NameMatch::OtherParameters) return changed(manifest, all.front());
  return selectFrom(*archive, all, manifest, request);
}

NameMatch matchNames(const std::string& recorded, const std::string& candidate) {
  if (recorded == candidate) return NameMatch::Exact;
  if (normalisedName(recorded) == normalisedName(candidate)) return NameMatch::Normalised;
  auto a = signatureOf(recorded), b = signatureOf(candidate);
  if (a.function != b.function) return NameMatch::None;
  return a.parameters == b.parameters ? NameMatch::Signature : NameMatch::OtherParameters;
}

int sourceLikeness(const std::filesystem::path& a, const std::filesystem::path& b) {
  auto x = a.lexically_normal(), y = b.lexically_normal();
  if (x == y) return 3;
  auto endsWith = [](const std::filesystem::path& whole, const std::filesystem::path& end) {
    auto wholeText = "/" + whole.generic_string(), endText = "/" + end.generic_string();
    return end.is_relative() && wholeText.ends_with(endText);
  };
  if (endsWith(x, y) || endsWith(y, x)) return x.has_parent_path() && y.has_parent_path() ? 2 : 1;
  return x.filename() == y.filename() ? 1 : 0;
}

namespace {
std::string layoutText(const std::vector<ParameterSlot>& slots) {
  std::string text;
  for (const auto& slot : slots)
    text += (text.empty() ? "" : ", ") + std::to_string(slot.size) + " at " + std::to_string(slot.offset);
  return text.empty() ? "nothing" : "bytes " + text;
}
}  // namespace

std::optional<std::string> checkParameters(const format::Manifest& manifest, const std::vector<ParameterSlot>& now) {
  if (now == manifest.parameters) return std::nullopt;
  return "parameters changed: " + manifest.demangled + " was recorded with " + layoutText(manifest.parameters) +
         ", now takes " + layoutText(now);
}

}  // namespace mneme::replay
