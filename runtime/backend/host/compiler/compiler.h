// SPDX-License-Identifier: Apache-2.0
/// The stages of mneme-hostcc, in the order they run. Each changes the module in place; an Error is one clear line.
/// One kernel per run: everything that the kernel does not reach is gone after selectKernel().
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/host/kernel_abi.h"
#include "base/error.h"

namespace llvm {
class CallBase;
class Function;
class GlobalVariable;
class LLVMContext;
class MemoryBuffer;
class Module;
class TargetMachine;
class Value;
}  // namespace llvm

namespace mneme::host::compiler {

/// One mutable device variable of the module.
struct Variable {
  llvm::GlobalVariable* global = nullptr;  ///< as the source has it; gone once slots replaced it
  llvm::GlobalVariable* slot = nullptr;
  std::string name;
  bool constant = false;
};

/// Where shared memory variables lie.
struct SharedLayout {
  /// Set where functions are called through pointers: such a function may run in another kernel's block, so all objects
  /// of the module agree on one layout of all its variables. Otherwise each kernel lays out what it uses.
  std::map<std::string, uint64_t> fixedOffsets;
  uint64_t staticBytes = 0;
  uint32_t alignment = 16;
  bool usesDynamic = false;
};

struct Import {
  std::string name;
  llvm::GlobalVariable* slot = nullptr;
};

/// One synchronisation point of the kernel's body, in program order; segment number = index + 1.
struct Point {
  PointKind kind = PointKind::BlockBarrier;
};

/// What the stages learn about the kernel on their way.
struct Unit {
  Unit(llvm::Module& code, llvm::TargetMachine& target, std::string name) : module(code), machine(target), kernelName(std::move(name)) {}

  llvm::Module& module;
  llvm::TargetMachine& machine;
  std::string kernelName;               ///< empty: variables only
  std::vector<std::string> kernelNames;  ///< every entry of the module
  llvm::Function* kernel = nullptr;     ///< the entry; later its body
  std::vector<Variable> variables;
  std::vector<Import> imports;
  SharedLayout shared;
  std::vector<ParameterDescriptor> parameters;
  uint32_t maxThreads = 0;
  uint32_t architecture = 900;  ///< what __CUDA_ARCH__ was
  bool usesContext = false;  ///< some function that stays a function asks for its thread
  bool callsPointers = false;  ///< functions of other objects, which use variables that the kernel does not mention
  std::vector<Point> points;
  std::vector<llvm::Function*> segments;  ///< thread loops, by segment number
  uint64_t frameBytes = 0;
};

[[nodiscard]] Error unsupported(const Unit& unit, const std::string& what);

/// Fills kernelNames; drops what the kernel does not reach. NotFound without that entry.
[[nodiscard]] Expected<void> selectKernel(Unit& unit);
/// Makes every mutable variable external and uniquely named, before any optimisation.
[[nodiscard]] Expected<void> exposeVariables(Unit& unit);
/// Drops functions that the kernel (or, without one, the variables) does not reach; variables all stay.
[[nodiscard]] Expected<void> dropUnused(Unit& unit);
/// Agrees on a layout of shared memory for the whole module if functions are called through pointers.
[[nodiscard]] Expected<void> layShared(Unit& unit);
/// In an object of variables only: functions that synchronise become traps instead of making the module unusable.
[[nodiscard]] Expected<void> trapUnrunnable(Unit& unit);
/// Replaces inline assembly by IR, by the table in asm_table.cpp.
[[nodiscard]] Expected<void> lowerInlineAssembly(Unit& unit);
/// Replaces libdevice functions and simple intrinsics by Mneme's own library; memory and I/O by imports.
[[nodiscard]] Expected<void> linkLibrary(Unit& unit);
/// Inlines every direct, non-recursive call and cleans up; what stays is reached through pointers or recursion.
void inlineAll(Unit& unit);
/// Refuses declarations and points that nothing lowers, by name.
[[nodiscard]] Expected<void> refuseUnknown(Unit& unit);
/// The kernel becomes a body with explicit thread values; special registers, shared memory and variables are resolved.
[[nodiscard]] Expected<void> bindThreads(Unit& unit);
/// Cuts the body at its points; fills points, segments, frameBytes.
[[nodiscard]] Expected<void> buildSegments(Unit& unit);
/// Adds the exported descriptor.
[[nodiscard]] Expected<void> emitDescriptor(Unit& unit);
/// Optimises for this processor and links a shared object.
[[nodiscard]] Expected<void> writeObject(Unit& unit, const std::string& path);

/// The slot of an executor function, added at first request; the value is the loaded pointer's slot.
[[nodiscard]] llvm::GlobalVariable* importSlot(Unit& unit, const std::string& name);

}  // namespace mneme::host::compiler
