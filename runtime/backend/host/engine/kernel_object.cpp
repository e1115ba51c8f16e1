// SPDX-License-Identifier: Apache-2.0
/// Loading, and the register of where kernel code lies. The same file opened twice would share its slots, so a second
/// module gets a copy in memory.
#include "backend/host/engine/kernel_object.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <system_error>
#include <vector>

#include "backend/host/engine.h"
#include "backend/host/engine/device_heap.h"
#include "backend/host/engine/imports.h"
#include "backend/host/engine/object_cache.h"
#include "base/file.h"

namespace mneme::host {
namespace {

struct Range {
  uint64_t begin, end;
  bool code;
};

struct Register {
  std::mutex mutex;
  std::set<std::string> open;              ///< paths opened directly
  std::map<void*, std::vector<Range>> code;  ///< by handle
};

Register& loaded() {
  static auto* instance = new Register;
  return *instance;
}

std::vector<Range> rangesOf(void* handle) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return {};
  struct Search {
    ElfW(Addr) base;
    const ElfW(Dyn)* dynamic;
    std::vector<Range> ranges;
  } search{map->l_addr, map->l_ld, {}};
  dl_iterate_phdr([](dl_phdr_info* info, size_t, void* data) {
    auto& wanted = *static_cast<Search*>(data);
    if (info->dlpi_addr != wanted.base) return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto& header = info->dlpi_phdr[i];
      if (header.p_type != PT_LOAD) continue;
      uint64_t begin = info->dlpi_addr + header.p_vaddr;
      wanted.ranges.push_back({begin, begin + header.p_memsz, (header.p_flags & PF_X) != 0});
    }
    return 1;
  }, &search);
  return search.ranges;
}

/// The file's bytes under a path that no one else has.
Expected<void*> openCopy(const std::string& path, FileDescriptor& kept) {
  auto bytes = readBytes(path, 1u << 30);
  if (!bytes) return std::move(bytes).error();
  FileDescriptor file(::memfd_create("mneme-kernel", MFD_CLOEXEC));
  if (!file) return ioError("copying", path, errno);
  if (auto written = writeAll(file.get(), *bytes, path); !written) return std::move(written).error();
  kept = std::move(file);
  return dlopen(("/proc/self/fd/" + std::to_string(kept.get())).c_str(), RTLD_NOW | RTLD_LOCAL);
}

/// Kernels call libm; it is made visible to them whatever the program itself links.
void exposeLibm() {
  static void* handle = dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL);
  (void)handle;
}

Expected<void*> openObject(const std::string& path, bool& direct, FileDescriptor& kept) {
  exposeLibm();
  auto& all = loaded();
  {
    std::lock_guard lock(all.mutex);
    direct = all.open.insert(path).second;
  }
  if (!direct) {
    auto copy = openCopy(path, kept);
    if (!copy || *copy) return copy;
  } else if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    return handle;
  }
  const char* reason = dlerror();
  if (direct) {
    std::lock_guard lock(all.mutex);
    all.open.erase(path);
  }
  return Error(ErrorCode::Io, std::string("loading compiled code: ") + (reason ? reason : path.c_str()));
}

Expected<void> bindImports(const KernelDescriptor& descriptor) {
  for (uint32_t i = 0; i < descriptor.importCount; ++i) {
    auto& import = descriptor.imports[i];
    *import.slot = importedFunction(import.name);
    if (!*import.slot) return Error(ErrorCode::Unsupported, std::string("the engine has no function ") + import.name);
  }
  return {};
}

}  // namespace

KernelObject::KernelObject(void* handle, const KernelDescriptor* descriptor, std::string file, bool direct,
                           FileDescriptor copy)
    : handle_(handle), descriptor_(descriptor), file_(std::move(file)), direct_(direct), copy_(std::move(copy)) {
  auto ranges = rangesOf(handle);
  std::lock_guard lock(loaded().mutex);
  loaded().code[handle] = std::move(ranges);
}

KernelObject::~KernelObject() {
  {
    std::lock_guard lock(loaded().mutex);
    loaded().code.erase(handle_);
    if (direct_) loaded().open.erase(file_);
  }
  dlclose(handle_);
}

Expected<std::unique_ptr<KernelObject>> KernelObject::load(std::span<const std::byte> bitcode, const std::string& kernel,
                                                             const std::string& next) {
  auto path = compiledObject(bitcode, kernel, next);
  if (!path) return std::move(path).error();
  bool direct = false;
  FileDescriptor copy;
  auto handle = openObject(path->string(), direct, copy);
  if (!handle) {  // a damaged file in the cache: once more from the start
    std::error_code ignored;
    std::filesystem::remove(*path, ignored);
    path = compiledObject(bitcode, kernel);
    if (!path) return std::move(path).error();
    handle = openObject(path->string(), direct, copy);
    if (!handle) return std::move(handle).error();
  }
  auto* descriptor = static_cast<const KernelDescriptor*>(dlsym(*handle, "mneme_kernel"));
  std::unique_ptr<KernelObject> object(new KernelObject(*handle, descriptor, path->string(), direct, std::move(copy)));
  if (!descriptor || descriptor->abiVersion != kKernelAbiVersion)
    return Error(ErrorCode::Io, "compiled code of another version of Mneme: " + path->string());
  if (auto bound = bindImports(*descriptor); !bound) return std::move(bound).error();
  return object;
}

bool isCodeAddress(uint64_t address) {
  std::lock_guard lock(loaded().mutex);
  for (auto& [handle, ranges] : loaded().code)
    for (auto& range : ranges)
      if (address >= range.begin && address < range.end) return true;
  return false;
}

std::vector<MemoryRange> codePlaces() {
  std::vector<MemoryRange> places;
  {
    std::lock_guard lock(loaded().mutex);
    for (auto& [handle, ranges] : loaded().code)
      for (auto& range : ranges)
        places.push_back({range.begin, range.end - range.begin, MemoryKind::Device,
                          range.code ? "device code (a function pointer)"
                                     : "a constant of the device code (a string literal or a virtual table)"});
  }
  if (auto heap = heapRange()) places.push_back(std::move(*heap));
  return places;
}

}  // namespace mneme::host
