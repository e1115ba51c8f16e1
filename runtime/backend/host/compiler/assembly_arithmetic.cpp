// SPDX-License-Identifier: Apache-2.0
/// Every statement becomes IR at once; registers, operands and the carry flag are values by name.
#include "backend/host/compiler/assembly_arithmetic.h"

#include <llvm/ADT/StringSet.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/host/compiler/shared_address.h"

namespace mneme::host::compiler {
namespace {

using Words = std::vector<std::string>;

/// `madc.hi.cc.u32 r1, a, b, 0` as its parts.
struct Statement {
  std::string operation;          ///< "madc"
  llvm::StringSet<> modifiers;    ///< "hi", "cc"
  std::string type;               ///< "u32"
  Words operands;                 ///< "{a,b}" is one
};

/// At commas that no brace encloses, without blanks.
Words splitOperands(llvm::StringRef text) {
  Words operands;
  std::string operand;
  bool inside = false;
  for (const char c : text) {
    if (isspace(static_cast<unsigned char>(c))) continue;
    inside = (inside || c == '{') && c != '}';
    if (c == ',' && !inside) operands.push_back(std::exchange(operand, {}));
    else operand += c;
  }
  operands.push_back(operand);
  return operands;
}

std::optional<Statement> parseStatement(llvm::StringRef text) {
  const auto end = text.find_first_of(" \t\n");
  if (end == llvm::StringRef::npos) return std::nullopt;
  llvm::SmallVector<llvm::StringRef, 6> parts;
  text.take_front(end).split(parts, '.');
  if (parts.size() < 2) return std::nullopt;
  Statement statement;
  statement.operation = parts.front().str();
  statement.type = parts.back().str();
  for (auto part : llvm::ArrayRef(parts).drop_front().drop_back()) statement.modifiers.insert(part);
  statement.operands = splitOperands(text.drop_front(end));
  return statement;
}

class Machine {
 public:
  Machine(llvm::IRBuilder<>& builder, llvm::CallInst& call) : builder_(builder), call_(call) {
    const auto* result = call.getType();
    results_ = result->isVoidTy() ? 0 : result->isStructTy() ? result->getNumContainedTypes() : 1;
    for (unsigned i = 0; i < call.arg_size(); ++i) values_["$" + std::to_string(results_ + i)] = call.getArgOperand(i);
    carry_ = builder.getFalse();
  }

  bool run(llvm::StringRef text) {
    llvm::SmallVector<llvm::StringRef, 32> statements;
    text.split(statements, ';');
    for (auto statement : statements) {
      statement = statement.trim();
      if (statement.empty() || statement.starts_with(".reg")) continue;
      const auto parsed = parseStatement(statement);
      if (!parsed || !execute(*parsed)) return false;
    }
    return true;
  }

  /// Null if a result was not written, or in another type.
  llvm::Value* result() {
    auto* type = call_.getType();
    if (results_ == 0) return nullptr;
    if (!type->isStructTy()) return fits(values_["$0"], type) ? values_["$0"] : nullptr;
    llvm::Value* all = llvm::PoisonValue::get(type);
    for (unsigned i = 0; i < results_; ++i) {
      auto* value = values_["$" + std::to_string(i)];
      if (!fits(value, type->getContainedType(i))) return nullptr;
      all = builder_.CreateInsertValue(all, value, i);
    }
    return all;
  }

 private:
  static bool fits(const llvm::Value* value, const llvm::Type* type) { return value && value->getType() == type; }

  llvm::Type* typeOf(llvm::StringRef name) {
    unsigned bits = 0;
    if (name == "f32") return builder_.getFloatTy();
    if (name == "f64") return builder_.getDoubleTy();
    if (name.empty() || !llvm::StringRef("usb").contains(name[0]) || name.drop_front().getAsInteger(10, bits)) return nullptr;
    return bits == 32 || bits == 64 ? builder_.getIntNTy(bits) : nullptr;
  }

  /// A register, an operand of the call or a number, as that type; null if there is no such thing.
  llvm::Value* read(const std::string& name, llvm::Type* type) {
    int64_t number = 0;
    const auto found = values_.find(name);
    if (found != values_.end() && fits(found->second, type)) return found->second;
    const bool isNumber = type->isIntegerTy() && !llvm::StringRef(name).getAsInteger(0, number);
    if (!isNumber) return nullptr;
    return llvm::ConstantInt::get(type, llvm::APInt(type->getIntegerBitWidth(), static_cast<uint64_t>(number), true, true));
  }

  bool write(const std::string& name, llvm::Value* value) {
    if (!value || name.empty() || name[0] == '{') return false;
    values_[name] = value;
    return true;
  }

