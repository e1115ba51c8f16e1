// SPDX-License-Identifier: Apache-2.0
/// A line program is a small machine that emits rows of address and line; sequences begin by an address that a relocation ties
/// to a function's symbol.
#include "code/source_lines.h"

#include <filesystem>
#include <map>
#include <vector>

namespace mneme::code {
namespace {

using Bytes = std::span<const std::byte>;

constexpr uint64_t kRelocationBytes = 24, kOldestVersion = 2, kNewestVersion = 4;
enum Standard : uint8_t { kExtended, kCopy, kAdvancePc, kAdvanceLine, kSetFile, kSetColumn, kNegateStatement, kBasicBlock, kConstAddPc, kFixedAdvancePc };
enum Extended : uint8_t { kEndSequence = 1, kSetAddress = 2 };

/// Reads on; past the end everything is 0 and `ok` is false.
class Cursor {
 public:
  Cursor(Bytes bytes, uint64_t at) : bytes_(bytes), at_(at) {}
  template <typename T>
  T take() {
    const auto value = loadAt<T>(bytes_, at_);
    ok_ &= value.has_value();
    at_ = ok_ ? at_ + sizeof(T) : bytes_.size();
    return value.value_or(T{});
  }
  uint64_t uleb() {
    uint64_t value = 0;
    for (unsigned shift = 0; ok_ && shift < 64; shift += 7) {
      const auto byte = take<uint8_t>();
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) break;
    }
    return value;
  }
  int64_t sleb() {
    uint64_t value = 0;
    for (unsigned shift = 0; ok_ && shift < 64;) {
      const auto byte = take<uint8_t>();
      value |= uint64_t{byte & 0x7fu} << shift;
      shift += 7;
      if (byte >= 0x80) continue;
      if ((byte & 0x40) && shift < 64) value |= ~uint64_t{0} << shift;
      break;
    }
    return static_cast<int64_t>(value);
  }
  std::string text() {
    std::string value;
    for (char c = take<char>(); ok_ && c; c = take<char>()) value += c;
    return value;
  }
  void skip(uint64_t count) { seek(count > bytes_.size() - at_ ? bytes_.size() + 1 : at_ + count); }
  void seek(uint64_t at) {
    ok_ &= at <= bytes_.size();
    at_ = ok_ ? at : bytes_.size();
  }
  [[nodiscard]] uint64_t at() const { return at_; }
  [[nodiscard]] bool ok() const { return ok_; }

 private:
  Bytes bytes_;
  uint64_t at_;
  bool ok_ = true;
};

/// Symbol names by the place in the section that they are written to.
std::map<uint64_t, std::string> relocations(const ElfView& elf) {
  std::map<uint64_t, std::string> names;
  const ElfSection* section = elf.section(".rela.debug_line");
  const auto symbols = elf.symbols();
  if (!section || !symbols) return names;
  for (uint64_t at = 0; at + kRelocationBytes <= section->content.size(); at += kRelocationBytes) {
    const uint64_t symbol = *loadAt<uint64_t>(section->content, at + 8) >> 32;
    if (symbol < symbols->size()) names[*loadAt<uint64_t>(section->content, at)] = std::string((*symbols)[symbol].name);
  }
  return names;
}

struct Header {
  uint64_t end = 0;  ///< of the unit
  uint8_t minimum = 1, lineRange = 1, opcodeBase = 10;
  int8_t lineBase = 0;
  std::vector<uint8_t> lengths;
  std::vector<std::string> files;  ///< number 1 first
};

std::vector<std::string> readFiles(Cursor& cursor) {
  std::vector<std::string> folders, files;
  for (std::string folder = cursor.text(); cursor.ok() && !folder.empty(); folder = cursor.text()) folders.push_back(folder);
  for (std::string name = cursor.text(); cursor.ok() && !name.empty(); name = cursor.text()) {
    const uint64_t folder = cursor.uleb();
    cursor.uleb();
    cursor.uleb();
    const bool known = folder > 0 && folder <= folders.size();
    files.push_back(known ? (std::filesystem::path(folders[folder - 1]) / name).string() : name);
  }
  return files;
}

/// Leaves the cursor at the first instruction of the program.
std::optional<Header> readHeader(Cursor& cursor) {
  Header header;
  const auto length = cursor.take<uint32_t>();
  header.end = cursor.at() + length;
  const auto version = cursor.take<uint16_t>();
  const auto headerLength = cursor.take<uint32_t>();
  const uint64_t program = cursor.at() + headerLength;
  header.minimum = cursor.take<uint8_t>();
  if (version >= 4) cursor.skip(1);
  cursor.skip(1);
  header.lineBase = cursor.take<int8_t>();
  header.lineRange = cursor.take<uint8_t>();
  header.opcodeBase = cursor.take<uint8_t>();
  for (uint8_t i = 1; cursor.ok() && i < header.opcodeBase; ++i) header.lengths.push_back(cursor.take<uint8_t>());
  header.files = readFiles(cursor);
  cursor.seek(program);
  const bool sane = cursor.ok() && header.end >= cursor.at() && version >= kOldestVersion && version <= kNewestVersion && header.lineRange > 0 && header.opcodeBase > 0;
  return sane ? std::optional(header) : std::nullopt;
}

/// Runs one unit's program for the rows of one function.
class LineMachine {
 public:
  LineMachine(Cursor& cursor, const Header& header, const std::map<uint64_t, std::string>& symbols, const std::string& function,
              uint64_t offset)
      : cursor_(cursor), header_(header), symbols_(symbols), function_(function), wanted_(offset) {}

