// SPDX-License-Identifier: Apache-2.0
/// What one nvcc command does: every function returns the exit code of the tool that failed, or 0.
#pragma once

#include "note-compiler/temporary_files.h"
#include "nvcc_command.h"

namespace mneme::host_toolchain {

/// True for a source that gets both sides: by its extension, or all of them under -x cu.
[[nodiscard]] bool isCuda(const NvccCommand& command, const std::string& path);
/// .c, .cc, .cpp, .cxx, .cu, .hip
[[nodiscard]] bool isSource(const std::string& path);

[[nodiscard]] Expected<int> compile(const NvccCommand& command, const std::string& source, const std::string& object);
/// -E, -M, -MM, -ptx: what clang prints or writes for both sides.
[[nodiscard]] Expected<int> inspect(const NvccCommand& command);

/// An object that registers the relocatable device code of `objects`, and of the archives that the command links, as one
/// program; see device_link.cpp.
[[nodiscard]] Expected<int> deviceLink(const NvccCommand& command, const Words& objects, const std::string& object);

/// Compiles what is a source, joins relocatable code, and links by the host compiler.
[[nodiscard]] Expected<int> link(const NvccCommand& command);

/// g++, or what -ccbin names.
[[nodiscard]] std::string hostCompiler(const NvccCommand& command);

/// Runs a command; shows it first where the command line has -v, as nvcc does. With --dryrun it is only shown.
[[nodiscard]] Expected<int> runShown(const NvccCommand& command, const Words& words);

}  // namespace mneme::host_toolchain
