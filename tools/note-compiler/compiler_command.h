// SPDX-License-Identifier: Apache-2.0
/// A compiler's command line, taken apart: who runs, which options, what goes in and out. Nothing is interpreted that
/// is not asked for; the words stay as they came.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "process.h"

namespace mneme::notes {

/// One option with its value, or one input file (empty option).
struct Argument {
  std::string option;  ///< "-I", "-std=", "-O2"; empty for an input
  std::string value;   ///< of options that have one; the input's path
  Words words;         ///< as they stood on the command line
};

struct CompilerCommand {
  Words words;                      ///< the whole command, untouched
  Words launcher;                   ///< the user's own launcher, in front of the compiler
  std::string compiler;
  std::vector<Argument> arguments;  ///< response files are expanded

  [[nodiscard]] const Argument* find(const std::string& option) const;
  /// The value of an option's last use, or "".
  [[nodiscard]] std::string value(const std::string& option) const;
  [[nodiscard]] Words inputs() const;
  /// The one .cu or .hip file, or one of `listed`, that this command compiles to an object; empty if it does not.
  [[nodiscard]] std::string deviceSource(const Words& listed) const;
};

/// `compiler`: the path CMake knows; the words before it are the user's launcher.
[[nodiscard]] Expected<CompilerCommand> parseCommand(const Words& words, const std::string& compiler);

/// Words as a shell and GCC's response files quote them.
[[nodiscard]] Words splitQuoted(const std::string& text);

/// True for the extensions that hold device code by their name.
[[nodiscard]] bool isDeviceSource(const std::string& path);

}  // namespace mneme::notes
