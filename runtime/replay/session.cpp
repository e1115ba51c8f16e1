// SPDX-License-Identifier: Apache-2.0
/// Restores and runs one recording; comparing is in session_compare.cpp. See session.h.
#include "replay/session.h"

#include <algorithm>

#include "code/symbol_names.h"
#include "replay/parallel.h"

namespace mneme::replay {
namespace {

bool isVariable(MemoryKind kind) { return kind == MemoryKind::Global || kind == MemoryKind::Constant; }

const device::Variable* findVariable(const std::vector<device::Variable>& variables, const std::string& name) {
  for (const auto& variable : variables)
    if (variable.name == name) return &variable;
  for (const auto& variable : variables)
    if (code::normalisedName(variable.name) == code::normalisedName(name)) return &variable;
  return nullptr;
}

/// By name, or by the spelling that another compiler gave it.
Expected<device::Kernel*> findKernel(device::Module& module, const std::string& kernel) {
  auto found = module.findKernel(kernel);
  if (found || found.error().code() != ErrorCode::NotFound) return found;
  for (const auto& candidate : module.kernelNames())
    if (matchNames(kernel, candidate) <= NameMatch::Signature) return module.findKernel(candidate);
  return found;
}

device::FunctionAttributes attributesOf(const format::Manifest& manifest) {
  return {manifest.maxDynamicSharedBytes, manifest.sharedCarveout, manifest.stackLimit, manifest.printfLimit,
          manifest.mallocHeapLimit};
}

/// Nobody typed the code or the launch: what a device finds wrong with them is no wrong usage.
Error deviceError(Error error) {
  return error.code() == ErrorCode::InvalidArgument ? Error(ErrorCode::Device, error.message()) : std::move(error);
}

}  // namespace

ReplaySession::ReplaySession(format::Recording& recording, device::Device& device, const SessionOptions& options)
    : recording_(recording), manifest_(recording.manifest()), device_(device), options_(options), shape_(manifest_.shape), memory_(device) {
  if (options_.threads == 0) options_.threads = coreCount();
  for (const auto& region : manifest_.regions) ranges_.push_back(region.range);
}

Expected<ReplaySession::Opened> ReplaySession::open(format::Recording& recording, device::Device& device,
                                                    const SelectedCode& code, const SessionOptions& options) {
  std::unique_ptr<ReplaySession> session(new ReplaySession(recording, device, options));
  auto actual = session->placeMemory();
  if (!actual) return std::move(actual).error();
  if (auto loaded = session->loadCode(code); !loaded) return std::move(loaded).error();
  if (auto reason = checkParameters(session->manifest_, session->kernel_->parameters()))
    return Opened{nullptr, Obstacle::ParametersChanged, std::move(*reason)};
  if (auto reason = session->placeVariables(*actual))
    return Opened{nullptr, Obstacle::VariableChanged, std::move(*reason)};
  auto addresses = AddressMap::build(session->ranges_, std::move(*actual));
  if (!addresses) return std::move(addresses).error();
  session->addresses_ = std::move(*addresses);
  if (auto restored = session->restoreBefore(); !restored) return std::move(restored).error().context("restoring memory");
  return Opened{std::move(session), Obstacle::None, {}};
}

Expected<Obstacle> ReplaySession::replaceCode(const SelectedCode& code, const LaunchShape& shape, bool memoryIsRight, std::string& reason) {
  if (auto loaded = loadCode(code); !loaded) return std::move(loaded).error();
  shape_ = shape;
  if (auto changed = checkParameters(manifest_, kernel_->parameters())) {
    reason = std::move(*changed);
    return Obstacle::ParametersChanged;
  }
  std::vector<uint64_t> actual;
  for (size_t i = 0; i < ranges_.size(); ++i) actual.push_back(addresses_->actual(i));
  const auto before = actual;
  if (auto changed = placeVariables(actual)) {
    reason = std::move(*changed);
    return Obstacle::VariableChanged;
  }
  // A fresh module's variables have their initial values, wherever they lie.
  const bool variables = std::any_of(ranges_.begin(), ranges_.end(), [](const MemoryRange& range) { return isVariable(range.kind); });
  if (memoryIsRight && !variables && actual == before) {
    auto restored = restoreChanged();
    return restored ? Expected<Obstacle>(Obstacle::None) : std::move(restored).error();
  }
  auto addresses = AddressMap::build(ranges_, std::move(actual));
  if (!addresses) return std::move(addresses).error();
  addresses_ = std::move(*addresses);
  kept_.clear();
  if (auto restored = restoreBefore(); !restored) return std::move(restored).error().context("restoring memory");
  return Obstacle::None;
}

Expected<std::vector<uint64_t>> ReplaySession::placeMemory() {
  std::vector<uint64_t> actual;
  for (const auto& range : ranges_) actual.push_back(range.address);
  auto all = device_.reserve(ranges_);
  if (all || all.error().code() != ErrorCode::Unavailable || !options_.relocate) {
    if (!all) return std::move(all).error();
    return actual;
  }
  for (size_t i = 0; i < ranges_.size(); ++i) {
    if (device_.reserve(std::span(&ranges_[i], 1))) continue;
    auto elsewhere = device_.allocate(ranges_[i].size, ranges_[i].kind);
    if (!elsewhere) return std::move(elsewhere).error().context("placing region " + std::to_string(i));
    actual[i] = *elsewhere;
  }
  return actual;
}

Expected<void> ReplaySession::loadCode(const SelectedCode& code) {
  device::VariablePlacement placement;
  std::copy_if(ranges_.begin(), ranges_.end(), std::back_inserter(placement),
               [](const MemoryRange& range) { return isVariable(range.kind); });
  auto module = device_.load(code.code, placement);
  if (!module) return deviceError(std::move(module).error()).context("loading the " + code.origin);
  module_ = std::move(*module);
  auto kernel = findKernel(*module_, code.kernel);
  if (!kernel) return std::move(kernel).error().context("loading the " + code.origin);
  kernel_ = *kernel;
  return {};
}

bool ReplaySession::uses(const std::string& variable) const {
  auto used = kernel_->usedVariables();
  return !used || std::find(used->begin(), used->end(), variable) != used->end();
}

std::optional<std::string> ReplaySession::placeVariables(std::vector<uint64_t>& actual) const {
  auto variables = module_->variables();
  for (size_t i = 0; i < ranges_.size(); ++i) {
    if (!isVariable(ranges_[i].kind)) continue;
    const auto* variable = findVariable(variables, ranges_[i].name);
    if (!variable) continue;  // this code no longer has it; its memory stays for pointers into it
    const bool resized = variable->size != ranges_[i].size;
    if (resized && !uses(variable->name)) continue;  // as if it were gone: other kernels' matter
    if (resized)
      return "device variable " + format::demangle(ranges_[i].name) + " had " + std::to_string(ranges_[i].size) +
             " bytes when recorded, now has " + std::to_string(variable->size);
    actual[i] = variable->address;
  }
  return std::nullopt;
}

Expected<void> ReplaySession::restoreBefore() {
  bool moved = addresses_->anyMoved();
  auto done = recording_.readBefore(
      options_.threads, [&](size_t region, uint64_t offset, std::span<const std::byte> bytes) -> Expected<void> {
        if (!moved) return memory_.write(addressOf(region, offset), bytes);
        std::vector<std::byte> rewritten(bytes.begin(), bytes.end());
        addresses_->rewriteWords(ranges_[region].address + offset, rewritten);
        return memory_.write(addressOf(region, offset), rewritten);
      });
  if (!done) return done;
  auto recorded = std::as_bytes(std::span(manifest_.arguments));
  arguments_.assign(recorded.begin(), recorded.end());
  addresses_->rewriteArguments(manifest_.parameters, arguments_);
  return options_.keepChanged ? keepChangedChunks() : Expected<void>();
}

std::vector<ReplaySession::Chunk> ReplaySession::changedChunks() const {
  std::vector<Chunk> chunks;
  for (size_t region = 0; region < ranges_.size(); ++region)
    for (uint32_t index : recording_.changedChunks(region)) chunks.push_back({region, index});
  return chunks;
}

uint64_t ReplaySession::chunkSize(const Chunk& chunk) const {
  return std::min(format::kChunkBytes, ranges_[chunk.region].size - chunk.index * format::kChunkBytes);
}

Expected<void> ReplaySession::keepChangedChunks() {
  std::vector<std::byte> scratch;
  for (const auto& chunk : changedChunks()) {
    auto bytes = memory_.view(addressOf(chunk.region, chunk.index * format::kChunkBytes), chunkSize(chunk), scratch);
    if (!bytes) return std::move(bytes).error();
    kept_.insert(kept_.end(), bytes->begin(), bytes->end());
  }
  return {};
}

Expected<void> ReplaySession::restoreChanged() {
  size_t at = 0;
  for (const auto& chunk : changedChunks()) {
    auto size = chunkSize(chunk);
    auto written = memory_.write(addressOf(chunk.region, chunk.index * format::kChunkBytes),
                                 std::span(kept_).subspan(at, size));
    if (!written) return written;
    at += size;
  }
  return {};
}

Expected<void> ReplaySession::readMemory(size_t region, std::span<std::byte> out) {
  return device_.read(addresses_->actual(region), out);
}

Expected<uint64_t> ReplaySession::run(unsigned launches) {
  return device_.timeNanoseconds([&]() -> Expected<void> {
    for (unsigned i = 0; i < launches; ++i)
      if (auto launched = device_.launch(*kernel_, shape_, arguments_, attributesOf(manifest_)); !launched)
        return deviceError(std::move(launched).error());
    return {};
  });
}

}  // namespace mneme::replay
