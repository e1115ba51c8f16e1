// SPDX-License-Identifier: Apache-2.0
/// The layout is not documented by the vendor; it was read off nvcc 11 to 13 output, and is the same since CUDA 5.
#include "code/fatbin.h"

#ifdef MNEME_HAS_LZ4
#include <lz4.h>
#endif
#include <zstd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "cubin/cubin.h"
#include "cubin/elf.h"
#include "cubin/ptx.h"

namespace mneme::code {
namespace {

constexpr uint32_t kMagic = 0xBA55ED50;
constexpr uint64_t kMaxCode = uint64_t{1} << 31;  // decompressed; cuBLAS's largest is far below
constexpr uint64_t kFlagLz4 = 0x2000, kFlagZstd = 0x8000;
constexpr uint64_t kFlagArchSpecific = 0x100000, kFlagFamilySpecific = 0x200000;
constexpr uint16_t kKindPtx = 1, kKindElf = 2;

struct Header {
  uint32_t magic;
  uint16_t version, headerSize;
  uint64_t size;  // of the entries behind this header
};

struct EntryHeader {
  uint16_t kind, version;
  uint32_t headerSize;
  uint64_t payloadSize;
  uint32_t compressedSize, optionsOffset;
  uint16_t minor, major;
  uint32_t architecture;
  uint32_t nameOffset, nameSize;
  uint64_t flags, reserved, uncompressedSize;
};
static_assert(sizeof(Header) == 16 && sizeof(EntryHeader) == 64);

Error corrupt(std::string what) { return {ErrorCode::CorruptRecording, "fat binary: " + std::move(what)}; }

std::string architectureName(const EntryHeader& header) {
  std::string name = (header.kind == kKindPtx ? "compute_" : "sm_") + std::to_string(header.architecture);
  if (header.flags & kFlagArchSpecific) name += 'a';
  else if (header.flags & kFlagFamilySpecific) name += 'f';
  return name;
}

std::span<const std::byte> withoutTrailingNul(std::span<const std::byte> text) {
  while (!text.empty() && text.back() == std::byte{0}) text = text.first(text.size() - 1);
  return text;
}

Expected<std::vector<std::byte>> decompressZstd(std::span<const std::byte> packed, uint64_t size) {
  if (size > kMaxCode) return corrupt("an entry claims to be larger than 2 GiB");
  std::vector<std::byte> bytes(size);
  const size_t got = ZSTD_decompress(bytes.data(), bytes.size(), packed.data(), packed.size());
  if (ZSTD_isError(got)) return corrupt(std::string("zstd: ") + ZSTD_getErrorName(got));
  if (got != size) return corrupt("an entry is shorter than it claims");
  return bytes;
}

#ifdef MNEME_HAS_LZ4
/// One block without a frame, as nvcc --compress-mode=speed and every nvcc before 12.4 write it.
Expected<std::vector<std::byte>> decompressLz4(std::span<const std::byte> packed, uint64_t size) {
  if (size > LZ4_MAX_INPUT_SIZE || packed.size() > LZ4_MAX_INPUT_SIZE)
    return corrupt("an entry claims to be larger than LZ4 can be");
  std::vector<std::byte> bytes(size);
  const int got = LZ4_decompress_safe(reinterpret_cast<const char*>(packed.data()), reinterpret_cast<char*>(bytes.data()),
                                      static_cast<int>(packed.size()), static_cast<int>(size));
  if (got < 0) return corrupt("LZ4: broken data");
  if (static_cast<uint64_t>(got) != size) return corrupt("an entry is shorter than it claims");
  return bytes;
}
#else
Expected<std::vector<std::byte>> decompressLz4(std::span<const std::byte>, uint64_t) {
  return Error(ErrorCode::Unsupported, "device code compressed by LZ4, which this build of Mneme cannot read: build Mneme "
                                       "with liblz4, or the program with nvcc --compress-mode=default");
}
#endif

/// The entry's code, or why it cannot be had. `payload` begins at the entry's payload.
Expected<std::vector<std::byte>> codeOf(const EntryHeader& header, std::span<const std::byte> payload) {
  std::vector<std::byte> bytes;
  if (header.flags & (kFlagLz4 | kFlagZstd)) {
    const auto packed = subrange(payload, 0, header.compressedSize);
    if (!packed) return corrupt("compressed code outside its entry");
    auto unpacked = header.flags & kFlagZstd ? decompressZstd(*packed, header.uncompressedSize)
                                             : decompressLz4(*packed, header.uncompressedSize);
    if (!unpacked) return unpacked;
    bytes = std::move(*unpacked);
  } else {
    bytes.assign(payload.begin(), payload.end());
  }
  if (header.kind == kKindPtx) bytes.resize(withoutTrailingNul(bytes).size());
  return bytes;
}

struct Entry {
  EntryHeader header;
  std::span<const std::byte> payload;
};

/// nullopt: the bytes do not hold a whole entry.
std::optional<Entry> entryAt(std::span<const std::byte> bytes, uint64_t offset) {
  const auto header = loadAt<EntryHeader>(bytes, offset);
  if (!header || header->headerSize < sizeof(EntryHeader) || header->headerSize > bytes.size() - offset)
    return std::nullopt;
  const auto payload = subrange(bytes, offset + header->headerSize, header->payloadSize);
  if (!payload) return std::nullopt;
  return Entry{*header, *payload};
}

/// Names the entry's kernels; leaves the reason in `unreadable` where they cannot be had.
void describe(FatBinaryEntry& entry, const EntryHeader& header, std::span<const std::byte> payload) {
  const auto code = codeOf(header, payload);
  if (!code) {
    entry.unreadable = code.error().message();
    return;
  }
  if (entry.kind == CodeKind::Ptx) {
    const std::string_view text(reinterpret_cast<const char*>(code->data()), code->size());
    for (const cubin::Kernel& kernel : cubin::scanPtx(text).kernels) entry.kernels.push_back(kernel.name);
    return;
  }
  const auto parsed = cubin::parse(*code);
  if (!parsed) {
    entry.unreadable = parsed.error().message();
    return;
  }
  entry.relocatable = parsed->relocatable;
  for (const cubin::Kernel& kernel : parsed->kernels) entry.kernels.push_back(kernel.name);
}

struct Architecture {
  unsigned number = 0;
  char variant = 0;  // 'a', 'f' or none
};

std::optional<Architecture> parseArchitecture(std::string_view text) {
  const size_t digits = text.find('_');
  if (digits == std::string_view::npos) return std::nullopt;
  Architecture result;
  size_t at = digits + 1;
  for (; at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) && result.number < 10000; ++at)
    result.number = result.number * 10 + static_cast<unsigned>(text[at] - '0');
  if (at < text.size()) result.variant = text[at];
  return result;
}

}  // namespace