  bool execute(const Statement& statement) {
    if (statement.operation == "elect") return elect(statement);
    auto* type = typeOf(statement.type);
    if (!type || statement.operands.empty()) return false;
    if (statement.operation == "mov") return move(statement, type);
    if (statement.operation == "setp") return compare(statement, type);
    if (statement.operation == "selp") return select(statement, type);
    if (statement.operation == "cvta") return address(statement);
    if (statement.operation == "cvt") return convert(statement, type);
    return type->isIntegerTy() && integer(statement, type);
  }

  /// `elect.sync r|p, mask`: the leader's lane and whether it is this one.
  bool elect(const Statement& statement) {
    if (statement.type != "sync" || statement.operands.size() != 2) return false;
    const auto [lane, predicate] = llvm::StringRef(statement.operands[0]).split('|');
    auto* mask = read(statement.operands[1], builder_.getInt32Ty());
    if (!mask || predicate.empty()) return false;
    auto* callee = llvm::Intrinsic::getOrInsertDeclaration(call_.getModule(), llvm::Intrinsic::lookupIntrinsicID("llvm.nvvm.elect.sync"));
    auto* pair = builder_.CreateCall(callee, {mask});
    return write(lane.str(), builder_.CreateExtractValue(pair, 0)) && write(predicate.str(), builder_.CreateExtractValue(pair, 1));
  }

  /// Between a generic address and the number of a place in shared memory.
  bool address(const Statement& statement) {
    if (statement.operands.size() != 2 || !statement.modifiers.contains("shared") || statement.type == "u32") return false;
    const auto found = values_.find(statement.operands[1]);
    if (found == values_.end() || !found->second) return false;
    if (!statement.modifiers.contains("to"))
      return write(statement.operands[0], builder_.CreatePtrToInt(addressIn(builder_, found->second, true, 0), builder_.getInt64Ty()));
    return write(statement.operands[0], numberInShared(builder_, found->second));
  }

  /// Between whole numbers of 32 and 64 bits.
  bool convert(const Statement& statement, llvm::Type* to) {
    if (statement.operands.size() != 2 || statement.modifiers.size() != 1) return false;
    // `cvt.TO.FROM`: the last is the type read here.
    auto* target = typeOf(statement.modifiers.begin()->getKey());
    auto* value = to->isIntegerTy() ? read(statement.operands[1], to) : nullptr;
    if (!value || !target || !target->isIntegerTy()) return false;
    return write(statement.operands[0], statement.type[0] == 's' ? builder_.CreateSExtOrTrunc(value, target) : builder_.CreateZExtOrTrunc(value, target));
  }

  /// `mov.b64 {a,b}, x` takes apart, `mov.b64 x, {a,b}` puts together.
  bool move(const Statement& statement, llvm::Type* type) {
    if (statement.operands.size() != 2) return false;
    llvm::StringRef to = statement.operands[0], from = statement.operands[1];
    if (to.consume_front("{") && to.consume_back("}")) return takeApart(to, read(statement.operands[1], type));
    if (from.consume_front("{") && from.consume_back("}")) return write(statement.operands[0], putTogether(from, type));
    return write(statement.operands[0], read(statement.operands[1], type));
  }

  bool takeApart(llvm::StringRef names, llvm::Value* value) {
    const auto [low, high] = names.split(',');
    if (!value || !value->getType()->isIntegerTy(64)) return false;
    return write(low.str(), builder_.CreateTrunc(value, builder_.getInt32Ty())) &&
           write(high.str(), builder_.CreateTrunc(builder_.CreateLShr(value, 32), builder_.getInt32Ty()));
  }

  llvm::Value* putTogether(llvm::StringRef names, llvm::Type* type) {
    const auto [lowName, highName] = names.split(',');
    auto* low = read(lowName.str(), builder_.getInt32Ty());
    auto* high = read(highName.str(), builder_.getInt32Ty());
    if (!low || !high || !type->isIntegerTy(64)) return nullptr;
    return builder_.CreateOr(builder_.CreateZExt(low, type), builder_.CreateShl(builder_.CreateZExt(high, type), 32));
  }

