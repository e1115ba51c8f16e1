// SPDX-License-Identifier: Apache-2.0
/// A device and a recording in this process's memory, for replays without either. They remember what was asked of them.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "device/device.h"
#include "format/recording_set.h"

namespace mneme::replay::test {

using format::kChunkBytes;

/// Memory by device address, one vector per range.
class FakeMemory {
 public:
  void add(uint64_t address, uint64_t size) { ranges_[address].resize(size, std::byte{0xcc}); }
  [[nodiscard]] bool has(uint64_t address) const { return ranges_.contains(address); }
  std::byte* at(uint64_t address, uint64_t size) {
    auto next = ranges_.upper_bound(address);
    if (next == ranges_.begin()) return nullptr;
    auto& [base, bytes] = *std::prev(next);
    return address + size <= base + bytes.size() ? &bytes[address - base] : nullptr;
  }
  template <typename T>
  T load(uint64_t address) {
    T value;
    std::memcpy(&value, at(address, sizeof value), sizeof value);
    return value;
  }
  template <typename T>
  void store(uint64_t address, T value) {
    std::memcpy(at(address, sizeof value), &value, sizeof value);
  }

 private:
  std::map<uint64_t, std::vector<std::byte>> ranges_;
};

/// What the loaded code does: gets memory and the packed arguments.
using FakeKernelBody = std::function<void(FakeMemory& memory, std::span<const std::byte> arguments)>;

class FakeKernel final : public device::Kernel {
 public:
  FakeKernel(std::string name, std::vector<ParameterSlot> parameters)
      : name_(std::move(name)), parameters_(std::move(parameters)) {}
  const std::string& name() const override { return name_; }
  const std::vector<ParameterSlot>& parameters() const override { return parameters_; }
  std::optional<std::vector<std::string>> usedVariables() const override { return used; }
  std::optional<std::vector<std::string>> used;

 private:
  std::string name_;
  std::vector<ParameterSlot> parameters_;
};

class FakeModule final : public device::Module {
 public:
  FakeModule(FakeKernel kernel, std::vector<device::Variable> variables)
      : kernel_(std::move(kernel)), variables_(std::move(variables)) {}
  std::vector<std::string> kernelNames() const override { return {kernel_.name()}; }
  Expected<device::Kernel*> findKernel(const std::string& name) override {
    if (name == kernel_.name()) return &kernel_;
    return Error(ErrorCode::NotFound, "no kernel " + name);
  }
  std::vector<device::Variable> variables() const override { return variables_; }

 private:
  FakeKernel kernel_;
  std::vector<device::Variable> variables_;
};

class FakeDevice final : public device::Device {
 public:
  device::DeviceInfo description{"fake", "fake model", "fake_1", "1", 0, 32, 1, 1024, 0};
  FakeMemory memory;
  std::set<uint64_t> refused;  ///< addresses that cannot be had
  std::string kernelName = "_Z3addPfi";
  std::vector<ParameterSlot> parameters{{0, 8}, {8, 4}};
  std::vector<device::Variable> variables;
  std::optional<std::vector<std::string>> usedVariables;  ///< by the kernel; nullopt: the device cannot tell
  FakeKernelBody body = [](FakeMemory&, std::span<const std::byte>) {};
  bool showsMemory = true;  ///< hostView works
  std::vector<device::Code> loaded;
  int launches = 0;

