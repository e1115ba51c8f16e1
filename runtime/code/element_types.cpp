// SPDX-License-Identifier: Apache-2.0
/// Inlines everything into the kernel, promotes its local variables, and asks every access where its pointer comes from.
#include "code/element_types.h"

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "code/ir/llvm_error.h"
#include "code/ir/module_loader.h"
#include "code/ir/scalar_type.h"

namespace mneme::code {
namespace {

using Place = std::pair<uint32_t, uint32_t>;  ///< parameter, offset of the pointer in it

constexpr char kMixed[] = "bytes";

/// What was seen at one place: scalars' names, kMixed of accesses that speak against any; memset says nothing.
struct Seen {
  std::set<std::string> stored, loaded;
  bool written = false;
};

std::string agreed(const std::set<std::string>& scalars) { return scalars.size() == 1 ? *scalars.begin() : kMixed; }

std::string elementOf(const Seen& seen) { return agreed(seen.stored.empty() ? seen.loaded : seen.stored); }

/// Everything but the kernel goes into it; what it does not reach goes away.
void inlineInto(llvm::Module& module, const llvm::Function& kernel) {
  for (llvm::Function& function : module) {
    if (&function == &kernel || function.isDeclaration()) continue;
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
    function.setComdat(nullptr);
    function.removeFnAttr(llvm::Attribute::NoInline);
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    function.addFnAttr(llvm::Attribute::AlwaysInline);
  }
}

/// No instruction combining: it turns copies of structures into integers and forgets what addresses were made of.
void simplify(llvm::Module& module) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::FunctionPassManager cleaning;
  cleaning.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  cleaning.addPass(llvm::EarlyCSEPass());
  llvm::ModulePassManager passes;
  passes.addPass(llvm::GlobalDCEPass());
  passes.addPass(llvm::AlwaysInlinerPass());
  passes.addPass(llvm::GlobalDCEPass());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(cleaning)));
  passes.run(module, modules);
}

bool passedByValue(const llvm::Argument& argument) { return argument.hasByValAttr() || argument.hasByRefAttr(); }

class Accesses {
 public:
  explicit Accesses(llvm::Function& kernel) : layout_(kernel.getDataLayout()) {
    for (llvm::Instruction& instruction : llvm::instructions(kernel)) look(instruction);
    for (const auto& [to, from] : copies_) copy(to, from);
  }

  [[nodiscard]] const std::map<Place, Seen>& parameters() const { return parameters_; }
  [[nodiscard]] const std::map<const llvm::GlobalVariable*, Seen>& variables() const { return variables_; }

 private:
  using Roots = std::vector<Seen*>;

