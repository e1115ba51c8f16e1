// SPDX-License-Identifier: Apache-2.0
/// The compiler launcher: `mneme-note-compiler [own options] -- COMPILER ARGUMENT…`.
/// Whatever is not a compile of a device source runs untouched, in this process's place.
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "cuda_mode.h"
#include "host_mode.h"
#include "note_step.h"
#include "options.h"

namespace mneme::notes {
namespace {

int fail(const Error& error) {
  std::fprintf(stderr, "mneme-note-compiler: %s\n", error.message().c_str());
  return error.code() == ErrorCode::NotFound ? 127 : 1;
}

/// A failed compile leaves no object: a later build must not take it for a good one.
void removeObject(const CompilerCommand& command) {
  std::error_code ignored;
  if (const std::string object = command.value("-o"); !object.empty() && command.find("-c"))
    std::filesystem::remove(object, ignored);
}

/// Mneme's own nvcc, which adds the notes itself.
bool isStandIn(const std::string& compiler) {
  std::error_code failed;
  return std::filesystem::canonical(compiler, failed).filename() == "mneme-nvcc";
}

int runMain(const Words& words) {
  const auto options = parseOptions(words);
  if (!options) return fail(options.error());
  const auto command = parseCommand(options->command, options->compiler);
  if (!command) return fail(command.error());
  const std::string source = command->deviceSource(options->sources);
  if (isStandIn(command->compiler)) {
    Words asked = options->command;
    if (!source.empty() && !wantsNotes(*options, source)) asked.push_back("--mneme-no-notes");
    return fail(become(asked));
  }
  const bool untouched = options->mode == Mode::Cuda && !wantsNotes(*options, source);
  if (source.empty() || untouched) return fail(become(options->command));
  const auto exitCode = options->mode == Mode::Host ? compileForHost(*options, *command, source)
                                                    : compileForCuda(*options, *command, source);
  if (!exitCode || *exitCode != 0) removeObject(*command);
  return exitCode ? *exitCode : fail(exitCode.error());
}

}  // namespace
}  // namespace mneme::notes

int main(int argc, char** argv) { return mneme::notes::runMain({argv + 1, argv + argc}); }
