// SPDX-License-Identifier: Apache-2.0
/// Everything stands in one note, as MessagePack (code objects version 3 and later).
#include "code/code_object_statistics.h"

#include <elf.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "cubin/elf.h"

namespace mneme::code {
namespace {

using Bytes = std::span<const std::byte>;
using Json = nlohmann::json;

constexpr uint16_t kMachine = 224;         // EM_AMDGPU
constexpr uint32_t kMetadataNote = 32;     // NT_AMDGPU_METADATA
constexpr char kOwner[] = "AMDGPU";

Error corrupt(const std::string& what) { return {ErrorCode::CorruptRecording, "code object: " + what}; }

uint64_t rounded(uint64_t size) { return (size + 3) & ~uint64_t{3}; }

/// The metadata note's bytes in a note section, or nothing.
std::optional<Bytes> metadataIn(Bytes notes) {
  for (uint64_t at = 0;;) {
    const auto header = loadAt<Elf64_Nhdr>(notes, at);
    if (!header) return std::nullopt;
    const uint64_t nameAt = at + sizeof *header, contentAt = nameAt + rounded(header->n_namesz);
    const auto name = subrange(notes, nameAt, header->n_namesz), content = subrange(notes, contentAt, header->n_descsz);
    if (!name || !content) return std::nullopt;
    const bool ours = name->size() == sizeof kOwner && std::memcmp(name->data(), kOwner, sizeof kOwner) == 0;
    if (ours && header->n_type == kMetadataNote) return content;
    at = contentAt + rounded(header->n_descsz);
  }
}

std::string architectureFrom(const Json& metadata) {
  const std::string target = metadata.value("amdhsa.target", std::string());  // "amdgcn-amd-amdhsa--gfx90a:sramecc+"
  const size_t at = target.rfind("gfx");
  return at == std::string::npos ? std::string() : target.substr(at, target.find(':', at) - at);
}

KernelStatistics statisticsFrom(const Json& kernel, const std::string& architecture) {
  const auto number = [&](const char* key) { return kernel.value(key, uint64_t{0}); };
  constexpr uint64_t kRegisterBytes = 4;
  KernelStatistics statistics;
  statistics.kernel = kernel.value(".name", std::string());
  statistics.architecture = architecture;
  statistics.registers = static_cast<uint32_t>(number(".vgpr_count"));
  statistics.scalarRegisters = static_cast<uint32_t>(number(".sgpr_count"));
  statistics.stackBytes = number(".private_segment_fixed_size");
  statistics.spillStoreBytes = statistics.spillLoadBytes = number(".vgpr_spill_count") * kRegisterBytes;
  statistics.sharedBytes = number(".group_segment_fixed_size");
  statistics.parameterBytes = number(".kernarg_segment_size");
  statistics.maxThreads = static_cast<uint32_t>(number(".max_flat_workgroup_size"));
  return statistics;
}

}  // namespace

bool isCodeObject(Bytes bytes) {
  const auto header = loadAt<Elf64_Ehdr>(bytes, 0);
  return header && std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_machine == kMachine;
}

Expected<std::vector<KernelStatistics>> codeObjectStatistics(Bytes image) {
  const auto elf = ElfView::parse(image);
  if (!elf) return Error(elf.error()).context("code object");
  for (const ElfSection& section : elf->sections()) {
    if (section.type != SHT_NOTE) continue;
    const auto packed = metadataIn(section.content);
    if (!packed) continue;
    try {
      const auto* data = reinterpret_cast<const uint8_t*>(packed->data());
      const Json metadata = Json::from_msgpack(data, data + packed->size());
      std::vector<KernelStatistics> all;
      for (const Json& kernel : metadata.at("amdhsa.kernels")) all.push_back(statisticsFrom(kernel, architectureFrom(metadata)));
      return all;
    } catch (const Json::exception& error) {
      return corrupt(error.what());
    }
  }
  return corrupt("it has no metadata note (older than version 3?)");
}

}  // namespace mneme::code