  void look(llvm::Instruction& instruction) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
      return note(load->getPointerOperand(), load->getType(), false);
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
      return note(store->getPointerOperand(), valueType(store->getValueOperand()), true);
    if (auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
      return note(atomic->getPointerOperand(), valueType(atomic->getValOperand()), true);
    if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
      return note(exchange->getPointerOperand(), valueType(exchange->getNewValOperand()), true);
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) lookAtCall(*call);
  }

  void lookAtCall(llvm::CallBase& call) {
    if (auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(&call)) return noteCopy(*transfer);
    if (llvm::isa<llvm::MemSetInst>(call)) return markWritten(rootsOf(call.getArgOperand(0)));
    if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) return lookAtIntrinsic(*intrinsic);
    if (call.isInlineAsm() || !call.onlyReadsMemory())
      for (llvm::Value* argument : call.args())
        if (argument->getType()->isPointerTy()) noteUnknown(argument);
  }

  /// Atomics of the vendors are intrinsics in older bitcode: pointer first, value second.
  void lookAtIntrinsic(llvm::IntrinsicInst& call) {
    if (call.arg_empty() || !call.getArgOperand(0)->getType()->isPointerTy() || call.isAssumeLikeIntrinsic()) return;
    if (call.onlyReadsMemory() || call.doesNotAccessMemory()) {
      if (!call.getType()->isPointerTy()) note(call.getArgOperand(0), call.getType(), false);
    } else if (call.arg_size() > 1) {
      note(call.getArgOperand(0), valueType(call.getArgOperand(call.arg_size() > 2 ? 2 : 1)), true);
    }
  }

  /// The bits that are stored are those of what was cast to them.
  static llvm::Type* valueType(llvm::Value* value) {
    while (auto* cast = llvm::dyn_cast<llvm::BitCastOperator>(value)) value = cast->getOperand(0);
    return value->getType();
  }

  /// What the address says of its elements: `x[i]` of an array of structures names the structure.
  static std::string scalarOfAddress(llvm::Value* pointer) {
    while (true) {
      pointer = pointer->stripPointerCasts();
      auto* step = llvm::dyn_cast<llvm::GEPOperator>(pointer);
      if (!step) return {};
      if (!step->getSourceElementType()->isIntegerTy(8))
        if (auto scalar = scalarOf(step->getSourceElementType()); !scalar.empty()) return scalar;
      pointer = step->getPointerOperand();
    }
  }

  /// Sixteen-bit numbers are stored as integers; only the address tells.
  static std::string scalarOfAccess(llvm::Value* pointer, llvm::Type* type) {
    auto scalar = scalarOf(type);
    if (!scalar.starts_with("i")) return scalar;
    auto addressed = scalarOfAddress(pointer);
    return addressed == "f16" || addressed == "bf16" ? addressed : scalar;
  }

  void note(llvm::Value* pointer, llvm::Type* type, bool store) {
    auto scalar = scalarOfAccess(pointer, type);
    for (Seen* seen : rootsOf(pointer)) {
      (store ? seen->stored : seen->loaded).insert(scalar.empty() ? kMixed : scalar);
      seen->written |= store;
    }
  }

  void noteUnknown(llvm::Value* pointer) {
    for (Seen* seen : rootsOf(pointer)) {
      seen->stored.insert(kMixed);
      seen->written = true;
    }
  }

  static void markWritten(const Roots& roots) {
    for (Seen* seen : roots) seen->written = true;
  }

  void noteCopy(llvm::MemTransferInst& transfer) {
    auto to = rootsOf(transfer.getRawDest()), from = rootsOf(transfer.getRawSource());
    auto scalar = scalarOfAddress(transfer.getRawDest());
    if (scalar.empty()) scalar = scalarOfAddress(transfer.getRawSource());
    markWritten(to);
    for (Seen* seen : to)
      if (!scalar.empty()) seen->stored.insert(scalar);
      else if (from.empty()) seen->stored.insert(kMixed);
      else copies_.emplace_back(seen, from.front());
    for (Seen* seen : from)
      if (!scalar.empty()) seen->loaded.insert(scalar);
  }

  /// Where nothing else tells, a copy is what it was copied from.
  static void copy(Seen* to, const Seen* from) {
    if (to->stored.empty()) to->stored.insert(elementOf(*from));
  }

  /// The parameters and module variables that the pointer may point into.
  Roots rootsOf(llvm::Value* pointer) {
    Roots roots;
    std::set<llvm::Value*> visited;
    std::vector<llvm::Value*> open{pointer};
    while (!open.empty()) {
      llvm::Value* value = open.back();
      open.pop_back();
      if (!visited.insert(value).second) continue;
      if (Seen* root = rootAt(value)) roots.push_back(root);
      else expand(value, open);
    }
    return roots;
  }

  Seen* rootAt(llvm::Value* value) {
    if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(value)) return &variables_[variable];
    if (auto* argument = llvm::dyn_cast<llvm::Argument>(value))
      return passedByValue(*argument) ? nullptr : &parameters_[{argument->getArgNo(), 0}];
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(value))
      if (auto place = placeOf(load->getPointerOperand())) return &parameters_[*place];
    return nullptr;
  }

  /// A pointer kept in a structure that is passed by value.
  std::optional<Place> placeOf(llvm::Value* address) {
    llvm::APInt offset(layout_.getIndexTypeSizeInBits(address->getType()), 0);
    auto* base = address->stripAndAccumulateConstantOffsets(layout_, offset, /*AllowNonInbounds=*/true)->stripPointerCasts();
    auto* argument = llvm::dyn_cast<llvm::Argument>(base);
    if (!argument || !passedByValue(*argument) || offset.isNegative() || offset.getActiveBits() > 31) return std::nullopt;
    return Place{argument->getArgNo(), static_cast<uint32_t>(offset.getZExtValue())};
  }

  /// Values that the pointer is made of. Integers stay pointers while only added to.
  static void expand(llvm::Value* value, std::vector<llvm::Value*>& open) {
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(value))
      return static_cast<void>(open.insert(open.end(), phi->op_begin(), phi->op_end()));
    if (auto* select = llvm::dyn_cast<llvm::SelectInst>(value)) {
      open.push_back(select->getTrueValue());
      return open.push_back(select->getFalseValue());
    }
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(value)) {
      if (call->getType()->isPointerTy() && !call->arg_empty() && llvm::isa<llvm::IntrinsicInst>(call))
        open.push_back(call->getArgOperand(0));
      return;
    }
    auto* operation = llvm::dyn_cast<llvm::Operator>(value);
    if (!operation || llvm::isa<llvm::LoadInst>(value)) return;
    switch (operation->getOpcode()) {
      case llvm::Instruction::Add: open.push_back(operation->getOperand(1)); [[fallthrough]];
      case llvm::Instruction::GetElementPtr:
      case llvm::Instruction::BitCast:
      case llvm::Instruction::AddrSpaceCast:
      case llvm::Instruction::IntToPtr:
      case llvm::Instruction::PtrToInt:
      case llvm::Instruction::Freeze: open.push_back(operation->getOperand(0));
    }
  }

  const llvm::DataLayout& layout_;
  std::map<Place, Seen> parameters_;
  std::map<const llvm::GlobalVariable*, Seen> variables_;
  std::vector<std::pair<Seen*, Seen*>> copies_;
};

