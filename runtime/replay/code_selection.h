// SPDX-License-Identifier: Apache-2.0
/// Which code a replay runs: what was recorded, or what a binary holds now. A kernel that is gone or takes other
/// parameters is found out here or by checkParameters(), before anything runs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "code/notes.h"
#include "device/device.h"
#include "format/recording_set.h"

namespace mneme::replay {

struct CodeRequest {
  std::optional<std::filesystem::path> binary;  ///< nullopt: the recorded code
  std::optional<CodeKind> as;                   ///< nullopt: the first of deviceKinds there is
  std::vector<CodeKind> deviceKinds;            ///< what the device takes, best first
  std::string architecture;                     ///< of the device: images of another are left out
};

struct SelectedCode {
  device::Code code;
  std::string kernel;    ///< mangled, as this code spells it
  std::string origin;    ///< "recorded code", "current build"
  std::string source, compiler, architecture, command;  ///< empty where unknown
  /// Bitcode of the same binary whose functions and variables relocatable code may need.
  std::vector<std::vector<std::byte>> others = {};
};

/// Why recorded launch and code under test do not fit. Each has its own next command.
enum class Obstacle { None, KernelGone, ParametersChanged, VariableChanged };

struct Selection {
  Obstacle obstacle = Obstacle::None;
  std::string reason;  ///< of an obstacle
  SelectedCode code;
};

/// Unsupported if the kernel is there but in no kind of code that the device takes.
[[nodiscard]] Expected<Selection> selectCode(format::Recording& recording, const CodeRequest& request);

/// The libraries whose code was recorded, as they lie beside `binary` now: at the place relative to its folder that they had
/// to the program's, or in its folder. Those that are not there are left out.
[[nodiscard]] std::vector<std::filesystem::path> librariesBeside(const std::filesystem::path& binary,
                                                                 const format::Manifest& manifest);
/// A library whose code was recorded and that is neither `binary` nor beside it; empty if there is none.
[[nodiscard]] std::string missingLibrary(const std::filesystem::path& binary, const format::Manifest& manifest);

/// The reason if the code expects other parameters than were recorded.
[[nodiscard]] std::optional<std::string> checkParameters(const format::Manifest& manifest,
                                                         const std::vector<ParameterSlot>& now);

/// How much two spellings of a source file speak for the same file: 3 equal, 2 one ends with the other, 1 same file
/// name, 0 not.
[[nodiscard]] int sourceLikeness(const std::filesystem::path& a, const std::filesystem::path& b);

/// How one kernel name answers to another.
enum class NameMatch { Exact, Normalised, Signature, OtherParameters, None };
[[nodiscard]] NameMatch matchNames(const std::string& recorded, const std::string& candidate);

}  // namespace mneme::replay
