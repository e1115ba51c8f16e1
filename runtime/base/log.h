// SPDX-License-Identifier: Apache-2.0
/// One line to stderr, prefixed "mneme: ", if MNEME_LOG asks for it (error, warn, info, debug; default warn).
/// Never to stdout: the program's output belongs to the program.
#pragma once

#include <string_view>

namespace mneme {

enum class LogLevel { Error, Warn, Info, Debug };

[[nodiscard]] bool logEnabled(LogLevel level);
void log(LogLevel level, std::string_view message);

/// The same message once per process, whatever how often it is asked for.
void logOnce(LogLevel level, std::string_view message);

}  // namespace mneme