std::vector<PointeeElements> pointeesOf(const Accesses& accesses) {
  std::vector<PointeeElements> pointees;
  for (const auto& [place, seen] : accesses.parameters())
    if (seen.written || !seen.loaded.empty())
      pointees.push_back({place.first, place.second, seen.written, elementOf(seen)});
  return pointees;
}

/// A variable's own type tells first; storage declared as bytes is what the kernel makes of it.
std::vector<VariableElements> variablesOf(const std::vector<VariableElements>& declared, const Accesses& accesses) {
  auto variables = declared;
  for (auto& variable : variables)
    for (const auto& [global, seen] : accesses.variables())
      if (variable.name == global->getName() && (variable.element.empty() || variable.element == "i8"))
        variable.element = elementOf(seen);
  std::erase_if(variables, [](const VariableElements& v) { return v.element.empty() || v.element == kMixed; });
  return variables;
}

std::vector<VariableElements> declaredVariables(const llvm::Module& module) {
  constexpr unsigned kSharedSpace = 3;
  std::vector<VariableElements> variables;
  for (const llvm::GlobalVariable& global : module.globals())
    if (!global.isDeclaration() && global.hasName() && !global.getName().starts_with("llvm.") &&
        global.getAddressSpace() != kSharedSpace)
      variables.push_back({global.getName().str(), scalarOf(global.getValueType())});
  return variables;
}

}  // namespace

Expected<KernelElements> kernelElements(std::span<const std::byte> bitcode, const std::string& kernel) {
  llvm::LLVMContext context;
  auto module = loadModule(context, {bitcode, "the bitcode"});
  if (!module) return std::move(module).error();
  llvm::Function* function = (*module)->getFunction(kernel);
  if (!function || !isKernel(*function)) return Error(ErrorCode::NotFound, "the bitcode defines no kernel " + kernel);
  if (llvm::Error failed = (*module)->materializeAll())
    return fromLlvm(std::move(failed), ErrorCode::InvalidArgument, "reading the bitcode");
  if (llvm::verifyModule(**module)) return Error(ErrorCode::InvalidArgument, "the bitcode's module is malformed");
  llvm::StripDebugInfo(**module);
  const auto declared = declaredVariables(**module);
  inlineInto(**module, *function);
  simplify(**module);
  Accesses accesses(*function);
  return KernelElements{pointeesOf(accesses), variablesOf(declared, accesses)};
}

}  // namespace mneme::code