  std::optional<SourceLine> run() {
    while (cursor_.ok() && cursor_.at() < header_.end) step(cursor_.take<uint8_t>());
    return found_;
  }

 private:
  void step(uint8_t opcode) {
    if (opcode >= header_.opcodeBase) return special(static_cast<uint8_t>(opcode - header_.opcodeBase));
    switch (opcode) {
      case kExtended: return extended();
      case kCopy: return emit();
      case kAdvancePc: address_ += cursor_.uleb() * header_.minimum; return;
      case kAdvanceLine: line_ += static_cast<uint64_t>(cursor_.sleb()); return;
      case kSetFile: file_ = cursor_.uleb(); return;
      case kConstAddPc: address_ += (255u - header_.opcodeBase) / header_.lineRange * header_.minimum; return;
      case kFixedAdvancePc: address_ += cursor_.take<uint16_t>(); return;
      default:
        for (uint8_t i = 0; i < header_.lengths[opcode - 1]; ++i) cursor_.uleb();
    }
  }

  void special(uint8_t adjusted) {
    address_ += uint64_t{adjusted} / header_.lineRange * header_.minimum;
    line_ += static_cast<uint64_t>(int64_t{header_.lineBase} + adjusted % header_.lineRange);
    emit();
  }

  void extended() {
    const uint64_t length = cursor_.uleb(), begin = cursor_.at();
    const auto code = cursor_.take<uint8_t>();
    if (code == kSetAddress) {
      const auto symbol = symbols_.find(cursor_.at());
      inside_ = symbol != symbols_.end() && symbol->second == function_;
      address_ = cursor_.take<uint64_t>();
    }
    cursor_.seek(begin);
    cursor_.skip(length);
    if (code == kEndSequence) address_ = 0, line_ = file_ = 1, inside_ = false;
  }

  /// A row holds until the next one: the last at or before the address is its line.
  void emit() {
    if (!inside_ || address_ > wanted_ || file_ == 0 || file_ > header_.files.size() || line_ == 0) return;
    found_ = SourceLine{header_.files[file_ - 1], static_cast<uint32_t>(line_)};
  }

  Cursor& cursor_;
  const Header& header_;
  const std::map<uint64_t, std::string>& symbols_;
  const std::string& function_;
  uint64_t wanted_, address_ = 0, line_ = 1, file_ = 1;
  bool inside_ = false;
  std::optional<SourceLine> found_;
};

}  // namespace

std::optional<SourceLine> sourceLineOf(const ElfView& cubin, const std::string& function, uint64_t offset) {
  const ElfSection* section = cubin.section(".debug_line");
  if (!section) return std::nullopt;
  const auto symbols = relocations(cubin);
  Cursor cursor(section->content, 0);
  while (cursor.ok() && cursor.at() < section->content.size()) {
    const auto header = readHeader(cursor);
    if (!header) return std::nullopt;
    if (auto line = LineMachine(cursor, *header, symbols, function, offset).run()) return line;
    cursor.seek(header->end);
  }
  return std::nullopt;
}

}  // namespace mneme::code
