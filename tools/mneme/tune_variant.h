// SPDX-License-Identifier: Apache-2.0
/// The code of a candidate: macros by running the noted device command again, knobs by generating from bitcode.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/error.h"
#include "code/specialisation.h"
#include "device/device.h"
#include "format/manifest.h"
#include "replay/code_selection.h"
#include "tune/candidate.h"

namespace mneme::cli {

/// InvalidArgument (a clause) for a value that a knob cannot have.
[[nodiscard]] Expected<code::Specialisation> specialisationOf(const tune::Candidate& candidate, const format::Manifest& manifest);

/// Makes variants of one selected code; keeps what it compiled as long as it lives.
class VariantMaker {
 public:
  /// `binary`: where notes say how the code was compiled; empty: the recorded code, and no macros.
  VariantMaker(const format::Manifest& manifest, const device::DeviceInfo& device, bool takesBitcode, replay::SelectedCode base,
               std::filesystem::path binary)
      : manifest_(manifest), device_(device), takesBitcode_(takesBitcode), base_(std::move(base)), binary_(std::move(binary)) {}

  /// Hash of the code that candidates with these macros are made from; of the binary's own where they do not compile.
  [[nodiscard]] std::string identify(const std::map<std::string, tune::Value>& macros);
  [[nodiscard]] Expected<replay::SelectedCode> make(const tune::Candidate& candidate);

 private:
  /// Compiles with the same macros once; the code lives as long as this.
  [[nodiscard]] Expected<const std::vector<std::byte>*> withMacros(const std::map<std::string, tune::Value>& macros);
  [[nodiscard]] Expected<std::vector<std::byte>> compiled(const std::map<std::string, tune::Value>& macros) const;

  const format::Manifest& manifest_;
  const device::DeviceInfo& device_;
  bool takesBitcode_;
  replay::SelectedCode base_;
  std::filesystem::path binary_;
  std::map<std::map<std::string, tune::Value>, std::vector<std::byte>> compiled_;
};

}  // namespace mneme::cli
