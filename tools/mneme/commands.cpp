// SPDX-License-Identifier: Apache-2.0
/// The table of sub-commands: the only place that knows them all.
#include "command.h"

#include <array>
#include <cstdio>
#include <sstream>

#include "base/printable.h"

namespace mneme::cli {

// One line per command: std::function<int()> setup<Name>(CLI::App&), defined in <name>.cpp.
std::function<int()> setupBaseline(CLI::App& app);
std::function<int()> setupDoctor(CLI::App& app);
std::function<int()> setupExport(CLI::App& app);
std::function<int()> setupGate(CLI::App& app);
std::function<int()> setupGc(CLI::App& app);
std::function<int()> setupHistory(CLI::App& app);
std::function<int()> setupHostToolchain(CLI::App& app);
std::function<int()> setupImport(CLI::App& app);
std::function<int()> setupIr(CLI::App& app);
std::function<int()> setupLs(CLI::App& app);
std::function<int()> setupPrune(CLI::App& app);
std::function<int()> setupRecord(CLI::App& app);
std::function<int()> setupReplay(CLI::App& app);
std::function<int()> setupReport(CLI::App& app);
std::function<int()> setupResults(CLI::App& app);
std::function<int()> setupRm(CLI::App& app);
std::function<int()> setupShow(CLI::App& app);
std::function<int()> setupTolerance(CLI::App& app);
std::function<int()> setupVerifySet(CLI::App& app);
std::function<int()> setupStats(CLI::App& app);
std::function<int()> setupTune(CLI::App& app);
std::function<int()> setupVersion(CLI::App& app);

namespace {
constexpr std::array kCommands{
    Command{"record", "run a program and record its kernel launches", setupRecord},
    Command{"replay", "run recordings again and verify the answer", setupReplay},
    Command{"gate", "fail where the current build is slower, needs more, or answers differently", setupGate},
    Command{"history", "look back: how kernels' times went from run to run, and where they changed", setupHistory},
    Command{"tune", "search for the fastest configuration of a kernel", setupTune},
    Command{"results", "show what tunings tried: a table, JSON, CSV or T4", setupResults},
    Command{"report", "write a page of what tunings found", setupReport},
    Command{"baseline", "accept the current build's answer as the recorded one", setupBaseline},
    Command{"ls", "list the recordings of a set", setupLs},
    Command{"show", "describe one recording", setupShow},
    Command{"verify-set", "check every hash of a set", setupVerifySet},
    Command{"tolerance", "set or show how far a kernel's answer may be off", setupTolerance},
    Command{"rm", "remove recordings", setupRm},
    Command{"prune", "remove recordings whose kernel a binary no longer has", setupPrune},
    Command{"gc", "give back the space that no recording needs", setupGc},
    Command{"export", "write recordings to one file", setupExport},
    Command{"import", "put an exported file's recordings into a set", setupImport},
    Command{"ir", "list or extract the device code that a build left in a binary", setupIr},
    Command{"host-toolchain", "print the path of the nvcc stand-in that builds CUDA projects for the CPU", setupHostToolchain},
    Command{"doctor", "say what works on this machine, and what to do where it does not", setupDoctor},
    Command{"stats", "show what each kernel needs: registers, spills, memory, occupancy", setupStats},
    Command{"version", "print the version and the back-ends of this build", setupVersion},
};
}  // namespace

std::span<const Command> commands() { return kCommands; }

int report(const Error& error) {
  // A message may have lines (a compiler's output), but none that a file's name or content makes up.
  std::istringstream lines(error.message());
  const char* start = "mneme: ";
  for (std::string line; std::getline(lines, line); start = "") std::fprintf(stderr, "%s%s\n", start, printable(line).c_str());
  return exitCodeFor(error.code());
}

}  // namespace mneme::cli
