// SPDX-License-Identifier: Apache-2.0
#include "code/kernel_statistics.h"

#include "code/code_object_statistics.h"
#include "code/cubin_statistics.h"
#include "cubin/cubin.h"

namespace mneme::code {

Expected<std::vector<KernelStatistics>> imageStatistics(std::span<const std::byte> image) {
  if (cubin::isCubin(image)) return cubinStatistics(image);
  if (isCodeObject(image)) return codeObjectStatistics(image);
  return Error{ErrorCode::Unsupported, "neither a cubin nor an AMD code object"};
}

}  // namespace mneme::code
