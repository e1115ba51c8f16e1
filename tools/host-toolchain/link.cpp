// SPDX-License-Identifier: Apache-2.0
/// The last step: the host compiler links, with the runtime that nvcc would have added.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "place.h"
#include "steps.h"

namespace mneme::host_toolchain {
namespace {

using notes::append;

namespace fs = std::filesystem;

Words runtimeLibraries(const NvccCommand& command) {
  Words words{"-L" + ownPlace().librariesWithoutSpaces()};
  if (command.cudart == Cudart::Static) append(words, {"-lcudadevrt", "-lcudart_static", "-lrt", "-lpthread", "-ldl"});
  if (command.cudart == Cudart::Shared) append(words, {"-lcudadevrt", "-lcudart", "-Wl,-rpath," + ownPlace().libraries()});
  return words;
}

/// The lines in which CMake looks for the toolkit and its libraries.
void showPlaces() {
  const Place place = ownPlace();
  std::fprintf(stderr, "#$ TOP=%s\n#$ NVVMIR_LIBRARY_DIR=%s/nvvm/libdevice\n#$ PATH=%s/bin:%s\n", place.root.c_str(),
               place.root.c_str(), place.root.c_str(), std::getenv("PATH") ? std::getenv("PATH") : "");
  std::fprintf(stderr, "#$ INCLUDES=\"-I%s\"\n#$ LIBRARIES=  -L%s\n", place.include().c_str(),
               place.librariesWithoutSpaces().c_str());
}

/// Sources become objects in a folder of their own.
Expected<int> compileInputs(const NvccCommand& command, notes::TemporaryFiles& files, Words& objects) {
  for (const std::string& input : command.inputs) {
    if (!isSource(input)) {
      objects.push_back(input);
      continue;
    }
    objects.push_back(files.make("." + std::to_string(objects.size()) + ".o"));
    NvccCommand one = command;
    one.dependencies.clear();
    const auto exitCode = compile(one, input, objects.back());
    if (!exitCode || *exitCode != 0) return exitCode;
  }
  return 0;
}

}  // namespace

std::string hostCompiler(const NvccCommand& command) {
  if (command.hostCompiler.empty()) return "g++";
  std::error_code ignored;
  return fs::is_directory(command.hostCompiler, ignored) ? command.hostCompiler + "/g++" : command.hostCompiler;
}

Expected<int> runShown(const NvccCommand& command, const Words& words) {
  if (command.verbose) std::fprintf(stderr, "#$ %s\n", notes::quoted(words).c_str());
  return command.dryRun ? 0 : notes::run(words);
}

Expected<int> link(const NvccCommand& command) {
  if (command.verbose && !command.hip) showPlaces();
  if (command.inputs.empty() && command.dryRun) return 0;
  if (command.inputs.empty()) return Error(ErrorCode::InvalidArgument, "no input files");
  const std::string output = command.output.empty() ? "a.out" : command.output;
  notes::TemporaryFiles files(output);
  Words objects;
  auto exitCode = compileInputs(command, files, objects);
  if (!exitCode || *exitCode != 0) return exitCode;
  if (command.relocatable) {
    const std::string joined = files.make(".dlink.o");
    exitCode = deviceLink(command, objects, joined);
    if (!exitCode || *exitCode != 0) return exitCode;
    objects.push_back(joined);
  }
  Words words{hostCompiler(command)};
  append(words, objects);
  append(words, {"-o", output});
  append(words, command.linkFlags);
  append(words, runtimeLibraries(command));
  return runShown(command, words);
}

}  // namespace mneme::host_toolchain
