// SPDX-License-Identifier: Apache-2.0
/// The device code of a binary that can be replayed: its notes, and the fat binaries of the file and of the libraries it
/// needs. Code stays packed until its bytes are asked for.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "code/notes.h"

namespace mneme::replay {

struct CodePiece {
  CodeKind kind = CodeKind::Llvm;
  std::string architecture;
  std::vector<std::string> kernels;
  std::string source, directory, compiler, command;  ///< of notes; empty for what a fat binary holds
  std::filesystem::path binary;
  std::function<Expected<std::vector<std::byte>>()> bytes;
  bool relocatable = false;  ///< may use functions and variables of the binary's other relocatable code
  [[nodiscard]] bool noted() const { return !source.empty(); }
};

/// The notes of the binary and of its libraries.
[[nodiscard]] Expected<std::vector<CodePiece>> notedCode(const std::filesystem::path& binary);

/// What fat binaries hold for a device ("" for any): of the first file, in the loader's order, that has a kernel of which
/// `wanted` is true; of all files if none has. A library that cannot be read is passed over, the binary itself is not.
[[nodiscard]] Expected<std::vector<CodePiece>> packedCode(const std::filesystem::path& binary,
                                                          const std::string& architecture,
                                                          const std::function<bool(const std::string&)>& wanted);

}  // namespace mneme::replay
