// SPDX-License-Identifier: Apache-2.0
/// Every kernel's machine code that a path leads to: a recording, a program with its libraries, a cubin, a code object
/// or a PTX file. PTX is assembled and bitcode compiled here; no device is needed.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/launch.h"
#include "code/kernel_statistics.h"

namespace mneme::cli {

struct CodeRow {
  code::KernelStatistics statistics;
  CodeKind kind = CodeKind::Image;  ///< what the numbers were read from; Ptx, Llvm: made into one here
  std::string origin;               ///< file it was found in
};

struct CodeQuery {
  std::filesystem::path path;
  std::optional<CodeKind> as;   ///< nullopt: of each kernel the image, else PTX, else bitcode
  std::string architecture;     ///< to make code for; empty: what the code says
  /// Of bitcode, only these kernels are made into code. Null: all.
  std::function<bool(const std::string&)> wanted = nullptr;
};

struct CodeRows {
  std::vector<CodeRow> rows;
  std::vector<std::string> remarks;   ///< code that gave no numbers, and why; one sentence each
  std::optional<LaunchShape> shape;   ///< of a recording
  bool noAssembler = false;           ///< some code gave no numbers for want of a tool, not of anything in it
};

[[nodiscard]] Expected<CodeRows> collectCode(const CodeQuery& query);

}  // namespace mneme::cli
