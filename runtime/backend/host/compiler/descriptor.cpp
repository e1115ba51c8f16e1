// SPDX-License-Identifier: Apache-2.0
/// The exported description of the compiled kernel, as constants laid out like the structures in kernel_abi.h.
#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <cstddef>
#include <map>

#include "backend/host/compiler/compiler.h"
#include "backend/host/compiler/points.h"

namespace mneme::host::compiler {
namespace {

class Tables {
 public:
  explicit Tables(llvm::Module& module) : module_(module), context_(module.getContext()) {}

  llvm::Constant* number32(uint64_t value) { return llvm::ConstantInt::get(llvm::Type::getInt32Ty(context_), value); }
  llvm::Constant* number64(uint64_t value) { return llvm::ConstantInt::get(llvm::Type::getInt64Ty(context_), value); }
  llvm::Constant* none() { return llvm::ConstantPointerNull::get(llvm::PointerType::get(context_, 0)); }
  llvm::Constant* text(const std::string& value) {
    return keep(llvm::ConstantDataArray::getString(context_, value), "mneme.text");
  }
  llvm::Constant* structure(llvm::ArrayRef<llvm::Constant*> members) { return llvm::ConstantStruct::getAnon(members); }
  llvm::Constant* array(const std::vector<llvm::Constant*>& elements) {
    if (elements.empty()) return none();
    auto* type = llvm::ArrayType::get(elements.front()->getType(), elements.size());
    return keep(llvm::ConstantArray::get(type, elements), "mneme.table");
  }
  llvm::GlobalVariable* keep(llvm::Constant* value, const std::string& name) {
    return new llvm::GlobalVariable(module_, value->getType(), true, llvm::GlobalValue::InternalLinkage, value, name);
  }

 private:
  llvm::Module& module_;
  llvm::LLVMContext& context_;
};

struct Link {
  uint64_t offset;
  uint32_t target;
  int64_t addend;
};

/// Splits an initialiser into bytes (which stay) and addresses of variables (which the loader writes).
class Initialiser {
 public:
  Initialiser(const Unit& unit, const std::map<llvm::GlobalVariable*, uint32_t>& index) : unit_(unit), index_(index) {}

  llvm::Constant* strip(llvm::Constant* constant, uint64_t offset) {
    if (auto* link = variableOf(constant, offset)) return link;
    if (auto* aggregate = llvm::dyn_cast<llvm::ConstantAggregate>(constant)) return stripParts(*aggregate, offset);
    return constant;
  }
  const std::vector<Link>& links() const { return links_; }
  bool failed() const { return failed_; }

 private:
  llvm::Constant* stripParts(llvm::ConstantAggregate& aggregate, uint64_t offset) {
    const auto& layout = unit_.module.getDataLayout();
    std::vector<llvm::Constant*> parts;
    for (unsigned i = 0; i < aggregate.getNumOperands(); ++i) {
      uint64_t inner = 0;
      if (auto* type = llvm::dyn_cast<llvm::StructType>(aggregate.getType()))
        inner = layout.getStructLayout(type)->getElementOffset(i);
      else
        inner = i * layout.getTypeAllocSize(aggregate.getOperand(i)->getType()).getFixedValue();
      parts.push_back(strip(aggregate.getOperand(i), offset + inner));
    }
    if (auto* type = llvm::dyn_cast<llvm::StructType>(aggregate.getType())) return llvm::ConstantStruct::get(type, parts);
    if (auto* type = llvm::dyn_cast<llvm::ArrayType>(aggregate.getType())) return llvm::ConstantArray::get(type, parts);
    return llvm::ConstantVector::get(parts);
  }

  llvm::Constant* variableOf(llvm::Constant* constant, uint64_t offset) {
    auto* stripped = constant;
    while (auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(stripped)) {
      if (!expression->isCast()) break;
      stripped = expression->getOperand(0);
    }
    if (!stripped->getType()->isPointerTy()) return nullptr;
    const auto& layout = unit_.module.getDataLayout();
    llvm::APInt addend(layout.getIndexTypeSizeInBits(stripped->getType()), 0);
    auto* base = stripped->stripAndAccumulateConstantOffsets(layout, addend, true);
    auto* global = llvm::dyn_cast<llvm::GlobalVariable>(base);
    auto found = global ? index_.find(global) : index_.end();
    if (found == index_.end()) return nullptr;
    if (layout.getTypeAllocSize(constant->getType()) != 8) failed_ = true;
    links_.push_back({offset, found->second, addend.getSExtValue()});
    return llvm::Constant::getNullValue(constant->getType());
  }

