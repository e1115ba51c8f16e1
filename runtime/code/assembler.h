// SPDX-License-Identifier: Apache-2.0
/// PTX to cubins, without a GPU: the toolkit's ptxas, else nvJitLink where its library is found.
/// Any number of threads may assemble at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace mneme::code {

struct Assembled {
  std::vector<std::byte> cubin;
  std::string log;   ///< what the assembler said of registers and spills
  std::string tool;  ///< "nvJitLink 13.0", "/usr/local/cuda/bin/ptxas"
};

/// `driverPtx` as in Target: an assembler newer than the driver makes cubins that the driver refuses, and is passed
/// over; 0 takes any. Unavailable if nothing here can assemble; Unsupported, with the assembler's words, if it refuses.
[[nodiscard]] Expected<Assembled> assemble(std::string_view ptx, const std::string& architecture, uint32_t driverPtx = 0);

/// The newest PTX version that the toolkit's ptxas takes, as 10*major+minor. Unavailable if there is none.
[[nodiscard]] Expected<uint32_t> newestPtxOfPtxas();

/// Whether ptxas takes it, asked the quickest way and of relocatable code. Unsupported, with its words, if not.
[[nodiscard]] Expected<void> checkByPtxas(std::string_view ptx, const std::string& architecture);

}  // namespace mneme::code
