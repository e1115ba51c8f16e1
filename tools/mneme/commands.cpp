// SPDX-License-Identifier: Apache-2.0
/// The table of sub-commands: the only place that knows them all.
#include "command.h"

#include <array>
#include <cstdio>

namespace mneme::cli {

// One line per command: std::function<int()> setup<Name>(CLI::App&), defined in <name>.cpp.
std::function<int()> setupIr(CLI::App& app);
std::function<int()> setupRecord(CLI::App& app);
std::function<int()> setupReplay(CLI::App& app);
std::function<int()> setupVersion(CLI::App& app);

namespace {
constexpr std::array kCommands{
    Command{"ir", "list or extract the device code that a build left in a binary", setupIr},
    Command{"record", "run a program and record its kernel launches", setupRecord},
    Command{"replay", "run recordings again and verify the answer", setupReplay},
    Command{"version", "print the version and the back-ends of this build", setupVersion},
};
}  // namespace

std::span<const Command> commands() { return kCommands; }

int report(const Error& error) {
  std::fprintf(stderr, "mneme: %s\n", error.message().c_str());
  return exitCodeFor(error.code());
}

}  // namespace mneme::cli
