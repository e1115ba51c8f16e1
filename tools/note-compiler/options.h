// SPDX-License-Identifier: Apache-2.0
/// The launcher's own options, before "--". CMake writes them; people see them in build logs.
#pragma once

#include <string>

#include "base/error.h"
#include "process.h"

namespace mneme::notes {

enum class Mode { Host, Cuda };

struct Options {
  Mode mode = Mode::Host;
  bool notes = true;               ///< off: host sources are compiled, but no note is added
  std::string clang = "clang++";
  std::string objcopy = "objcopy";
  std::string compiler;            ///< the compiler of the command, to tell it from a launcher
  bool compilerIsClang = false;
  bool relocatable = false;        ///< device code that other objects may use (mode host)
  std::string unit;                ///< names the object in its private symbols; needed where relocatable
  std::string include;             ///< folder of the CUDA- and HIP-shaped headers (mode host)
  std::string cudaRoot;            ///< the toolkit (mode cuda)
  Words architectures;             ///< of the bitcode; empty: sm_90 for host, the command's newest for cuda
  Words sources;                   ///< device sources with other extensions than .cu and .hip
  Words without;                   ///< device sources that are compiled but get no notes
  Words command;                   ///< what follows "--"
};

[[nodiscard]] Expected<Options> parseOptions(const Words& words);

}  // namespace mneme::notes
