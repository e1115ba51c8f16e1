// SPDX-License-Identifier: Apache-2.0
/// nvJitLink, loaded at run time. Its few C functions are declared here by hand: no vendor header is needed to build.
#pragma once

#include "code/assembler.h"

namespace mneme::code {

class NvJitLink {
 public:
  /// The one found first, or null; looked for once per process.
  [[nodiscard]] static const NvJitLink* instance();

  [[nodiscard]] unsigned major() const { return major_; }
  [[nodiscard]] Expected<Assembled> assemble(std::string_view ptx, const std::string& architecture) const;

 private:
  using Handle = void*;
  NvJitLink() = default;
  bool load(void* library);
  [[nodiscard]] std::string errors(Handle handle) const;

  unsigned major_ = 0, minor_ = 0;
  int (*create_)(Handle*, uint32_t, const char**) = nullptr;
  int (*destroy_)(Handle*) = nullptr;
  int (*addData_)(Handle, int, const void*, size_t, const char*) = nullptr;
  int (*complete_)(Handle) = nullptr;
  int (*cubinSize_)(Handle, size_t*) = nullptr;
  int (*cubin_)(Handle, void*) = nullptr;
  int (*errorLogSize_)(Handle, size_t*) = nullptr;
  int (*errorLog_)(Handle, char*) = nullptr;
  int (*infoLogSize_)(Handle, size_t*) = nullptr;
  int (*infoLog_)(Handle, char*) = nullptr;
};

}  // namespace mneme::code