  const device::DeviceInfo& info() const override { return description; }
  Expected<void> reserve(std::span<const MemoryRange> ranges) override {
    for (const auto& range : ranges)
      if (refused.contains(range.address)) return Error(ErrorCode::Unavailable, "that address is taken");
    for (const auto& range : ranges) memory.add(range.address, range.size);
    return {};
  }
  Expected<uint64_t> allocate(uint64_t size, MemoryKind) override {
    memory.add(next_, size);
    return std::exchange(next_, next_ + (size / kChunkBytes + 1) * kChunkBytes);
  }
  Expected<void> write(uint64_t address, std::span<const std::byte> bytes) override {
    auto* to = memory.at(address, bytes.size());
    if (!to) return Error(ErrorCode::Device, "write outside memory");
    std::memcpy(to, bytes.data(), bytes.size());
    return {};
  }
  Expected<void> read(uint64_t address, std::span<std::byte> bytes) override {
    auto* from = memory.at(address, bytes.size());
    if (!from) return Error(ErrorCode::Device, "read outside memory");
    std::memcpy(bytes.data(), from, bytes.size());
    return {};
  }
  Expected<void> fill(uint64_t address, std::byte value, uint64_t size) override {
    std::memset(memory.at(address, size), static_cast<int>(value), size);
    return {};
  }
  std::byte* hostView(uint64_t address, uint64_t size) override {
    return showsMemory ? memory.at(address, size) : nullptr;
  }
  Expected<std::unique_ptr<device::Module>> load(const device::Code& code, const device::VariablePlacement&) override {
    loaded.push_back(code);
    for (const auto& variable : variables)
      if (!memory.has(variable.address)) memory.add(variable.address, variable.size);
    FakeKernel kernel(kernelName, parameters);
    kernel.used = usedVariables;
    return std::unique_ptr<device::Module>(new FakeModule(std::move(kernel), variables));
  }
  Expected<void> launch(device::Kernel&, const LaunchShape&, std::span<const std::byte> arguments,
                        const device::FunctionAttributes&) override {
    ++launches;
    body(memory, arguments);
    return {};
  }
  Expected<void> synchronize() override { return {}; }
  Expected<uint64_t> timeNanoseconds(const std::function<Expected<void>()>& work) override {
    auto done = work();
    if (!done) return std::move(done).error();
    return uint64_t{1000} * static_cast<uint64_t>(launches);
  }

 private:
  uint64_t next_ = 0x900000000;
};

/// Memory before and after as whole vectors; the changed chunks follow from them.
class FakeRecording final : public format::Recording {
 public:
  format::Manifest value;
  std::vector<std::vector<std::byte>> before, after;
  std::vector<std::byte> codeBytes{std::byte{1}, std::byte{2}};
  bool knowsHashes = true;
  std::filesystem::path where = "/nowhere/recordings/add.00000000.json";

  FakeRecording() {
    value.kernel = "_Z3addPfi";
    value.demangled = "add(float*, int)";
    value.shortName = "add";
    value.model = "fake model";
    value.parameters = {{0, 8}, {8, 4}};
    value.arguments.resize(12);
    value.code.emplace_back().kind = CodeKind::Llvm;
  }
  size_t addRegion(MemoryRange range, format::ElementType element, std::vector<std::byte> from, std::vector<std::byte> to) {
    format::Region region;
    region.range = std::move(range);
    region.element = element;
    region.changed = from != to;
    value.regions.push_back(region);
    auto& changed = changed_.emplace_back();
    for (uint64_t at = 0; at < from.size(); at += kChunkBytes)
      if (piece(from, at) != piece(to, at)) changed.push_back(static_cast<uint32_t>(at / kChunkBytes));
    before.push_back(std::move(from));
    after.push_back(std::move(to));
    return before.size() - 1;
  }
  void setPointer(size_t offset, uint64_t address) { std::memcpy(&value.arguments[offset], &address, sizeof address); }

  const std::filesystem::path& path() const override { return where; }
  const format::Manifest& manifest() const override { return value; }
  Expected<std::vector<std::byte>> code(const format::CodeReference&) override { return codeBytes; }
  Expected<void> readBefore(unsigned, const ChunkSink& sink) override {
    ++beforeReads;
    for (size_t i = 0; i < before.size(); ++i)
      for (uint64_t at = 0; at < before[i].size(); at += kChunkBytes)
        if (auto sent = sink(i, at, piece(before[i], at)); !sent) return sent;
    return {};
  }
  Expected<void> readAfter(unsigned, const ChunkSink& sink) override {
    for (size_t i = 0; i < after.size(); ++i)
      for (uint32_t index : changed_[i])
        if (auto sent = sink(i, index * kChunkBytes, piece(after[i], index * kChunkBytes)); !sent) return sent;
    return {};
  }
  const std::vector<uint32_t>& changedChunks(size_t region) override { return changed_[region]; }
  std::optional<Hash128> beforeHash(size_t region, uint32_t chunk) const override {
    if (!knowsHashes) return std::nullopt;
    return hash128(std::span<const std::byte>(piece(before[region], chunk * kChunkBytes)));
  }
  int beforeReads = 0;

 private:
  static std::vector<std::byte> piece(const std::vector<std::byte>& bytes, uint64_t at) {
    auto end = std::min<uint64_t>(at + kChunkBytes, bytes.size());
    return {bytes.begin() + static_cast<ptrdiff_t>(at), bytes.begin() + static_cast<ptrdiff_t>(end)};
  }
  std::vector<std::vector<uint32_t>> changed_;
};

template <typename T>
std::vector<std::byte> bytesOf(const std::vector<T>& values) {
  auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

}  // namespace mneme::replay::test
