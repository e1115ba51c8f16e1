// SPDX-License-Identifier: Apache-2.0
/// The words that every module shares about a launch: shape, memory kinds, code kinds, arguments.
/// Plain data; no ownership beyond its own containers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <optional>
#include <vector>

namespace mneme {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  [[nodiscard]] uint64_t count() const { return uint64_t{x} * y * z; }
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

/// Grid and block in blocks and threads; memory in bytes.
struct LaunchShape {
  Dim3 grid, block;
  uint64_t dynamicSharedBytes = 0;
  bool cooperative = false;
  Dim3 cluster;  ///< 1,1,1: no clusters
  friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
};

/// How the program owns a range of device-visible memory.
enum class MemoryKind : uint8_t {
  Device = 0,      ///< ordinary device allocation, pitched, stream-ordered, pool, virtual-memory API
  Managed = 1,     ///< one address for host and device, migrating
  Pinned = 2,      ///< host memory allocated by the device API (mapped, portable, write-combined)
  Registered = 3,  ///< the program's own host memory, made visible to the device
  Global = 4,      ///< a mutable device variable of the code
  Constant = 5,    ///< a __constant__ variable of the code
};

/// What the kernel runs as.
enum class CodeKind : uint8_t { Image = 0, Ptx = 1, Llvm = 2 };

[[nodiscard]] std::string_view name(MemoryKind kind);
[[nodiscard]] std::string_view name(CodeKind kind);
[[nodiscard]] std::optional<MemoryKind> memoryKindFromName(std::string_view name);
[[nodiscard]] std::optional<CodeKind> codeKindFromName(std::string_view name);

/// Where one kernel parameter lies in the packed argument bytes.
struct ParameterSlot {
  uint32_t offset = 0;  ///< bytes from the start of the packed arguments
  uint32_t size = 0;    ///< bytes
  friend bool operator==(const ParameterSlot&, const ParameterSlot&) = default;
};

/// One contiguous range of device-visible memory.
struct MemoryRange {
  uint64_t address = 0;
  uint64_t size = 0;  ///< bytes
  MemoryKind kind = MemoryKind::Device;
  std::string name;  ///< of a Global or Constant: the variable's mangled name; otherwise empty or an annotation
  friend bool operator==(const MemoryRange&, const MemoryRange&) = default;
};

}  // namespace mneme
