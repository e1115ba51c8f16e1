// SPDX-License-Identifier: Apache-2.0
/// The CUDA driver, loaded at run time and never linked; every function of symbols.def as a member.
/// Used by the back-end and by the recorder. Nothing here initialises the driver.
#pragma once

#include <cuda.h>

#include <string>
#include <type_traits>

#include "base/error.h"

namespace mneme::cuda {

struct Api {
#define MNEME_CUDA_SYMBOL(name, exported) decltype(&::name) name = nullptr;
#define MNEME_CUDA_OPTIONAL(name, ...) std::type_identity_t<__VA_ARGS__> name = nullptr;
#include "backend/cuda/symbols.def"
#undef MNEME_CUDA_SYMBOL
#undef MNEME_CUDA_OPTIONAL

  /// Success, or a Device error that reads "cuMemMap: out of memory (CUDA_ERROR_OUT_OF_MEMORY)", with what to do where
  /// that is known.
  [[nodiscard]] Expected<void> check(CUresult result, const char* call) const;
};

/// The process's driver; Unavailable, with what to do, where there is none or it is too old. Tried once.
[[nodiscard]] const Expected<const Api*>& api();

}  // namespace mneme::cuda
