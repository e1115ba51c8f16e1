// SPDX-License-Identifier: Apache-2.0
#include "code/ir/kernel_linker.h"

#include <llvm/Linker/IRMover.h>

#include <algorithm>
#include <map>
#include <optional>

#include "code/ir/linkage.h"
#include "code/ir/libdevice.h"
#include "code/ir/llvm_error.h"
#include "code/ir/module_loader.h"
#include "code/ir/runtime_symbols.h"
#include "code/symbol_names.h"

namespace mneme::code {
namespace {

struct Provider {
  size_t source = 0;
  bool strong = false;
};

class KernelLinker {
 public:
  KernelLinker(llvm::LLVMContext& context, std::span<const BitcodeModule> archive)
      : context_(context), archive_(archive.begin(), archive.end()), opened_(archive.size()),
        composite_(std::make_unique<llvm::Module>("mneme", context)), mover_(*composite_) {}

  Expected<LinkedKernel> link(const std::string& kernel);

 private:
  Expected<llvm::Module*> open(size_t source);
  Expected<std::string> findKernel(const std::string& wanted, size_t& source);
  std::optional<std::string> kernelIn(const llvm::Module& module, const std::string& wanted, bool exact);
  Expected<void> indexAll();
  Expected<void> move(size_t source, const std::vector<std::string>& symbols);
  Expected<void> resolveMissing();
  Expected<bool> addLibdevice(const std::vector<std::string>& missing);
  [[nodiscard]] Error missingError(const std::vector<std::string>& missing) const;

