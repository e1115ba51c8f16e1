// SPDX-License-Identifier: Apache-2.0
/// How a processor is named so that equal names mean equal generated code.
#pragma once

#include <string>

namespace mneme::host {

/// As /proc/cpuinfo spells them; empty where it says nothing.
struct ProcessorFacts {
  std::string brand, family, model, part, flags;
};

/// "host x86-64 AMD EPYC (family 25, model 17, instructions 1a2b3c4d)". Code generation schedules by family and model
/// and picks instructions by what the processor, and whoever virtualises it, offers: the last number is a hash of that.
[[nodiscard]] std::string describeProcessor(const std::string& architecture, const ProcessorFacts& facts);

}  // namespace mneme::host