bool runsOn(CodeKind kind, const std::string& code, const std::string& device) {
  const auto made = parseArchitecture(code), machine = parseArchitecture(device);
  if (!made || !machine) return false;
  if (made->variant == 'a') return made->number == machine->number;
  const bool sameMajor = made->number / 10 == machine->number / 10;
  if (kind == CodeKind::Ptx && made->variant == 0) return made->number <= machine->number;
  return sameMajor && made->number <= machine->number;
}

unsigned architectureRank(const std::string& architecture) {
  const auto parsed = parseArchitecture(architecture);
  return parsed ? parsed->number * 2 + (parsed->variant != 0) : 0;
}

constexpr uint32_t kBitcodeMagic = 0xdec04342;

Expected<FatBinaries> FatBinaries::open(const std::filesystem::path& binary, const std::string& architecture) {
  auto file = MappedFile::open(binary);
  if (!file) return std::move(file).error();
  FatBinaries result(std::move(*file));
  const auto elf = ElfView::parse(result.file_.bytes());
  if (!elf) return Error(elf.error()).context(binary.string());
  for (const ElfSection& section : elf->sections()) {
    if (section.name != ".nv_fatbin" && section.name != "__nv_relfatbin") continue;
    auto read = result.readSection(section.content, binary, architecture);
    if (!read) return std::move(read).error().context(binary.string());
  }
  return result;
}

Expected<void> FatBinaries::readSection(std::span<const std::byte> section, const std::filesystem::path& binary,
                                        const std::string& architecture) {
  if (loadAt<uint32_t>(section, 0) == kBitcodeMagic) return {};  // a program for the host device: its notes have this code, too
  for (uint64_t at = 0; at + sizeof(Header) <= section.size();) {
    const Header header = *loadAt<Header>(section, at);
    if (header.magic == 0) {  // padding between translation units
      at += 8;
      continue;
    }
    if (header.magic != kMagic || header.headerSize < sizeof(Header))
      return corrupt("unknown header at offset " + std::to_string(at) + " of the section");
    if (header.headerSize > section.size() - at) return corrupt("header outside the section");
    const auto entries = subrange(section, at + header.headerSize, header.size);
    if (!entries) return corrupt("entries outside the section");
    auto read = readEntries(*entries, binary, architecture);
    if (!read) return read;
    at += header.headerSize + header.size;
    at = (at + 7) & ~uint64_t{7};
  }
  return {};
}

Expected<void> FatBinaries::readEntries(std::span<const std::byte> entries, const std::filesystem::path& binary,
                                        const std::string& architecture) {
  for (uint64_t at = 0; at + sizeof(EntryHeader) <= entries.size();) {
    const auto found = entryAt(entries, at);
    if (!found) return corrupt("an entry lies outside its fat binary");
    const auto& [header, payload] = *found;
    if (header.kind == kKindPtx || header.kind == kKindElf) {
      FatBinaryEntry entry;
      entry.kind = header.kind == kKindPtx ? CodeKind::Ptx : CodeKind::Image;
      entry.architecture = architectureName(header);
      entry.binary = binary;
      entry.offset = static_cast<uint64_t>(&entries[at] - file_.bytes().data());
      if (architecture.empty() || runsOn(entry.kind, entry.architecture, architecture)) {
        describe(entry, header, payload);
        entries_.push_back(std::move(entry));
      }
    }
    at += header.headerSize + header.payloadSize;
  }
  return {};
}

Expected<std::vector<std::byte>> FatBinaries::code(const FatBinaryEntry& entry) const {
  const auto found = entryAt(file_.bytes(), entry.offset);
  if (!found) return corrupt("an entry of another file was asked for");
  return codeOf(found->header, found->payload);
}

std::vector<const FatBinaryEntry*> FatBinaries::find(const std::string& kernel, CodeKind kind,
                                                     const std::string& architecture) const {
  std::vector<const FatBinaryEntry*> found;
  for (const FatBinaryEntry& entry : entries_)
    if (entry.kind == kind && entry.unreadable.empty() && !entry.relocatable && runsOn(entry.kind, entry.architecture, architecture) &&
        std::ranges::count(entry.kernels, kernel) != 0)
      found.push_back(&entry);
  std::ranges::stable_sort(found, std::ranges::greater{},
                           [](const FatBinaryEntry* entry) { return architectureRank(entry->architecture); });
  return found;
}

}  // namespace mneme::code
