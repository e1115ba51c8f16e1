// SPDX-License-Identifier: Apache-2.0
/// The host device behind the neutral seam.
#include "backend/host/device.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "backend/host/memory.h"

namespace mneme::host {
namespace {

constexpr std::byte kGuardByte{0xa5};
constexpr uint64_t kSharedBytesOptIn = 227 << 10;

#if defined(__x86_64__)
constexpr char kArchitecture[] = "x86-64";
#else
constexpr char kArchitecture[] = "aarch64";
#endif

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

/// A launch that never started is the caller's mistake; one that stopped is the device's answer.
Error errorOf(const LaunchResult& result) {
  switch (result.fault) {
    case Fault::InvalidLaunch: return Error(ErrorCode::InvalidArgument, result.message);
    case Fault::Unsupported: return Error(ErrorCode::Unsupported, result.message);
    default: return Error(ErrorCode::Device, result.message);
  }
}

class HostBackend final : public device::Backend {
 public:
  [[nodiscard]] std::string name() const override { return "host"; }
  [[nodiscard]] Expected<uint32_t> count() override { return 1u; }
  [[nodiscard]] Expected<std::unique_ptr<device::Device>> open(uint32_t ordinal) override {
    if (ordinal != 0) return Error(ErrorCode::NotFound, "there is one host device, number 0");
    return std::unique_ptr<device::Device>(std::make_unique<HostDevice>());
  }
  [[nodiscard]] std::vector<CodeKind> codeKinds() const override { return {CodeKind::Llvm}; }
  [[nodiscard]] Expected<std::string> threadModel(const device::Code& code, const std::string& kernel) override {
    if (code.kind != CodeKind::Llvm) return std::string();
    return host::threadModel(code.bytes, kernel);
  }
};

}  // namespace

device::Backend& deviceBackend() {
  static HostBackend backend;
  return backend;
}

std::optional<std::vector<std::string>> HostKernel::usedVariables() const {
  const auto& descriptor = compiled_.descriptor();
  if (descriptor.callsPointers) return std::nullopt;  // what it calls may use any
  std::vector<std::string> names;
  for (uint32_t i = 0; i < descriptor.variableCount; ++i) names.emplace_back(descriptor.variables[i].name);
  return names;
}

Expected<device::Kernel*> HostModule::findKernel(const std::string& mangledName) {
  for (const auto& known : kernels_)
    if (known->name() == mangledName) return static_cast<device::Kernel*>(known.get());
  auto compiled = loaded_->kernel(mangledName);
  if (!compiled) return compiled.error();
  kernels_.push_back(std::make_unique<HostKernel>(**compiled));
  return static_cast<device::Kernel*>(kernels_.back().get());
}

std::vector<device::Variable> HostModule::variables() const {
  std::vector<device::Variable> all;
  for (const auto& v : loaded_->variables()) all.push_back({v.name, v.address, v.size, v.constant});
  return all;
}

HostDevice::HostDevice() {
  info_.backend = "host";
  info_.model = processorName();
  info_.architecture = kArchitecture;
  info_.memoryBytes = Memory::instance().totalBytes();
  info_.warpSize = kWarpSize;
  info_.multiprocessors = coreCount();
  info_.maxThreadsPerBlock = 1024;
  info_.maxSharedBytesPerBlock = kSharedBytesOptIn;
}

HostDevice::~HostDevice() {
  for (uint64_t base : owned_) (void)Memory::instance().release(base).has_value();
}

Expected<void> HostDevice::reserve(std::span<const MemoryRange> ranges) {
  if (auto done = Memory::instance().reserve({ranges.begin(), ranges.end()}); !done) return done;
  for (const auto& range : ranges) {
    owned_.push_back(range.address);
    guard(range);
  }
  return {};
}

Expected<uint64_t> HostDevice::allocate(uint64_t size, MemoryKind kind) {
  auto address = Memory::instance().allocate(size, 256, kind);
  if (!address) return address;
  owned_.push_back(*address);
  guard({*address, size, kind, {}});
  return address;
}

void HostDevice::guard(const MemoryRange& range) {
  const auto behind = Memory::instance().guardBehind(range.address, range.size);
  if (behind.empty()) return;
  std::fill(behind.begin(), behind.end(), kGuardByte);
  guarded_.push_back(range);
}

/// Says so once: what was found is covered by the pattern again.
Expected<void> HostDevice::checkGuards() {
  for (const auto& range : guarded_) {
    const auto behind = Memory::instance().guardBehind(range.address, range.size);
    const auto first = std::find_if(behind.begin(), behind.end(), [](std::byte b) { return b != kGuardByte; });
    if (first == behind.end()) continue;
    const auto offset = range.size + static_cast<uint64_t>(first - behind.begin());
    std::fill(behind.begin(), behind.end(), kGuardByte);
    const std::string what = range.name.empty() ? "the memory" : range.name;
    return Error(ErrorCode::Device, "the kernel wrote past the end of " + what + " at " + hex(range.address) +
                                        ", which has " + std::to_string(range.size) + " bytes: first at offset " +
                                        std::to_string(offset));
  }
  return {};
}

Expected<std::byte*> HostDevice::view(uint64_t address, uint64_t size) {
  auto range = Memory::instance().resolve(address);
  if (!range || size > range->size - (address - range->address))
    return Error(ErrorCode::InvalidArgument, hex(address) + ": not device memory for " + std::to_string(size) + " bytes");
  return reinterpret_cast<std::byte*>(address);
}

std::byte* HostDevice::hostView(uint64_t address, uint64_t size) {
  auto bytes = view(address, size);
  return bytes ? *bytes : nullptr;
}

Expected<void> HostDevice::write(uint64_t address, std::span<const std::byte> bytes) {
  auto to = view(address, bytes.size());
  if (!to) return to.error();
  std::memcpy(*to, bytes.data(), bytes.size());
  return {};
}

Expected<void> HostDevice::read(uint64_t address, std::span<std::byte> bytes) {
  auto from = view(address, bytes.size());
  if (!from) return from.error();
  std::memcpy(bytes.data(), *from, bytes.size());
  return {};
}

Expected<void> HostDevice::fill(uint64_t address, std::byte value, uint64_t size) {
  auto to = view(address, size);
  if (!to) return to.error();
  std::memset(*to, std::to_integer<int>(value), size);
  return {};
}

Expected<std::unique_ptr<device::Module>> HostDevice::load(const device::Code& code,
                                                           const device::VariablePlacement& placement) {
  if (code.kind != CodeKind::Llvm)
    return Error(ErrorCode::Unsupported, "the host device runs llvm code, not " + std::string(name(code.kind)));
  auto loaded = loadModule(code.bytes, placement, code.firstKernel);
  if (!loaded) return loaded.error();
  return std::unique_ptr<device::Module>(std::make_unique<HostModule>(std::move(*loaded)));
}

Expected<void> HostDevice::launch(device::Kernel& kernel, const LaunchShape& shape, std::span<const std::byte> arguments,
                                  const device::FunctionAttributes&) {
  auto& compiled = static_cast<HostKernel&>(kernel).compiled();
  uint64_t shared = compiled.descriptor().staticSharedBytes + shape.dynamicSharedBytes;
  if (shared > kSharedBytesOptIn || shape.dynamicSharedBytes > kSharedBytesOptIn)
    return Error(ErrorCode::InvalidArgument, "more shared memory than the device has: " + std::to_string(shared));
  LaunchResult result = run(compiled, shape, arguments);
  if (result.fault == Fault::None) return {};
  Error error = errorOf(result);
  if (error.code() != ErrorCode::Device) return error;
  if (!fault_) fault_ = std::move(error);
  return {};
}

Expected<void> HostDevice::synchronize() {
  if (!fault_) return checkGuards();
  Error error = std::move(*fault_);
  fault_.reset();
  return error;
}

Expected<uint64_t> HostDevice::timeNanoseconds(const std::function<Expected<void>()>& work) {
  auto start = std::chrono::steady_clock::now();
  if (auto done = work(); !done) return done.error();
  auto time = std::chrono::steady_clock::now() - start;  // launches have run to their ends
  if (auto done = synchronize(); !done) return done.error();
  return static_cast<uint64_t>(std::chrono::nanoseconds(time).count());
}

}  // namespace mneme::host
