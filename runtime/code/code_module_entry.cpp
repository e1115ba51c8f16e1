// SPDX-License-Identifier: Apache-2.0
/// The entry points of libmneme-code.so.
#include "code/code_module_abi.h"

extern "C" __attribute__((visibility("default"))) const char* mnemeCodeBuild() { return mneme::code::kBuild; }

extern "C" __attribute__((visibility("default"))) void mnemeCodeGenerate(
    const mneme::code::GenerateInput& input, std::optional<mneme::Expected<mneme::code::GeneratedCode>>& answer) {
  answer.emplace(mneme::code::generate(input));
}

extern "C" __attribute__((visibility("default"))) void mnemeCodeAccept(const mneme::code::BitcodeModule& module,
                                                                       const std::string& architecture,
                                                                       std::optional<mneme::Expected<void>>& answer) {
  answer.emplace(mneme::code::acceptedByAssembler(module, architecture));
}
