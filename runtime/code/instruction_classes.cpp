// SPDX-License-Identifier: Apache-2.0
/// The table was made by disassembling code of sm_75 to sm_100 with nvdisasm; see tests/code/instruction_classes.sh.
#include "code/instruction_classes.h"

#include "cubin/elf.h"

namespace mneme::code {
namespace {

constexpr uint64_t kInstructionBytes = 16, kOpcodeMask = 0x1ff;
constexpr uint16_t kNop = 0x118;

struct Entry {
  uint16_t opcode;
  const char* mnemonic;
  std::string_view name;
};

constexpr Entry kTable[]{
    {0x008, "FSEL", "float"},      {0x009, "FMNMX", "float"},      {0x00b, "FSETP", "float"},     {0x020, "FMUL", "float"},
    {0x021, "FADD", "float"},      {0x023, "FFMA", "float"},       {0x028, "DMUL", "double"},     {0x029, "DADD", "double"},
    {0x02a, "DSETP", "double"},    {0x02b, "DFMA", "double"},      {0x030, "HADD2", "half"},      {0x031, "HFMA2", "half"},
    {0x032, "HMUL2", "half"},      {0x034, "HSETP2", "half"},      {0x035, "HFMA2", "half"},      {0x037, "IMMA", "tensor"},
    {0x03c, "HMMA", "tensor"},     {0x03f, "DMMA", "tensor"},      {0x00c, "ISETP", "integer"},   {0x010, "IADD3", "integer"},
    {0x011, "LEA", "integer"},     {0x012, "LOP3", "integer"},     {0x013, "IABS", "integer"},    {0x017, "IMNMX", "integer"},
    {0x019, "SHF", "integer"},     {0x024, "IMAD", "integer"},     {0x025, "IMAD", "integer"},    {0x026, "IDP", "integer"},
    {0x027, "IMAD", "integer"},    {0x036, "VIADD", "integer"},    {0x048, "VIMNMX", "integer"},  {0x08c, "UISETP", "integer"},
    {0x090, "UIADD3", "integer"},  {0x091, "ULEA", "integer"},     {0x092, "ULOP3", "integer"},   {0x099, "USHF", "integer"},
    {0x0a4, "UIMAD", "integer"},   {0x0a5, "UIMAD", "integer"},    {0x0bd, "UFLO", "integer"},    {0x0bf, "UPOPC", "integer"},
    {0x100, "FLO", "integer"},     {0x101, "BREV", "integer"},     {0x109, "POPC", "integer"},    {0x108, "MUFU", "special"},
    {0x045, "I2FP", "conversion"}, {0x105, "F2I", "conversion"},   {0x106, "I2F", "conversion"},  {0x107, "FRND", "conversion"},
    {0x110, "F2F", "conversion"},  {0x111, "F2I", "conversion"},   {0x112, "I2F", "conversion"},  {0x180, "LD", "global"},
    {0x181, "LDG", "global"},      {0x185, "ST", "global"},        {0x186, "STG", "global"},      {0x1ae, "LDGSTS", "global"},
    {0x184, "LDS", "shared"},      {0x188, "STS", "shared"},       {0x03b, "LDSM", "shared"},     {0x183, "LDL", "local"},
    {0x187, "STL", "local"},       {0x182, "LDC", "constant"},     {0x0b9, "ULDC", "constant"},   {0x1ac, "LDCU", "constant"},
    {0x18a, "ATOM", "atomic"},     {0x18c, "ATOMS", "atomic"},     {0x18d, "ATOMS", "atomic"},    {0x18e, "RED", "atomic"},
    {0x1a3, "ATOMG", "atomic"},    {0x1a8, "ATOMG", "atomic"},     {0x1a9, "ATOMG", "atomic"},    {0x160, "TEX", "texture"},
    {0x163, "TLD4", "texture"},    {0x166, "TLD", "texture"},      {0x199, "SULD", "texture"},    {0x19d, "SUST", "texture"},
    {0x141, "BSYNC", "control"},   {0x144, "CALL", "control"},     {0x145, "BSSY", "control"},    {0x146, "YIELD", "control"},
    {0x147, "BRA", "control"},     {0x148, "WARPSYNC", "control"}, {0x14d, "EXIT", "control"},    {0x150, "RET", "control"},
    {0x11d, "BAR", "control"},     {0x15c, "BPT", "control"},      {0x192, "MEMBAR", "control"},  {0x1c6, "FENCE", "control"}};

}  // namespace

std::string_view instructionClass(uint64_t low) {
  const auto opcode = static_cast<uint16_t>(low & kOpcodeMask);
  if (opcode == kNop) return {};
  for (const Entry& entry : kTable)
    if (entry.opcode == opcode) return entry.name;
  return "other";
}

std::map<std::string, uint32_t> countInstructions(std::span<const std::byte> code) {
  std::map<std::string, uint32_t> counts;
  for (std::string_view name : kInstructionClasses) counts.emplace(name, 0);
  for (uint64_t at = 0; at + kInstructionBytes <= code.size(); at += kInstructionBytes)
    if (const auto name = instructionClass(*loadAt<uint64_t>(code, at)); !name.empty()) ++counts[std::string(name)];
  return counts;
}

}  // namespace mneme::code