  bool compare(const Statement& statement, llvm::Type* type) {
    static const std::map<std::string, llvm::CmpInst::Predicate> kPredicates = {
        {"eq", llvm::CmpInst::FCMP_OEQ},  {"ne", llvm::CmpInst::FCMP_ONE},  {"lt", llvm::CmpInst::FCMP_OLT},
        {"le", llvm::CmpInst::FCMP_OLE},  {"gt", llvm::CmpInst::FCMP_OGT},  {"ge", llvm::CmpInst::FCMP_OGE},
        {"equ", llvm::CmpInst::FCMP_UEQ}, {"neu", llvm::CmpInst::FCMP_UNE}, {"ltu", llvm::CmpInst::FCMP_ULT},
        {"leu", llvm::CmpInst::FCMP_ULE}, {"gtu", llvm::CmpInst::FCMP_UGT}, {"geu", llvm::CmpInst::FCMP_UGE}};
    if (!type->isFloatingPointTy() || statement.operands.size() != 3 || statement.modifiers.size() != 1) return false;
    const auto predicate = kPredicates.find(statement.modifiers.begin()->getKey().str());
    auto* a = read(statement.operands[1], type);
    auto* b = read(statement.operands[2], type);
    return predicate != kPredicates.end() && a && b &&
           write(statement.operands[0], builder_.CreateFCmp(predicate->second, a, b));
  }

  bool select(const Statement& statement, llvm::Type* type) {
    if (statement.operands.size() != 4) return false;
    auto* a = read(statement.operands[1], type);
    auto* b = read(statement.operands[2], type);
    auto* chosen = read(statement.operands[3], builder_.getInt1Ty());
    return a && b && chosen && write(statement.operands[0], builder_.CreateSelect(chosen, a, b));
  }

  /// add, sub, mul and mad, with a c behind it taking the carry, with .cc giving it.
  bool integer(const Statement& statement, llvm::Type* type) {
    llvm::StringRef operation = statement.operation;
    const bool takesCarry = operation.consume_back("c");
    const size_t count = operation == "mad" ? 4 : 3;
    if (statement.operands.size() != count || (takesCarry && operation == "mul")) return false;
    std::vector<llvm::Value*> inputs;
    for (size_t i = 1; i < count; ++i) inputs.push_back(read(statement.operands[i], type));
    for (const auto* input : inputs)
      if (!input) return false;
    for (const auto& modifier : statement.modifiers)
      if (modifier.getKey() != "lo" && modifier.getKey() != "hi" && modifier.getKey() != "cc") return false;
    const bool isSigned = statement.type[0] == 's', high = statement.modifiers.contains("hi");
    if (operation == "mul") return write(statement.operands[0], half(inputs[0], inputs[1], isSigned, high));
    if (operation == "mad") {
      if (!high && !statement.modifiers.contains("lo")) return false;
      inputs = {half(inputs[0], inputs[1], isSigned, high), inputs[2]};
    } else if (operation != "add" && operation != "sub") {
      return false;
    }
    return write(statement.operands[0], sum(inputs[0], inputs[1], operation == "sub", takesCarry,
                                            statement.modifiers.contains("cc")));
  }

  llvm::Value* half(llvm::Value* a, llvm::Value* b, bool isSigned, bool high) {
    auto* type = a->getType();
    if (!high) return builder_.CreateMul(a, b);
    auto* wide = builder_.getIntNTy(2 * type->getIntegerBitWidth());
    const auto extend = [&](llvm::Value* v) { return isSigned ? builder_.CreateSExt(v, wide) : builder_.CreateZExt(v, wide); };
    auto* product = builder_.CreateMul(extend(a), extend(b));
    return builder_.CreateTrunc(builder_.CreateLShr(product, type->getIntegerBitWidth()), type);
  }

  /// One bit wider, so that the top bit is the carry, or of a difference the borrow.
  llvm::Value* sum(llvm::Value* a, llvm::Value* b, bool subtract, bool takesCarry, bool givesCarry) {
    auto* type = a->getType();
    auto* wide = builder_.getIntNTy(type->getIntegerBitWidth() + 1);
    auto* left = builder_.CreateZExt(a, wide);
    auto* right = builder_.CreateZExt(b, wide);
    if (takesCarry) right = builder_.CreateAdd(right, builder_.CreateZExt(carry_, wide));
    auto* all = subtract ? builder_.CreateSub(left, right) : builder_.CreateAdd(left, right);
    if (givesCarry) carry_ = builder_.CreateTrunc(builder_.CreateLShr(all, type->getIntegerBitWidth()), builder_.getInt1Ty());
    return builder_.CreateTrunc(all, type);
  }

  llvm::IRBuilder<>& builder_;
  llvm::CallInst& call_;
  unsigned results_ = 0;
  std::map<std::string, llvm::Value*> values_;
  llvm::Value* carry_;
};

}  // namespace

llvm::Value* lowerArithmetic(llvm::IRBuilder<>& builder, llvm::CallInst& call, llvm::StringRef text) {
  text = text.trim();
  if (text.starts_with("{") && text.ends_with("}")) text = text.drop_front().drop_back();
  Machine machine(builder, call);
  return machine.run(text) ? machine.result() : nullptr;
}

}  // namespace mneme::host::compiler
