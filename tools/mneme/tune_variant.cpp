// SPDX-License-Identifier: Apache-2.0
/// See tune_variant.h.
#include "tune_variant.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/file.h"
#include "base/hash.h"
#include "code/notes.h"
#include "code/process.h"
#include "code/temporary_folder.h"
#include "llvm_code.h"

namespace mneme::cli {
namespace {

Error invalid(const std::string& what) { return {ErrorCode::InvalidArgument, what}; }

struct FastMathName {
  std::string_view name;
  uint32_t bit;
};
constexpr std::array kFastMath{FastMathName{"nnan", code::kNoNans},           FastMathName{"ninf", code::kNoInfinities},
                               FastMathName{"nsz", code::kNoSignedZeros},     FastMathName{"arcp", code::kReciprocal},
                               FastMathName{"contract", code::kContract},     FastMathName{"afn", code::kApproximate},
                               FastMathName{"reassoc", code::kReassociate}};

Expected<uint32_t> fastMathOf(const tune::Value& value) {
  uint32_t bits = 0;
  const auto* text = std::get_if<std::string>(&value);
  if (!text) {
    for (const auto& flag : kFastMath) bits |= flag.bit;
    return tune::isTrue(value) ? bits : 0;
  }
  for (size_t at = 0; at < text->size();) {
    const size_t end = std::min(text->find('+', at), text->size());
    const auto word = std::string_view(*text).substr(at, end - at);
    auto flag = std::find_if(kFastMath.begin(), kFastMath.end(), [&](const FastMathName& f) { return f.name == word; });
    if (flag == kFastMath.end() && word != "none") return invalid("fast_math: no flag '" + std::string(word) + "'");
    if (flag != kFastMath.end()) bits |= flag->bit;
    at = end + 1;
  }
  return bits;
}

bool isPointer(uint64_t word, const format::Manifest& manifest) {
  return std::any_of(manifest.regions.begin(), manifest.regions.end(), [&](const format::Region& region) {
    return word >= region.range.address && word - region.range.address <= region.range.size;
  });
}

/// Every argument of 1, 2, 4 or 8 bytes that is no address of recorded memory.
std::vector<code::FoldedArgument> scalarArguments(const format::Manifest& manifest) {
  std::vector<code::FoldedArgument> folded;
  for (uint32_t i = 0; i < manifest.parameters.size(); ++i) {
    const auto& slot = manifest.parameters[i];
    if (slot.size == 0 || slot.size > 8 || slot.offset + uint64_t{slot.size} > manifest.arguments.size()) continue;
    uint64_t word = 0;
    std::memcpy(&word, manifest.arguments.data() + slot.offset, slot.size);
    if (slot.size == 8 && isPointer(word, manifest)) continue;
    const auto* bytes = reinterpret_cast<const std::byte*>(manifest.arguments.data() + slot.offset);
    folded.push_back({i, {bytes, bytes + slot.size}});
  }
  return folded;
}

Expected<void> setNumber(const tune::Candidate& candidate, const char* knob, std::optional<uint32_t>& out) {
  auto found = candidate.knobs.find(knob);
  if (found == candidate.knobs.end()) return {};
  auto whole = tune::integer(found->second);
  if (!whole || *whole < 0 || *whole > 1'000'000) return invalid(std::string(knob) + ": not a number: " + tune::text(found->second));
  if (*whole > 0) out = static_cast<uint32_t>(*whole);
  return {};
}

bool wanted(const tune::Candidate& candidate, const char* knob) {
  auto found = candidate.knobs.find(knob);
  return found != candidate.knobs.end() && tune::isTrue(found->second);
}

/// The command without what it was to write.
std::vector<std::string> withoutOutput(const std::vector<std::string>& command) {
  std::vector<std::string> words;
  for (size_t i = 0; i < command.size(); ++i) {
    if (command[i] == "-o") ++i;
    else words.push_back(command[i]);
  }
  return words;
}

}  // namespace

Expected<code::Specialisation> specialisationOf(const tune::Candidate& candidate, const format::Manifest& manifest) {
  code::Specialisation result;
  std::optional<uint32_t> maxThreads, minBlocks, maxRegisters;
  for (const auto& [knob, place] : {std::pair{"max_threads", &maxThreads}, {"min_blocks", &minBlocks}, {"max_registers", &maxRegisters},
                                    {"unroll", &result.unroll}, {"vector_width", &result.vectorWidth}})
    if (auto done = setNumber(candidate, knob, *place); !done) return done.error();
  result.maxThreads = maxThreads.value_or(0);
  result.minBlocks = minBlocks.value_or(0);
  result.maxRegisters = maxRegisters.value_or(0);
  if (auto pipeline = candidate.knobs.find("pipeline"); pipeline != candidate.knobs.end()) result.pipeline = tune::text(pipeline->second);
  if (auto fast = candidate.knobs.find("fast_math"); fast != candidate.knobs.end()) {
    auto bits = fastMathOf(fast->second);
    if (!bits) return bits.error();
    result.fastMath = *bits;
  }
  if (wanted(candidate, "fold_arguments")) result.arguments = scalarArguments(manifest);
  if (wanted(candidate, "fold_grid")) result.grid = candidate.shape.grid;
  if (wanted(candidate, "fold_block")) result.block = candidate.shape.block;
  return result;
}

Expected<std::vector<std::byte>> VariantMaker::compiled(const std::map<std::string, tune::Value>& macros) const {
  if (binary_.empty()) return invalid("macros need --code: the recording does not say how to compile");
  auto archive = code::NoteArchive::openWithLibraries(binary_);
  if (!archive) return archive.error();
  const auto& notes = archive->notes();
  auto note = std::find_if(notes.begin(), notes.end(), [&](const code::Note& n) {
    return n.kind == CodeKind::Llvm && n.source == base_.source && std::find(n.kernels.begin(), n.kernels.end(), base_.kernel) != n.kernels.end();
  });
  if (note == notes.end() || note->deviceCommand.empty()) return invalid("macros need a noted command for the kernel's bitcode");
  auto folder = code::TemporaryFolder::make();
  if (!folder) return folder.error();
  const auto out = folder->path() / "variant.bc";
  std::vector<std::string> command{"/usr/bin/env", "-C", note->directory};
  for (auto& word : withoutOutput(note->deviceCommand)) command.push_back(std::move(word));
  for (const auto& [name, value] : macros) command.push_back("-D" + name + "=" + tune::text(value));
  command.insert(command.end(), {"-o", out.string()});
  auto run = code::runTool(command);
  if (!run) return run.error();
  if (run->exitCode != 0) return invalid("compiling: " + run->output.substr(0, 2000));
  return readBytes(out, uint64_t{1} << 30);
}

Expected<const std::vector<std::byte>*> VariantMaker::withMacros(const std::map<std::string, tune::Value>& macros) {
  auto known = compiled_.find(macros);
  if (known == compiled_.end()) {
    auto bytes = compiled(macros);
    if (!bytes) return bytes.error();
    known = compiled_.emplace(macros, std::move(*bytes)).first;
  }
  return &known->second;
}

std::string VariantMaker::identify(const std::map<std::string, tune::Value>& macros) {
  const auto* bytes = &base_.code.bytes;
  if (!macros.empty())
    if (auto made = withMacros(macros)) bytes = *made;
  std::string all = toHex(hash128(*bytes));
  for (const auto& other : base_.others) all += toHex(hash128(other));
  return toHex(hash128(all));
}

Expected<replay::SelectedCode> VariantMaker::make(const tune::Candidate& candidate) {
  auto specialisation = specialisationOf(candidate, manifest_);
  if (!specialisation) return specialisation.error();
  auto code = base_;
  if (!candidate.macros.empty()) {
    auto bytes = withMacros(candidate.macros);
    if (!bytes) return bytes.error();
    code.code = {CodeKind::Llvm, **bytes, {}};
  }
  if (takesBitcode_ && !code.others.empty()) {
    if (auto joined = completeCode(code); !joined) return joined.error();
  } else if (!takesBitcode_ && code.code.kind == CodeKind::Llvm) {
    if (auto made = generateSpecialised(manifest_, device_, *specialisation, code); !made) return made.error();
  }
  return code;
}

}  // namespace mneme::cli
