// SPDX-License-Identifier: Apache-2.0
/// The launch: checked as CUDA checks it, then run to its end.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "backend/host/engine.h"
#include "backend/host/engine/grid.h"

namespace mneme::host {
namespace {

constexpr uint64_t kMaxSharedBytes = 227 << 10;

std::string dimensions(const Dim3& dim) {
  return "(" + std::to_string(dim.x) + "," + std::to_string(dim.y) + "," + std::to_string(dim.z) + ")";
}

/// Why the launch is refused; empty if it is not.
std::string refusal(const KernelDescriptor& kernel, const LaunchShape& shape, size_t argumentBytes) {
  const auto& [grid, block] = std::tie(shape.grid, shape.block);
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535)
    return "the grid " + dimensions(grid) + " is outside 1 to (2147483647,65535,65535)";
  if (block.x == 0 || block.y == 0 || block.z == 0 || block.x > 1024 || block.y > 1024 || block.z > 64 || block.count() > 1024)
    return "the block " + dimensions(block) + " is empty or has more than 1024 threads or (1024,1024,64)";
  if (kernel.maxThreads && block.count() > kernel.maxThreads)
    return "the block " + dimensions(block) + " has more threads than the kernel's launch bound " + std::to_string(kernel.maxThreads);
  if (kernel.staticSharedBytes + shape.dynamicSharedBytes > kMaxSharedBytes || shape.dynamicSharedBytes > kMaxSharedBytes)
    return "the block asks for more than " + std::to_string(kMaxSharedBytes) + " bytes of shared memory";
  if (shape.cooperative && grid.count() > kMostResidentBlocks)
    return "a cooperative launch has at most " + std::to_string(kMostResidentBlocks) + " blocks";
  if (kernel.parameterCount == 0) return {};
  const auto& last = kernel.parameters[kernel.parameterCount - 1];
  if (argumentBytes < last.offset + last.size)
    return "the kernel takes " + std::to_string(last.offset + last.size) + " bytes of arguments, the launch gives " + std::to_string(argumentBytes);
  return {};
}

LaunchResult failed(Fault fault, const CompiledKernel& kernel, const std::string& why) {
  return {fault, "kernel " + kernel.name() + ": " + why};
}

/// The launch's arguments with the alignment that vector loads of compiled code may rely on.
struct AlignedArguments {
  explicit AlignedArguments(std::span<const std::byte> bytes) {
    auto* target = small_;
    if (bytes.size() > sizeof small_) target = large_ = static_cast<unsigned char*>(std::aligned_alloc(128, (bytes.size() + 127) / 128 * 128));
    if (!bytes.empty()) std::memcpy(target, bytes.data(), bytes.size());
    data = target;
  }
  ~AlignedArguments() { std::free(large_); }
  AlignedArguments(const AlignedArguments&) = delete;
  AlignedArguments& operator=(const AlignedArguments&) = delete;
  const unsigned char* data;

 private:
  alignas(128) unsigned char small_[512];
  unsigned char* large_ = nullptr;
};

}  // namespace

LaunchResult run(CompiledKernel& kernel, const LaunchShape& shape, std::span<const std::byte> arguments) {
  static std::atomic<uint64_t> launches{0};
  const auto& descriptor = kernel.descriptor();
  if (auto why = refusal(descriptor, shape, arguments.size()); !why.empty()) return failed(Fault::InvalidLaunch, kernel, why);
  if (shape.cluster.count() != 1) return failed(Fault::Unsupported, kernel, "clusters are not supported on the host device");
  AlignedArguments aligned(arguments);
  Grid grid(descriptor, shape, aligned.data);
  grid.id = launches.fetch_add(1) + 1;
  grid.blocks = shape.grid.count();
  runGrid(grid);
  if (grid.fault.fault != Fault::None) return failed(grid.fault.fault, kernel, grid.fault.message);
  return {};
}

}  // namespace mneme::host
