// SPDX-License-Identifier: Apache-2.0
#include "shipped_code.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string_view>

#include "base/file.h"
#include "code/fatbin.h"
#include "code/symbol_names.h"
#include "cubin/ptx.h"

namespace mneme::notes {
namespace {

/// What picks architectures, outputs and inputs: said anew when the command runs for PTX alone.
bool isReplaced(const Argument& argument) {
  constexpr auto kOptions = std::to_array<std::string_view>({"", "-o", "-x", "-c", "--compile", "-dc", "--device-c", "-dw",
                                                             "--device-w", "-dlto", "--dlink-time-opt", "-t", "--threads",
                                                             "-ewp", "--extensible-whole-program"});
  const std::string& option = argument.option;
  if (std::find(kOptions.begin(), kOptions.end(), option) != kOptions.end()) return true;
  if (option.starts_with("-M") || option.starts_with("--generate-d") || option.starts_with("--dependency")) return true;
  for (const std::string_view part : {"gencode", "generate-code", "arch", "-code"})
    if (option.find(part) != std::string::npos) return true;
  return false;
}

/// Device code for a later device link keeps its linkage in PTX, too.
bool isRelocatable(const CompilerCommand& command) {
  for (const char* option : {"-dc", "--device-c", "-dlto", "--dlink-time-opt"})
    if (command.find(option)) return true;
  return false;
}

/// nvcc once more, to PTX: for objects that hold machine code alone.
Expected<std::vector<std::byte>> ptxByNvcc(const CompilerCommand& command, const std::string& source,
                                           const std::string& architecture, const std::string& output) {
  Words words{command.compiler};
  for (const Argument& argument : command.arguments)
    if (!isReplaced(argument)) append(words, argument.words);
  if (isRelocatable(command)) words.push_back("-rdc=true");
  for (const std::string& word : {std::string("-x"), std::string("cu"), std::string("-ptx"),
                                  "-arch=compute_" + architecture.substr(3), source, std::string("-o"), output})
    words.push_back(word);
  const auto ran = runCaptured(words);
  if (!ran) return ran.error();
  if (ran->exitCode != 0) return Error(ErrorCode::Unavailable, firstError(ran->output));
  return readBytes(output, uint64_t{1} << 30);
}

}  // namespace

ShippedCode readShipped(const std::string& object) {
  ShippedCode shipped;
  const auto binaries = code::FatBinaries::open(object);
  if (!binaries) return shipped;
  const code::FatBinaryEntry* newestPtx = nullptr;
  std::set<std::string> kernels;
  for (const code::FatBinaryEntry& entry : binaries->entries()) {
    kernels.insert(entry.kernels.begin(), entry.kernels.end());
    shipped.relocatable = shipped.relocatable || entry.relocatable;
    const bool ptx = entry.kind == CodeKind::Ptx;
    if (!ptx && code::architectureRank(entry.architecture) > code::architectureRank(shipped.architecture)) shipped.architecture = entry.architecture;
    if (ptx && entry.unreadable.empty() && (!newestPtx || code::architectureRank(entry.architecture) > code::architectureRank(newestPtx->architecture)))
      newestPtx = &entry;
  }
  shipped.kernels.assign(kernels.begin(), kernels.end());
  if (!newestPtx) return shipped;
  auto text = binaries->code(*newestPtx);
  if (!text) return shipped;
  shipped.ptxArchitecture = newestPtx->architecture;
  shipped.ptx = std::move(*text);
  return shipped;
}

Expected<NoteContent> ptxNote(const Options& options, const CompilerCommand& command, const std::string& source,
                              const ShippedCode& shipped, TemporaryFiles& files) {
  NoteContent content{commonNote(command, source), shipped.ptx};
  content.note.architecture = shipped.ptxArchitecture;
  if (shipped.ptxArchitecture.empty()) {
    if (options.compilerIsClang)
      return Error(ErrorCode::Unavailable, "clang put machine code alone into the object (--cuda-include-ptx=all adds it)");
    auto made = ptxByNvcc(command, source, shipped.architecture, files.make(".ptx"));
    if (!made) return std::move(made).error();
    content.code = std::move(*made);
    content.note.architecture = "compute_" + shipped.architecture.substr(3);
  }
  const std::string_view text(reinterpret_cast<const char*>(content.code.data()), content.code.size());
  for (const cubin::Kernel& kernel : cubin::scanPtx(text).kernels) content.note.kernels.push_back(kernel.name);
  content.note.kind = CodeKind::Ptx;
  content.note.compiler = std::filesystem::path(command.compiler).filename().string();
  return content;
}

Words kernelsWithout(const Words& shipped, const Words& known) {
  std::set<std::string> names;
  for (const std::string& kernel : known) names.insert(code::sourceName(kernel));
  Words missing;
  for (const std::string& kernel : shipped)
    if (!names.count(code::sourceName(kernel))) missing.push_back(kernel);
  return missing;
}

std::string readableName(const std::string& kernel) { return code::sourceName(kernel); }

std::string firstError(const std::string& output) {
  const size_t at = output.find("error: ");
  if (at == std::string::npos) return output.substr(0, output.find('\n'));
  const size_t begin = output.rfind('\n', at) + 1;
  return output.substr(begin, output.find('\n', at) - begin);
}

}  // namespace mneme::notes
