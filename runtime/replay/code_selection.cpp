// SPDX-License-Identifier: Apache-2.0
/// Finds the kernel in the recording, in a binary's notes or in its fat binaries; see code_selection.h.
#include "replay/code_selection.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include "code/fatbin.h"
#include "code/symbol_names.h"
#include "replay/binary_code.h"
#include "replay/packed_choice.h"

namespace mneme::replay {
namespace {

struct Candidate {
  const CodePiece* piece;
  std::string kernel;
  NameMatch match;
};

bool fits(CodeKind kind, const std::string& architecture, const CodeRequest& request) {
  return kind == CodeKind::Llvm || architecture.empty() || request.architecture.empty() ||
         architecture == request.architecture || code::runsOn(kind, architecture, request.architecture);
}

std::vector<CodeKind> wantedKinds(const CodeRequest& request) {
  return request.as ? std::vector{*request.as} : request.deviceKinds;
}

std::string listed(const std::set<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? "none" : text;
}

std::string described(CodeKind kind, const std::string& architecture) {
  return std::string(name(kind)) + (architecture.empty() ? "" : " (" + architecture + ")");
}

Error noUsableKind(const std::string& kernel, const std::set<std::string>& have, const CodeRequest& request,
                   const std::string& where) {
  std::set<std::string> wanted;
  for (auto kind : wantedKinds(request)) wanted.insert(std::string(name(kind)));
  return {ErrorCode::Unsupported, where + " has kernel " + kernel + " as " + listed(have) + ", the replay can take " +
                                      listed(wanted) +
                                      (request.architecture.empty() ? "" : " for " + request.architecture)};
}

Expected<Selection> recordedCode(format::Recording& recording, const CodeRequest& request) {
  const auto& manifest = recording.manifest();
  std::set<std::string> have;
  for (const auto& reference : manifest.code) have.insert(described(reference.kind, reference.architecture));
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

bool sameUnit(const CodePiece& a, const CodePiece& b) { return a.source == b.source && a.directory == b.directory; }

/// Notes where another compiler spelled the kernel's name otherwise (static kernels): of translation units that have it in
/// another kind under its best match, or of any where only fat binaries have that.
std::vector<Candidate> otherSpellings(const std::vector<Candidate>& all, const std::vector<Candidate>& best) {
  const bool anyNoted = std::any_of(best.begin(), best.end(), [](const Candidate& one) { return one.piece->noted(); });
  std::vector<Candidate> others;
  for (const auto& other : all) {
    const auto isUnit = [&](const Candidate& one) { return sameUnit(*one.piece, *other.piece); };
    const auto isKind = [&](const Candidate& one) { return one.piece->kind == other.piece->kind; };
    if (other.match == best.front().match || other.match > NameMatch::Signature || !other.piece->noted()) continue;
    if (std::any_of(best.begin(), best.end(), isKind) || (anyNoted && std::none_of(best.begin(), best.end(), isUnit))) continue;
    others.push_back(other);
  }
  return others;
}

/// The pieces that define the kernel: those that match best first.
std::vector<Candidate> findKernel(const std::vector<CodePiece>& pieces, const std::string& kernel) {
  std::vector<Candidate> all, found;
  auto best = NameMatch::None;
  for (const auto& piece : pieces)
    for (const auto& candidate : piece.kernels)
      if (auto match = matchNames(kernel, candidate); match != NameMatch::None) {
        all.push_back({&piece, candidate, match});
        best = std::min(best, match);
      }
  std::copy_if(all.begin(), all.end(), std::back_inserter(found), [&](const Candidate& one) { return one.match == best; });
  if (found.empty()) return found;
  const auto others = otherSpellings(all, found);
  found.insert(found.end(), others.begin(), others.end());
  return found;
}

std::string recordedSource(const format::Manifest& manifest) {
  for (const auto& reference : manifest.code)
    if (!reference.source.empty()) return reference.source;
  return {};
}

int likeness(const CodePiece& piece, const std::string& source) {
  if (source.empty()) return 0;
  return std::max(sourceLikeness(piece.source, source),
                  sourceLikeness(std::filesystem::path(piece.directory) / piece.source, source));
}

/// Keeps the candidates whose source is most like the recorded one.
std::vector<Candidate> closestSources(const std::vector<Candidate>& all, const std::string& source) {
  int best = 0;
  for (const auto& candidate : all) best = std::max(best, likeness(*candidate.piece, source));
  std::vector<Candidate> kept;
  for (const auto& candidate : all)
    if (likeness(*candidate.piece, source) == best) kept.push_back(candidate);
  return kept;
}

/// Of notes before fat binaries, which do not know their source; of these the newest architecture.
std::vector<Candidate> ofKind(const std::vector<Candidate>& all, CodeKind kind, const CodeRequest& request) {
  std::vector<Candidate> noted, packed;
  for (const auto& candidate : all)
    if (candidate.piece->kind == kind && fits(kind, candidate.piece->architecture, request))
      (candidate.piece->noted() ? noted : packed).push_back(candidate);
  if (!noted.empty()) return noted;
  unsigned newest = 0;
  for (const auto& candidate : packed) newest = std::max(newest, code::architectureRank(candidate.piece->architecture));
  std::erase_if(packed, [&](const Candidate& c) { return code::architectureRank(c.piece->architecture) != newest; });
  return packed;
}

/// The first candidate; refused if two files each have a private kernel of that name and nothing tells which was meant.
Expected<Candidate> decideBySource(const std::vector<Candidate>& left) {
  for (const auto& other : left)
    if (code::isInternalName(other.kernel) && other.piece->source != left.front().piece->source)
      return Error(ErrorCode::Unsupported, "both " + left.front().piece->source + " and " + other.piece->source +
                                               " define " + format::demangle(other.kernel) +
                                               " and the recording does not say which one ran");
  return left.front();
}

Error holdsNothing(const std::filesystem::path& binary) {
  return {ErrorCode::InvalidArgument, binary.string() + " holds no device code for replay; was it built with "
                                                        "mneme_add_recordable_kernel and without -DMNEME_RECORDABLE=OFF?"};
}

Selection gone(const format::Manifest& manifest, const CodeRequest& request) {
  const auto missing = missingLibrary(*request.binary, manifest);
  return {Obstacle::KernelGone,
          "kernel gone: " + manifest.demangled + " is not in " + request.binary->string() +
              (missing.empty() ? "" : "; it was in " + missing + ", which is not there"),
          {}};
}

Selection changed(const format::Manifest& manifest, const Candidate& now) {
  return {Obstacle::ParametersChanged,
          "parameters changed: recorded " + manifest.demangled + ", now " + format::demangle(now.kernel), {}};
}

Expected<Candidate> decide(const std::vector<Candidate>& left, format::Recording& recording) {
  if (left.front().piece->noted()) return decideBySource(closestSources(left, recordedSource(recording.manifest())));
  std::vector<PackedKernel> kernels;
  for (const auto& candidate : left) kernels.push_back({candidate.piece, candidate.kernel});
  auto chosen = choosePacked(recording, kernels);
  if (!chosen) return std::move(chosen).error();
  return left[*chosen];
}

/// Relocatable bitcode of the binary that `chosen` may need.
Expected<std::vector<std::vector<std::byte>>> otherCode(const std::vector<CodePiece>& pieces, const CodePiece& chosen) {
  std::vector<std::vector<std::byte>> others;
  if (chosen.kind != CodeKind::Llvm || !chosen.relocatable) return others;
  for (const auto& piece : pieces) {
    const bool goesWith = piece.relocatable && piece.kind == CodeKind::Llvm && piece.architecture == chosen.architecture;
    if (&piece == &chosen || !goesWith) continue;
    auto bytes = piece.bytes();
    if (!bytes) return std::move(bytes).error();
    others.push_back(std::move(*bytes));
  }
  return others;
}

Expected<Selection> selectFrom(const std::vector<CodePiece>& pieces, const std::vector<Candidate>& all,
                               format::Recording& recording, const CodeRequest& request) {
  for (auto kind : wantedKinds(request)) {
    const auto left = ofKind(all, kind, request);
    if (left.empty()) continue;
    auto chosen = decide(left, recording);
    if (!chosen) return std::move(chosen).error();
    const auto& piece = *chosen->piece;
    auto bytes = piece.bytes();
    if (!bytes) return std::move(bytes).error();
    auto others = otherCode(pieces, piece);
    if (!others) return std::move(others).error();
    Selection found;
    found.code = {{kind, std::move(*bytes), chosen->kernel}, chosen->kernel, "current build", piece.source,
                  piece.compiler,            piece.architecture, piece.command,   std::move(*others)};
    return found;
  }
  std::set<std::string> have;
  for (const auto& candidate : all) have.insert(described(candidate.piece->kind, candidate.piece->architecture));
  return noUsableKind(recording.manifest().demangled, have, request, request.binary->string());
}

bool takesPacked(const CodeRequest& request) {
  return std::ranges::any_of(wantedKinds(request), [](CodeKind kind) { return kind != CodeKind::Llvm; });
}

/// Everything that may define the kernel. Code for other devices is listed only to say that it is there.
Expected<std::vector<CodePiece>> codeOf(const format::Manifest& manifest, const CodeRequest& request) {
  const std::string& kernel = manifest.kernel;
  auto pieces = notedCode(*request.binary);
  for (const auto& library : librariesBeside(*request.binary, manifest))
    if (auto noted = notedCode(library); pieces && noted) std::ranges::move(*noted, std::back_inserter(*pieces));
  if (!pieces || !takesPacked(request)) return pieces;
  const auto wanted = [&](const std::string& candidate) { return matchNames(kernel, candidate) <= NameMatch::Signature; };
  for (const std::string& architecture : {request.architecture, std::string()}) {
    auto packed = packedCode(*request.binary, architecture, wanted);
    if (!packed) return packed;
    std::ranges::move(*packed, std::back_inserter(*pieces));
    if (!findKernel(*pieces, kernel).empty()) break;
  }
  return pieces;
}

}  // namespace

Expected<Selection> selectCode(format::Recording& recording, const CodeRequest& request) {
  if (!request.binary) return recordedCode(recording, request);
  const auto& manifest = recording.manifest();
  auto pieces = codeOf(manifest, request);
  if (!pieces) return std::move(pieces).error();
  auto all = findKernel(*pieces, manifest.kernel);
  if (pieces->empty()) return holdsNothing(*request.binary);
  if (all.empty()) return gone(manifest, request);
  if (all.front().match == NameMatch::OtherParameters) return changed(manifest, all.front());
  return selectFrom(*pieces, all, recording, request);
}

namespace {
std::filesystem::path besideOf(const std::filesystem::path& binary, const std::string& library) {
  std::error_code failed;
  const auto folder = std::filesystem::absolute(binary, failed).parent_path();
  for (const auto& path : {folder / library, folder / std::filesystem::path(library).filename()})
    if (std::filesystem::is_regular_file(path, failed)) return path.lexically_normal();
  return {};
}
}  // namespace

std::vector<std::filesystem::path> librariesBeside(const std::filesystem::path& binary, const format::Manifest& manifest) {
  std::vector<std::filesystem::path> found;
  for (const auto& code : manifest.code)
    if (!code.library.empty())
      if (auto path = besideOf(binary, code.library); !path.empty()) found.push_back(std::move(path));
  return found;
}

std::string missingLibrary(const std::filesystem::path& binary, const format::Manifest& manifest) {
  for (const auto& code : manifest.code)
    if (!code.library.empty() && besideOf(binary, code.library).empty()) return code.library;
  return {};
}

NameMatch matchNames(const std::string& recorded, const std::string& candidate) {
  if (recorded == candidate) return NameMatch::Exact;
  if (code::normalisedName(recorded) == code::normalisedName(candidate)) return NameMatch::Normalised;
  auto a = code::signatureOf(recorded), b = code::signatureOf(candidate);
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
