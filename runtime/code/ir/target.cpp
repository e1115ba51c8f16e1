// SPDX-License-Identifier: Apache-2.0
#include "code/ir/target.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <mutex>

namespace mneme::code {
namespace {

struct PtxRequirement {
  std::string_view architecture;
  uint32_t version;  ///< first PTX version that has it
};
constexpr std::array kRequirements{
    PtxRequirement{"sm_70", 60},  PtxRequirement{"sm_72", 61},   PtxRequirement{"sm_75", 63},   PtxRequirement{"sm_80", 70},
    PtxRequirement{"sm_86", 71},  PtxRequirement{"sm_87", 74},   PtxRequirement{"sm_88", 90},   PtxRequirement{"sm_89", 78},
    PtxRequirement{"sm_90", 78},  PtxRequirement{"sm_90a", 80},  PtxRequirement{"sm_100", 86},  PtxRequirement{"sm_100a", 86},
    PtxRequirement{"sm_100f", 88}, PtxRequirement{"sm_103", 88}, PtxRequirement{"sm_103a", 88}, PtxRequirement{"sm_110", 90},
    PtxRequirement{"sm_110a", 90}, PtxRequirement{"sm_120", 87}, PtxRequirement{"sm_120a", 87}, PtxRequirement{"sm_120f", 88},
    PtxRequirement{"sm_121", 88}, PtxRequirement{"sm_121a", 88}};
constexpr uint32_t kCarefulVersion = 80;  // CUDA 12.0, the oldest supported
constexpr uint32_t kNewestVersion = LLVM_VERSION_MAJOR >= 22 ? 90 : LLVM_VERSION_MAJOR == 21 ? 88
                                  : LLVM_VERSION_MAJOR == 20 ? 87 : 85;
/// Versions that exist; a driver may report one in between.
constexpr std::array<uint32_t, 18> kVersions = {63, 64, 65, 70, 71, 72, 73, 74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85};
constexpr std::array<uint32_t, 4> kLaterVersions = {86, 87, 88, 90};

uint32_t existing(uint32_t wanted) {
  uint32_t best = 0;
  for (const uint32_t version : kVersions) best = version <= wanted ? version : best;
  for (const uint32_t version : kLaterVersions) best = version <= std::min(wanted, kNewestVersion) ? version : best;
  return best;
}

std::string versionText(uint32_t version) { return std::to_string(version / 10) + "." + std::to_string(version % 10); }

void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();
  });
}

struct Machine {
  std::string triple, cpu, features;
};

Expected<Machine> machineFor(const Target& target, uint32_t waveSize) {
  if (target.architecture.starts_with("gfx"))
    return Machine{"amdgcn-amd-amdhsa", target.architecture,
                   waveSize ? "+wavefrontsize" + std::to_string(waveSize) : std::string()};
  auto version = ptxVersionFor(target);
  if (!version) return std::move(version).error();
  return Machine{"nvptx64-nvidia-cuda", target.architecture, "+ptx" + std::to_string(*version)};
}

/// clang writes the CPU and features it compiled for into every function; functions that differ are not inlined.
void setFunctionTargets(llvm::Module& module, const Machine& machine, bool amd) {
  for (llvm::Function& function : module) {
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("target-features");
    if (!amd || function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", machine.cpu);
    if (!machine.features.empty()) function.addFnAttr("target-features", machine.features);
  }
}

}  // namespace

unsigned smNumber(const std::string& architecture) {
  unsigned number = 0;
  if (architecture.starts_with("sm_"))
    std::from_chars(architecture.data() + 3, architecture.data() + architecture.size(), number);
  return number;
}

Expected<uint32_t> ptxVersionFor(const Target& target) {
  const auto required = std::find_if(kRequirements.begin(), kRequirements.end(),
                                     [&](const PtxRequirement& r) { return r.architecture == target.architecture; });
  if (required == kRequirements.end() || required->version > kNewestVersion)
    return Error{ErrorCode::Unsupported, "LLVM " LLVM_VERSION_STRING " makes no code for " + target.architecture};
  if (target.ptxVersion == 0) return std::max(kCarefulVersion, required->version);
  const uint32_t version = existing(target.ptxVersion);
  if (version < required->version)
    return Error{ErrorCode::Unsupported, target.architecture + " needs PTX " + versionText(required->version) +
                                             "; the driver takes up to " + versionText(target.ptxVersion)};
  return version;
}

Expected<std::unique_ptr<llvm::TargetMachine>> retarget(llvm::Module& module, const Target& target, uint32_t waveSize) {
  initializeTargets();
  auto machine = machineFor(target, waveSize);
  if (!machine) return std::move(machine).error();
  const llvm::Triple triple(machine->triple);
  if (triple.getArch() != module.getTargetTriple().getArch())
    return Error{ErrorCode::Mismatch, "the bitcode is for " + module.getTargetTriple().str() + ", not for " + target.architecture};
  std::string reason;
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(triple, reason);
  if (!found) return Error{ErrorCode::Unsupported, reason};
  const std::unique_ptr<llvm::MCSubtargetInfo> known(found->createMCSubtargetInfo(triple, "", ""));
  if (!known || !known->isCPUStringValid(machine->cpu))
    return Error{ErrorCode::Unsupported, "LLVM " LLVM_VERSION_STRING " makes no code for " + target.architecture};
  std::unique_ptr<llvm::TargetMachine> made(found->createTargetMachine(
      triple, machine->cpu, machine->features, llvm::TargetOptions(), llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
  module.setTargetTriple(triple);
  module.setDataLayout(made->createDataLayout());
  setFunctionTargets(module, *machine, triple.isAMDGCN());
  return made;
}

}  // namespace mneme::code
