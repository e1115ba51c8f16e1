// SPDX-License-Identifier: Apache-2.0
/// The lock is held while bytes are read, never while anything else is called: unloading waits for it.
#include "record/modules.h"

namespace mneme::record {

void Modules::load(ModuleId module, std::span<const ModuleCode> code) {
  std::lock_guard lock(mutex_);
  loaded_[module] = {{code.begin(), code.end()}, nullptr};
}

void Modules::unload(ModuleId module) {
  std::lock_guard lock(mutex_);
  loaded_.erase(module);
}

Hash128 Modules::identity(ModuleId module) {
  std::lock_guard lock(mutex_);
  const auto at = loaded_.find(module);
  if (at == loaded_.end() || at->second.code.empty()) return hash128("module " + std::to_string(module));
  std::string hashes;
  for (const ModuleCode& code : at->second.code) hashes += toHex(hash128(code.bytes));
  return hash128(hashes);
}

std::shared_ptr<KeptCode> Modules::keep(ModuleId module) {
  std::lock_guard lock(mutex_);
  const auto at = loaded_.find(module);
  if (at == loaded_.end() || at->second.code.empty()) return nullptr;
  if (at->second.kept) return at->second.kept;
  auto kept = std::make_shared<KeptCode>();
  for (const ModuleCode& code : at->second.code)
    kept->pieces.push_back({code.kind,
                            {code.bytes.begin(), code.bytes.end()},
                            std::string(code.architecture),
                            std::string(code.source),
                            std::string(code.command),
                            std::string(code.library)});
  return at->second.kept = std::move(kept);
}

}  // namespace mneme::record
