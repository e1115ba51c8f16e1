// SPDX-License-Identifier: Apache-2.0
#include "code/nvjitlink.h"

#include <dlfcn.h>

#include <array>
#include <memory>

#include "code/toolkit.h"

namespace mneme::code {
namespace {

constexpr int kInputPtx = 2;  // NVJITLINK_INPUT_PTX

template <typename Function>
bool loadSymbol(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

void* openLibrary() {
  for (const char* name : {"libnvJitLink.so.13", "libnvJitLink.so.12"})
    if (void* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  for (const auto& folder : toolkitFolders())
    for (const char* below : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"})
      if (void* library = ::dlopen((folder / below / "libnvJitLink.so").c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  return nullptr;
}

template <typename Size, typename Get>
std::string readLog(void* handle, Size size, Get get) {
  size_t bytes = 0;
  if (size(handle, &bytes) != 0 || bytes == 0) return {};
  std::string text(bytes, '\0');
  if (get(handle, text.data()) != 0) return {};
  return text.substr(0, text.find('\0'));
}

}  // namespace

bool NvJitLink::load(void* library) {
  int (*version)(unsigned*, unsigned*) = nullptr;
  return loadSymbol(library, "nvJitLinkCreate", create_) && loadSymbol(library, "nvJitLinkDestroy", destroy_) &&
         loadSymbol(library, "nvJitLinkAddData", addData_) && loadSymbol(library, "nvJitLinkComplete", complete_) &&
         loadSymbol(library, "nvJitLinkGetLinkedCubinSize", cubinSize_) &&
         loadSymbol(library, "nvJitLinkGetLinkedCubin", cubin_) &&
         loadSymbol(library, "nvJitLinkGetErrorLogSize", errorLogSize_) &&
         loadSymbol(library, "nvJitLinkGetErrorLog", errorLog_) &&
         loadSymbol(library, "nvJitLinkGetInfoLogSize", infoLogSize_) &&
         loadSymbol(library, "nvJitLinkGetInfoLog", infoLog_) &&
         loadSymbol(library, "nvJitLinkVersion", version) && version(&major_, &minor_) == 0;
}

const NvJitLink* NvJitLink::instance() {
  static const std::unique_ptr<NvJitLink> found = [] {
    std::unique_ptr<NvJitLink> link(new NvJitLink);
    void* library = openLibrary();
    if (!library || !link->load(library)) link.reset();
    return link;
  }();
  return found.get();
}

std::string NvJitLink::errors(Handle handle) const { return readLog(handle, errorLogSize_, errorLog_); }

Expected<Assembled> NvJitLink::assemble(std::string_view ptx, const std::string& architecture) const {
  const std::string arch = "-arch=" + architecture;
  std::array<const char*, 2> options = {arch.c_str(), "-verbose"};
  Handle raw = nullptr;
  if (create_(&raw, options.size(), options.data()) != 0)
    return Error{ErrorCode::Unsupported, "nvJitLink makes no code for " + architecture};
  const auto destroy = [this](Handle* handle) { destroy_(handle); };
  const std::unique_ptr<Handle, decltype(destroy)> closed(&raw, destroy);
  const std::string text(ptx);  // the library wants the terminating zero counted
  if (addData_(raw, kInputPtx, text.c_str(), text.size() + 1, "kernel.ptx") != 0 || complete_(raw) != 0)
    return Error{ErrorCode::Unsupported, "nvJitLink: " + errors(raw)};
  size_t size = 0;
  if (cubinSize_(raw, &size) != 0) return Error{ErrorCode::Unsupported, "nvJitLink: " + errors(raw)};
  Assembled result;
  result.cubin.resize(size);
  if (cubin_(raw, result.cubin.data()) != 0) return Error{ErrorCode::Unsupported, "nvJitLink: " + errors(raw)};
  result.log = readLog(raw, infoLogSize_, infoLog_);
  result.tool = "nvJitLink " + std::to_string(major_) + "." + std::to_string(minor_);
  return result;
}

}  // namespace mneme::code
