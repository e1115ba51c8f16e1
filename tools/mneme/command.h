// SPDX-License-Identifier: Apache-2.0
/// One sub-command: a line of the table in commands.cpp and a file of its own.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string>

#include "base/error.h"
#include "exit_code.h"

namespace mneme::cli {

/// Adds its options to `app` and returns what to run once they are parsed; the result is the exit code.
using Setup = std::function<int()> (*)(CLI::App& app);

struct Command {
  const char* name;
  const char* summary;  ///< one line, for `mneme --help`
  Setup setup;
};

/// Every command, in the order of `mneme --help`.
[[nodiscard]] std::span<const Command> commands();

/// Prints "mneme: <message>" to stderr and returns the code's exit code.
int report(const Error& error);

}  // namespace mneme::cli
