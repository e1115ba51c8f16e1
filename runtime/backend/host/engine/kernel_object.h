// SPDX-License-Identifier: Apache-2.0
/// One loaded shared object of the compiler, with its imports in place. Closing it invalidates its code.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "backend/host/kernel_abi.h"
#include "base/error.h"
#include "base/file.h"

namespace mneme::host {

class KernelObject {
 public:
  /// Compiles if need be, together with `next` (see compiledObject). Each call gives slots of its own, even for the same
  /// module and kernel.
  [[nodiscard]] static Expected<std::unique_ptr<KernelObject>> load(std::span<const std::byte> bitcode, const std::string& kernel,
                                                                    const std::string& next = {});
  ~KernelObject();
  KernelObject(const KernelObject&) = delete;
  KernelObject& operator=(const KernelObject&) = delete;

  [[nodiscard]] const KernelDescriptor& descriptor() const { return *descriptor_; }
  [[nodiscard]] const std::string& file() const { return file_; }  ///< in the cache

 private:
  KernelObject(void* handle, const KernelDescriptor* descriptor, std::string file, bool direct, FileDescriptor copy);
  void* handle_;
  const KernelDescriptor* descriptor_;
  std::string file_;
  bool direct_;  ///< it was opened itself, not a copy
  FileDescriptor copy_;  ///< stays open: the loader tells objects apart by the path of this descriptor
};

}  // namespace mneme::host