  const Unit& unit_;
  const std::map<llvm::GlobalVariable*, uint32_t>& index_;
  std::vector<Link> links_;
  bool failed_ = false;
};

Expected<llvm::Constant*> variableTable(Unit& unit, Tables& tables) {
  const auto& layout = unit.module.getDataLayout();
  std::map<llvm::GlobalVariable*, uint32_t> index;
  for (auto& variable : unit.variables) index.emplace(variable.global, index.size());
  std::vector<llvm::Constant*> entries;
  for (auto& variable : unit.variables) {
    Initialiser split(unit, index);
    auto* initial = split.strip(variable.global->getInitializer(), 0);
    if (split.failed()) return unsupported(unit, "the initialiser of the device variable " + variable.name);
    std::vector<llvm::Constant*> links;
    for (auto& link : split.links())
      links.push_back(tables.structure({tables.number64(link.offset), tables.number32(link.target), tables.number32(0),
                                        tables.number64(link.addend)}));
    auto alignment = std::max(variable.global->getAlign().valueOrOne(), layout.getABITypeAlign(variable.global->getValueType()));
    const bool zero = initial->isNullValue() || llvm::isa<llvm::UndefValue>(initial);
    entries.push_back(tables.structure(
        {tables.text(variable.name), variable.slot,
         tables.number64(layout.getTypeAllocSize(variable.global->getValueType())), tables.number64(alignment.value()),
         zero ? tables.none() : tables.keep(initial, "mneme.initial"), tables.number32(variable.constant),
         tables.number32(links.size()), tables.array(links)}));
  }
  return tables.array(entries);
}

llvm::Constant* parameterTable(const Unit& unit, Tables& tables) {
  std::vector<llvm::Constant*> entries;
  for (auto& parameter : unit.parameters)
    entries.push_back(tables.structure({tables.number32(parameter.offset), tables.number32(parameter.size),
                                        tables.number32(parameter.alignment), tables.number32(parameter.byValue)}));
  return tables.array(entries);
}

llvm::Constant* segmentTable(const Unit& unit, Tables& tables) {
  std::vector<llvm::Constant*> entries;
  for (size_t i = 0; i < unit.segments.size(); ++i) {
    auto kind = i == 0 ? PointKind::Entry : unit.points[i - 1].kind;
    entries.push_back(tables.structure({unit.segments[i], tables.number32(static_cast<uint32_t>(kind))}));
  }
  return tables.array(entries);
}

llvm::Constant* importTable(const Unit& unit, Tables& tables) {
  std::vector<llvm::Constant*> entries;
  for (auto& import : unit.imports) entries.push_back(tables.structure({tables.text(import.name), import.slot}));
  return tables.array(entries);
}

llvm::Constant* nameTable(const Unit& unit, Tables& tables) {
  std::vector<llvm::Constant*> entries;
  for (auto& name : unit.kernelNames) entries.push_back(tables.text(name));
  return tables.array(entries);
}

/// Slots of variables that the kernel does not mention are left out of a kernel's object.
void dropUnusedVariables(Unit& unit) {
  if (unit.kernelName.empty()) return;
  std::erase_if(unit.variables, [](Variable& variable) { return variable.slot->use_empty(); });
}

/// The variables as the source has them are gone from the object: slots and tables stand for them.
void dropOriginals(Unit& unit) {
  std::vector<llvm::GlobalVariable*> originals;
  for (auto& global : unit.module.globals())
    if (global.isExternallyInitialized()) originals.push_back(&global);
  for (auto* global : originals) global->setInitializer(nullptr);
  for (auto* global : originals) {
    global->removeDeadConstantUsers();
    if (global->use_empty()) global->eraseFromParent();
  }
}

}  // namespace

Expected<void> emitDescriptor(Unit& unit) {
  dropUnusedVariables(unit);
  Tables tables(unit.module);
  // A kernel's object takes contents from the module's variables object; only names, slots and sizes matter here.
  auto variables = variableTable(unit, tables);
  if (!variables) return std::move(variables).error();
  bool exchange = false, warp = false;
  for (auto& point : unit.points) {
    exchange |= needsExchange(point.kind);
    warp |= isWarpPoint(point.kind);
  }
  auto n = [&](uint64_t value) { return tables.number32(value); };
  auto* descriptor = tables.structure(
      {n(kKernelAbiVersion), n(unit.segments.size()), segmentTable(unit, tables), tables.text(unit.kernelName),
       tables.text(unit.points.empty() ? "loop" : "segments"), tables.number64(unit.frameBytes),
       tables.number64(unit.shared.staticBytes), n(unit.shared.alignment), n(exchange), n(warp), n(unit.maxThreads),
       n(unit.parameters.size()), n(unit.variables.size()), n(unit.imports.size()), n(unit.shared.usesDynamic),
       parameterTable(unit, tables), *variables, importTable(unit, tables), n(unit.kernelNames.size()), n(unit.callsPointers),
       nameTable(unit, tables)});
  auto* exported = tables.keep(descriptor, "mneme_kernel");
  exported->setLinkage(llvm::GlobalValue::ExternalLinkage);
  exported->setVisibility(llvm::GlobalValue::DefaultVisibility);
  dropOriginals(unit);
  return {};
}

}  // namespace mneme::host::compiler