  llvm::LLVMContext& context_;
  std::vector<BitcodeModule> archive_;
  std::vector<std::unique_ptr<llvm::Module>> opened_;  // null: not read, or moved into the composite
  std::unique_ptr<llvm::Module> composite_;
  llvm::IRMover mover_;
  std::map<std::string, Provider, std::less<>> index_;
  bool indexed_ = false;
  std::optional<Libdevice> libdevice_;
  std::vector<std::string> remarks_;
};

/// Reading again after a move gives the same names, so what is there already is found.
Expected<llvm::Module*> KernelLinker::open(size_t source) {
  if (opened_[source]) return opened_[source].get();
  auto module = loadModule(context_, archive_[source]);
  if (!module) return std::move(module).error();
  exposeLocals(**module, archive_.size() == 1 ? std::string() : "__mneme" + std::to_string(source));
  opened_[source] = std::move(*module);
  return opened_[source].get();
}

std::optional<std::string> KernelLinker::kernelIn(const llvm::Module& module, const std::string& wanted, bool exact) {
  const std::string wantedSource = exact ? std::string() : sourceName(wanted);
  for (const llvm::Function& function : module) {
    if (!isKernel(function)) continue;
    const std::string name = originalName(function);
    if (exact ? name == wanted : sourceName(name) == wantedSource) return function.getName().str();
  }
  return std::nullopt;
}

Expected<std::string> KernelLinker::findKernel(const std::string& wanted, size_t& source) {
  for (const bool exact : {true, false}) {
    for (source = 0; source < archive_.size(); ++source) {
      auto module = open(source);
      if (!module) return std::move(module).error();
      if (auto name = kernelIn(**module, wanted, exact)) return *name;
    }
  }
  std::string searched;
  for (const BitcodeModule& module : archive_) searched += (searched.empty() ? "" : ", ") + module.origin;
  return Error{ErrorCode::NotFound, "no bitcode for kernel " + wanted + " (searched: " + searched + ")"};
}

Expected<void> KernelLinker::indexAll() {
  if (indexed_) return {};
  indexed_ = true;
  for (size_t source = 0; source < archive_.size(); ++source) {
    auto module = open(source);
    if (!module) return std::move(module).error();
    for (const llvm::GlobalValue& value : (*module)->global_values()) {
      if (value.isDeclaration() || !value.hasName()) continue;
      const bool strong = !value.isInterposable();
      auto [entry, added] = index_.try_emplace(value.getName().str(), Provider{source, strong});
      if (!added && strong && !entry->second.strong) entry->second = {source, strong};
    }
  }
  return {};
}

Expected<void> KernelLinker::move(size_t source, const std::vector<std::string>& symbols) {
  auto module = open(source);
  if (!module) return std::move(module).error();
  std::vector<llvm::GlobalValue*> values;
  for (const std::string& symbol : symbols) values.push_back((*module)->getNamedValue(symbol));
  const auto wanted = [&](const llvm::GlobalValue& value) {
    const auto found = index_.find(value.getName());  // empty index: nothing interposable to look for
    return !value.isInterposable() || found == index_.end() || found->second.source == source;
  };
  llvm::Error failed = mover_.move(
      std::move(opened_[source]), values,
      [&](llvm::GlobalValue& value, const llvm::IRMover::ValueAdder& add) {
        if (wanted(value)) add(value);
      },
      /*IsPerformingImport=*/false);
  if (failed) return fromLlvm(std::move(failed), ErrorCode::CorruptRecording, "linking " + archive_[source].origin);
  return {};
}

Error KernelLinker::missingError(const std::vector<std::string>& missing) const {
  std::string text = "the kernel needs";
  for (const std::string& symbol : missing) text += " " + symbol;
  text += ", which no bitcode defines (searched:";
  for (const BitcodeModule& module : archive_) text += " " + module.origin;
  return {ErrorCode::NotFound, text + ")"};
}

/// True if the archive grew by libdevice.
Expected<bool> KernelLinker::addLibdevice(const std::vector<std::string>& missing) {
  const bool needed = std::any_of(missing.begin(), missing.end(), [](const std::string& s) { return s.starts_with("__nv_"); });
  if (!needed || libdevice_) return false;
  auto found = Libdevice::find();
  if (!found) return std::move(found).error().context("the bitcode calls " + missing.front());
  libdevice_.emplace(std::move(*found));
  archive_.push_back({libdevice_->bytes(), libdevice_->path()});
  opened_.emplace_back();
  indexed_ = false;
  return true;
}

Expected<void> KernelLinker::resolveMissing() {
  for (;;) {
    const std::vector<std::string> missing = missingSymbols(*composite_);
    if (missing.empty()) return {};
    if (auto indexed = indexAll(); !indexed) return indexed;
    std::map<size_t, std::vector<std::string>> bySource;
    std::vector<std::string> nowhere;
    for (const std::string& symbol : missing) {
      const auto found = index_.find(symbol);
      if (found == index_.end()) nowhere.push_back(symbol);
      else bySource[found->second.source].push_back(symbol);
    }
    auto grew = nowhere.empty() ? Expected<bool>(false) : addLibdevice(nowhere);
    if (!grew) return std::move(grew).error();
    if (!nowhere.empty() && !*grew) return missingError(nowhere);
    for (const auto& [source, symbols] : bySource)
      if (auto moved = move(source, symbols); !moved) return moved;
  }
}

bool hasInterposable(const llvm::Module& module) {
  for (const llvm::GlobalValue& value : module.global_values())
    if (!value.isDeclaration() && value.isInterposable()) return true;
  return false;
}

Expected<LinkedKernel> KernelLinker::link(const std::string& kernel) {
  size_t source = 0;
  auto name = findKernel(kernel, source);
  if (!name) return std::move(name).error();
  if (archive_.size() > 1 && hasInterposable(*opened_[source]))
    if (auto indexed = indexAll(); !indexed) return std::move(indexed).error();
  composite_->setTargetTriple(opened_[source]->getTargetTriple());
  composite_->setDataLayout(opened_[source]->getDataLayout());
  if (auto moved = move(source, {*name}); !moved) return std::move(moved).error();
  defineRuntimeStubs(*composite_);
  if (auto resolved = resolveMissing(); !resolved) return std::move(resolved).error();
  defineRuntimeStubs(*composite_);
  llvm::Function* entry = composite_->getFunction(*name);
  settleLinkage(*composite_, *entry);
  if (originalName(*entry) != kernel)
    remarks_.push_back("kernel " + kernel + " is " + entry->getName().str() + " in the bitcode");
  return LinkedKernel{std::move(composite_), entry, std::move(remarks_)};
}

}  // namespace

Expected<LinkedKernel> linkKernel(llvm::LLVMContext& context, std::span<const BitcodeModule> archive,
                                  const std::string& kernel) {
  return KernelLinker(context, archive).link(kernel);
}

}  // namespace mneme::code
