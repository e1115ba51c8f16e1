// SPDX-License-Identifier: Apache-2.0
/// printf, assert, trap and the device heap, as kernels see them.
#include "backend/host/engine/imports.h"

#include <chrono>
#include <cstdint>
#include <cstdio>

#include "backend/host/engine/device_heap.h"
#include "backend/host/engine/device_printf.h"
#include "backend/host/engine/faults.h"
#include "backend/host/kernel_abi.h"

namespace mneme::host {
namespace {

int deviceVprintf(const char* format, const void* arguments) {
  int count = 0;
  auto text = formatDevicePrintf(format, arguments, count);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return count;
}

[[noreturn]] void trap(BlockContext* block, uint32_t thread) { raiseFault(Fault::Trap, "the kernel executed a trap instruction", block, thread); }

/// CUDA's own line.
[[noreturn]] void assertionFailed(BlockContext* block, uint32_t thread, const char* message, const char* file, uint32_t line, const char* function) {
  const uint32_t width = block->blockDim[0], height = block->blockDim[1];
  std::fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file ? file : "", line,
               function ? function : "", block->blockIdx[0], block->blockIdx[1], block->blockIdx[2], thread % width,
               thread / width % height, thread / width / height, message ? message : "");
  raiseFault(Fault::Assert, std::string("assertion `") + (message ? message : "") + "` failed", block, thread);
}

uint64_t nanoseconds() {
  using namespace std::chrono;
  return static_cast<uint64_t>(duration_cast<std::chrono::nanoseconds>(system_clock::now().time_since_epoch()).count());
}

ThreadContext* context() {
  static thread_local ThreadContext current;
  return &current;
}

struct Import {
  std::string_view name;
  void* function;
};

const Import kImports[] = {
    {"vprintf", reinterpret_cast<void*>(&deviceVprintf)},
    {"trap", reinterpret_cast<void*>(&trap)},
    {"assertfail", reinterpret_cast<void*>(&assertionFailed)},
    {"malloc", reinterpret_cast<void*>(&heapAllocate)},
    {"free", reinterpret_cast<void*>(&heapFree)},
    {"globaltimer", reinterpret_cast<void*>(&nanoseconds)},
    {"context", reinterpret_cast<void*>(&context)},
};

}  // namespace

void* importedFunction(std::string_view name) {
  for (auto& import : kImports)
    if (import.name == name) return import.function;
  return nullptr;
}

}  // namespace mneme::host
