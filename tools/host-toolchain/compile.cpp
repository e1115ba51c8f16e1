// SPDX-License-Identifier: Apache-2.0
/// Device sources go through the note compiler's host path, others to the host compiler.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "base/hash.h"
#include "note-compiler/host_mode.h"
#include "place.h"
#include "steps.h"

namespace mneme::host_toolchain {
namespace {

using notes::append;

namespace fs = std::filesystem;

/// Sources ask for nvcc by these. The version is that of the runtime API the headers declare.
const Words kNvccMacros{"-D__NVCC__=1", "-D__CUDACC_VER_MAJOR__=12", "-D__CUDACC_VER_MINOR__=5",
                        "-D__CUDACC_VER_BUILD__=82"};

/// The platform whose warps have 32 lanes.
const Words kHipMacros{"-D__HIP__=1", "-D__HIPCC__=1", "-D__HIP_PLATFORM_NVIDIA__=1"};

/// `object`: the same for both sides of it, another for every object of a program.
notes::Options optionsFor(const NvccCommand& command, const std::string& object) {
  notes::Options options;
  options.clang = clang();
  options.compiler = hostCompiler(command);
  options.include = ownPlace().include();
  options.notes = command.notes;
  options.architectures = command.architectures;
  options.relocatable = command.relocatable;
  options.unit = toHex(hash128(object));
  return options;
}

/// As g++ would be asked; the note keeps what nvcc was asked.
Expected<notes::CompilerCommand> translated(const NvccCommand& command, const std::string& source, const Words& step) {
  Words words{hostCompiler(command)};
  append(words, command.hip ? kHipMacros : kNvccMacros);
  if (command.relocatable) words.push_back("-D__CUDACC_RDC__=1");
  append(words, command.flags);
  append(words, command.dependencies);
  append(words, step);
  words.push_back(source);
  auto result = notes::parseCommand(words, words.front());
  if (result) result->words = command.words;
  return result;
}

Expected<int> compileCuda(const NvccCommand& command, const std::string& source, const std::string& object) {
  auto asked = translated(command, source, {"-c", "-o", object});
  if (!asked) return asked.error();
  if (command.verbose && command.hip)
    std::fprintf(stderr, " \"%s\" -target-cpu gfx1030 \"%s\" -o \"%s\"\n", clang().c_str(), source.c_str(), object.c_str());
  else if (command.verbose)
    std::fprintf(stderr, "#$ %s -arch compute_%s \"%s\" -o \"%s\"\n", clang().c_str(),
                 command.architectures.empty() ? "75" : command.architectures.front().substr(3).c_str(), source.c_str(),
                 object.c_str());
  return command.dryRun ? 0 : notes::compileForHost(optionsFor(command, object), *asked, source);
}

Expected<int> compileHost(const NvccCommand& command, const std::string& source, const std::string& object) {
  Words words{hostCompiler(command)};
  for (const std::string& flag : command.flags)
    if (!flag.starts_with("-fgpu-")) words.push_back(flag);
  append(words, command.dependencies);
  append(words, {"-I", ownPlace().include(), "-c", source, "-o", object});
  return runShown(command, words);
}

}  // namespace

bool isSource(const std::string& path) {
  static constexpr std::array<std::string_view, 7> kExtensions{".cu", ".hip", ".c", ".cc", ".cpp", ".cxx", ".C"};
  const std::string extension = fs::path(path).extension().string();
  return std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end();
}

bool isCuda(const NvccCommand& command, const std::string& path) {
  const std::string extension = fs::path(path).extension().string();
  return (command.allAreCuda && extension != ".c") || extension == ".cu" || (command.hip && extension == ".hip");
}

Expected<int> compile(const NvccCommand& command, const std::string& source, const std::string& object) {
  return isCuda(command, source) ? compileCuda(command, source, object) : compileHost(command, source, object);
}

/// A compiler cache hashes what -E prints: it must hold what either side sees.
Expected<int> inspect(const NvccCommand& command) {
  if (command.inputs.size() != 1) return Error(ErrorCode::InvalidArgument, "one source file is needed");
  const std::string& source = command.inputs.front();
  Words step;
  if (command.step == Step::Preprocess) step = {"-E"};
  if (!command.output.empty()) append(step, {"-o", command.output});
  auto asked = translated(command, source, step);
  if (!asked) return asked.error();
  return command.step == Step::Ptx ? notes::writePtx(optionsFor(command, source), *asked, source)
                                   : notes::inspectBothSides(optionsFor(command, source), *asked, source);
}

}  // namespace mneme::host_toolchain
