// SPDX-License-Identifier: Apache-2.0
/// An nvcc command line as the stand-in compiler understands it: what to do, and the flags in g++'s and clang's spelling.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "note-compiler/process.h"

namespace mneme::host_toolchain {

using notes::Words;

enum class Step {
  Link,          ///< compile what is a source, link everything (no other step is named)
  Compile,       ///< -c, -dc, -dw: one object a source
  DeviceLink,    ///< -dlink: the object that joins relocatable device code
  Preprocess,    ///< -E
  Dependencies,  ///< -M, -MM
  Ptx,           ///< -ptx
  Version,       ///< --version
  Help,          ///< --help
};

enum class Cudart { Static, Shared, None };

struct NvccCommand {
  Step step = Step::Link;
  Words words;              ///< the whole command, as given
  Words flags;              ///< for both sides of a source: macros, include paths, standard, optimisation, host options
  Words dependencies;       ///< -MD, -MT, -MF and the like
  Words inputs;             ///< sources, objects and libraries, in order
  Words linkFlags;          ///< -L, -l, what -Xlinker passed on
  Words architectures;      ///< "sm_75"; empty if the command names none
  std::string output;       ///< -o; empty if not given
  std::string outputFolder; ///< -odir
  std::string hostCompiler; ///< -ccbin; empty if not given
  Cudart cudart = Cudart::Static;
  bool relocatable = false;  ///< -rdc=true, -dc, -dlink of it
  bool notes = true;         ///< --mneme-no-notes takes them away
  bool verbose = false, dryRun = false;
  bool allAreCuda = false;   ///< -x cu
  bool hip = false;          ///< a command of HIP's compiler
};

/// Refuses what the CPU device can never have (-cubin, -fatbin), naming it; options that only concern a GPU's code are
/// taken and ignored. Response files are expanded.
[[nodiscard]] Expected<NvccCommand> parseNvcc(const Words& words);

}  // namespace mneme::host_toolchain
