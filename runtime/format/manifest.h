// SPDX-License-Identifier: Apache-2.0
/// One recording's manifest, as a value. Every field is in the JSON (docs/format.md); nothing is derived from file names.
/// Sizes and offsets are bytes, addresses are device addresses at recording.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "base/launch.h"

namespace mneme::format {

inline constexpr uint32_t kFormatMajor = 1;
inline constexpr uint32_t kFormatMinor = 0;
inline constexpr uint64_t kChunkBytes = 64 * 1024;  ///< of a region; the last chunk of a region may be shorter

/// Element type of a region, from the kernel's typed stores or an annotation.
enum class ElementType : uint8_t { Bytes = 0, F16, BF16, F32, F64, I8, I16, I32, I64 };

/// Where a snapshot's or region's table lies: `data/<pack>.pack`, a table record at `offset`, its content hash.
struct TableReference {
  std::string pack;  ///< [A-Za-z0-9_-]+, no path
  uint64_t offset = 0;
  uint64_t size = 0;  ///< of the record's payload
  Hash128 hash;
};

struct CodeReference {
  CodeKind kind = CodeKind::Llvm;
  std::string file;          ///< name under code/, <hash>.<ext>
  Hash128 hash;              ///< of the file's bytes
  std::string architecture;  ///< "sm_90", …
  std::string source;        ///< the translation unit, relative to the project where possible; may be empty
  std::string command;       ///< the noted compile command; may be empty
  std::string library = {};  ///< the shared library that held it, relative to the program's folder; empty: the program
                             ///< itself, or not known
};

/// A recorded region as the manifest lists it; the bytes are in the pack's snapshot table, same order.
struct Region {
  MemoryRange range;
  ElementType element = ElementType::Bytes;
  bool changed = false;  ///< the kernel changed at least one byte
  uint64_t changedBytes = 0;  ///< in changed chunks
};

/// The self-check's answer for one code kind.
struct SelfCheck {
  enum class Result : uint8_t { NotRun, Reproduced, ReproducedWithin, NotReproduced, Refused };
  Result result = Result::NotRun;
  double absolute = 0, relative = 0;  ///< largest error seen, ReproducedWithin
  uint64_t ulp = 0;
  std::string reason;                 ///< NotReproduced, Refused
};

/// A tolerance that the program declared for a buffer (mneme::annotate).
struct Annotation {
  std::string buffer;  ///< region name
  ElementType element = ElementType::Bytes;
  std::optional<double> atol, rtol;
  std::optional<uint64_t> ulp;
};

/// What `mneme export --redact` left of the program's numbers.
enum class Redaction : uint8_t {
  None,    ///< all of them
  Memory,  ///< floating-point memory is noise before and after: the kernel does not compute the one from the other
  Inputs,  ///< it is noise before; after it is what the kernel made of that (`mneme baseline update`)
};

struct Manifest {
  uint32_t formatMajor = kFormatMajor, formatMinor = kFormatMinor;

  std::string kernel;     ///< mangled
  std::string demangled;
  std::string shortName;  ///< [A-Za-z0-9_], at most 48: the file's and the test's name
  std::string hash8;      ///< 8 hexadecimal digits; identity, never content
  std::string tag;        ///< annotation tag, part of the identity
  uint64_t ordinal = 0;   ///< among all launches of this kernel and shape in the process, from 0
  uint32_t rank = 0;

  LaunchShape shape;
  std::vector<ParameterSlot> parameters;
  std::vector<uint8_t> arguments;  ///< packed
  int64_t maxDynamicSharedBytes = -1, sharedCarveout = -1, stackLimit = -1, printfLimit = -1, mallocHeapLimit = -1;

  std::vector<Region> regions;  ///< all of them, globals included; at most kMaxListedRegions appear in the JSON's list,
                                ///< the rest only in the snapshot table
  uint64_t unlistedRegions = 0; ///< set by parseManifest: regions that only the snapshot table has; Recording::open
                                ///< appends them to `regions` and makes this 0
  TableReference before;        ///< every region's chunks
  TableReference after;         ///< only the chunks that changed
  std::vector<CodeReference> code;

  std::string backend, model, architecture, driver, toolchain;
  std::string program;       ///< the command that was recorded, arguments shell-quoted
  std::string recordedAt;    ///< ISO 8601, UTC
  std::string mnemeVersion;
  bool sharedWrites = false;            ///< consistency could not be had (host threads, running kernels)
  Redaction redaction = Redaction::None;
  uint64_t kernelNanoseconds = 0;       ///< in the program, an unrecorded neighbouring launch; 0: unknown
  std::vector<Annotation> annotations;
  std::map<std::string, SelfCheck> selfCheck;  ///< by code kind name
};

inline constexpr size_t kMaxListedRegions = 128;  // a manifest stays under 64 KB

/// Canonical JSON: sorted keys, two-space indent, LF, with "manifest_hash" over the canonical text without that key.
[[nodiscard]] std::string toJson(const Manifest& manifest);

/// CorruptRecording for anything that is not a manifest, with the field's path; a newer major version is named with the
/// version that reads it; a Git LFS pointer says `git lfs pull`. Unlisted regions are filled in by the reader.
[[nodiscard]] Expected<Manifest> parseManifest(std::string_view json, const std::string& origin);

/// The names that manifests and tables use: "f32", "reproduced within".
[[nodiscard]] std::string_view name(ElementType type);
[[nodiscard]] std::optional<ElementType> elementTypeFromName(std::string_view name);
[[nodiscard]] uint32_t sizeOf(ElementType type);  ///< bytes of one element; 1 for Bytes
[[nodiscard]] std::string_view name(Redaction redaction);  ///< "none", "memory", "inputs"
[[nodiscard]] std::optional<Redaction> redactionFromName(std::string_view name);
[[nodiscard]] std::string_view name(SelfCheck::Result result);
[[nodiscard]] std::optional<SelfCheck::Result> selfCheckResultFromName(std::string_view name);

/// The identity hash: kernel, shape, ordinal, rank, tag.
[[nodiscard]] std::string identityHash(const Manifest& manifest);
/// The mangled name made readable; the name itself where it is not a mangled one.
[[nodiscard]] std::string demangle(const std::string& mangled);
/// [A-Za-z0-9_], 1 to 48 characters.
[[nodiscard]] bool isShortName(std::string_view name);
/// Readable, [A-Za-z0-9_], at most 48 characters: from a demangled name, template arguments and namespaces shortened.
[[nodiscard]] std::string shortNameOf(std::string_view demangled);
/// "<shortName>.<hash8>.json"
[[nodiscard]] std::string manifestFileName(const Manifest& manifest);

}  // namespace mneme::format
