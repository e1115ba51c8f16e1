// SPDX-License-Identifier: Apache-2.0
/// The directory of a recording set; see set_files.h.
#include "format/set_files.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "format/json_fields.h"
#include "format/layout.h"
#include "format/recording_set.h"

namespace mneme::format {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kGitAttributes =
    "# Written by Mneme. Hashes cover these bytes: git must not change them.\n"
    "*.json text eol=lf\n"
    "/code/* binary\n"
    "/data/*.pack binary\n"
    "# For large sets, keep the packs in Git LFS:\n"
    "# /data/*.pack filter=lfs diff=lfs merge=lfs -text\n";

/// The same bytes in every set of a version, so that sets merge without a conflict.
std::string setJson() {
  return canonicalText({{"format", {{"major", kFormatMajor}, {"minor", kFormatMinor}}}, {"kind", "mneme recording set"}});
}

Expected<void> makeDirectory(const fs::path& path) {
  std::error_code failed;
  fs::create_directories(path, failed);
  if (failed) return ioError("cannot create directory", path, failed.value());
  return {};
}

Expected<void> checkSetJson(const fs::path& path) {
  auto text = readText(path, kMaxManifestBytes);
  if (!text) return std::move(text).error();
  auto document = parseJsonObject(*text, path.string());
  auto readable = document ? checkVersion(*document, path.string()) : Expected<void>(std::move(document).error());
  if (readable || readable.error().message().find("format version") != std::string::npos) return readable;
  return Error(readable.error().code(), readable.error().message() + "; restore it: it is the same in every set");
}

bool isFileName(const fs::path& path, std::string_view extension) {
  auto name = path.filename().string();
  return name.size() > extension.size() && name.ends_with(extension) && (name[0] != '.' || extension == ".tmp");
}

uint64_t sizeOrZero(int fd) {
  struct stat info {};
  return ::fstat(fd, &info) == 0 ? static_cast<uint64_t>(info.st_size) : 0;
}

}  // namespace

Expected<void> createSet(const fs::path& set) {
  for (const auto& directory : {set, set / "code", set / "data"})
    if (auto made = makeDirectory(directory); !made) return made;
  SetLock shared(set, SetLock::Mode::Shared);
  std::error_code ignored;
  if (!fs::exists(set / ".gitattributes", ignored))
    if (auto written = writeAtomically(set / ".gitattributes", kGitAttributes); !written) return written;
  if (fs::exists(set / "set.json", ignored)) return checkSetJson(set / "set.json");
  return writeAtomically(set / "set.json", setJson());
}

Expected<void> checkSet(const fs::path& set) {
  std::error_code ignored;
  if (!fs::is_directory(set, ignored)) return Error(ErrorCode::NotFound, set.string() + ": no such recording set");
  auto checked = checkSetJson(set / "set.json");
  return checked || checked.error().code() != ErrorCode::NotFound ? checked : Expected<void>();
}

Expected<void> requireSet(const fs::path& set) {
  std::error_code ignored;
  if (auto checked = checkSet(set); !checked || fs::exists(set / "set.json", ignored)) return checked;
  return Error(ErrorCode::InvalidArgument, set.string() + ": is not a recording set, it has no set.json; nothing was touched");
}

namespace {
/// Permissions do not tell all: the file system may be read-only, full or no ordinary one.
Expected<void> tryDirectory(const fs::path& directory) {
  auto probe = (directory / ".mneme-XXXXXX").string();
  if (!::mkdtemp(probe.data())) return ioError("cannot write to", directory, errno);
  ::rmdir(probe.c_str());
  return {};
}
}  // namespace

Expected<void> checkWritable(const fs::path& set) {
  std::error_code ignored;
  auto existing = fs::absolute(set).lexically_normal();
  const bool isNew = !fs::exists(existing, ignored);
  while (!fs::exists(existing, ignored) && existing.has_relative_path()) existing = existing.parent_path();
  if (!fs::is_directory(existing, ignored)) return Error(ErrorCode::Io, existing.string() + ": is not a directory");
  if (isNew) return tryDirectory(existing);
  if (auto readable = checkSet(set); !readable) return readable;
  for (const auto& directory : {existing, existing / "data", existing / "code"})
    if (auto fine = fs::exists(directory, ignored) ? tryDirectory(directory) : Expected<void>(); !fine) return fine;
  return {};
}

fs::path setOf(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

bool isSetFile(const fs::path& path) { return path.filename() == "set.json" || path.filename() == "tolerance.json"; }

SetLock::SetLock(const fs::path& set, Mode mode, std::chrono::milliseconds patience) {
  auto opened = openFile(set, O_RDONLY | O_DIRECTORY);
  if (!opened) return;
  directory_ = std::move(*opened);
  int operation = (mode == Mode::Shared ? LOCK_SH : LOCK_EX) | LOCK_NB;
  auto deadline = std::chrono::steady_clock::now() + patience;
  while (!(held_ = ::flock(directory_.get(), operation) == 0) && (errno == EWOULDBLOCK || errno == EINTR)) {
    busy_ = std::chrono::steady_clock::now() > deadline;
    if (busy_) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

Expected<bool> publishNew(const fs::path& path, std::string_view text) {
  static std::atomic<unsigned> counter{0};
  auto temporary = path.parent_path() / ("." + path.filename().string() + "." + std::to_string(::getpid()) + ".new" +
                                         std::to_string(counter++) + ".tmp");
  if (auto written = writeAtomically(temporary, text); !written) return std::move(written).error();
  int failed = ::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) == 0 ? 0 : errno;
  if (failed == EINVAL || failed == ENOSYS) {  // a file system without it
    failed = ::link(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
    ::unlink(temporary.c_str());
  }
  if (failed == 0) return true;
  ::unlink(temporary.c_str());
  if (failed == EEXIST) return false;
  return ioError("cannot rename to", path, failed);
}

Expected<References> references(const fs::path& set) {
  References out;
  auto manifests = listManifests(set);
  if (!manifests) return std::move(manifests).error();
  for (const auto& path : *manifests) {
    auto text = readText(path, kMaxManifestBytes);
    if (!text && text.error().code() == ErrorCode::NotFound) continue;  // removed since
    auto manifest = text ? parseManifest(*text, path.string()) : Expected<Manifest>(std::move(text).error());
    if (!manifest) {
      out.unreadable.push_back(path);
      continue;
    }
    out.packs.insert({manifest->before.pack, manifest->after.pack});
    for (const auto& code : manifest->code) out.code.insert(code.file);
  }
  return out;
}

Expected<FileDescriptor> lockPack(const fs::path& path, int flags) {
  auto fd = openFile(path, flags | O_NOFOLLOW | O_NONBLOCK);
  if (!fd) return fd;
  if (::flock(fd->get(), LOCK_EX | LOCK_NB) == 0) return fd;
  if (errno == EWOULDBLOCK) return Error(ErrorCode::Unavailable, path.string() + ": is being written");
  return ioError("cannot lock", path, errno);
}

HeldPacks holdPacks(const fs::path& set, const std::set<std::string>& packs) {
  HeldPacks held;
  for (const auto& pack : packs)
    if (auto fd = lockPack(packPath(set, pack), O_RDONLY)) held.emplace(pack, std::move(*fd));
  return held;
}

uint64_t removeUnused(const fs::path& set, const HeldPacks& held, const References& used) {
  uint64_t freed = 0;
  if (!used.unreadable.empty()) return freed;
  for (const auto& [pack, fd] : held) {
    if (used.packs.contains(pack)) continue;
    auto bytes = sizeOrZero(fd.get());
    if (::unlink(packPath(set, pack).c_str()) == 0) freed += bytes;
  }
  return freed;
}

Expected<uint64_t> removeUnusedPacks(const fs::path& set, const std::set<std::string>& packs) {
  if (packs.empty()) return uint64_t{0};
  SetLock exclusive(set, SetLock::Mode::Exclusive);
  if (!exclusive.held()) return uint64_t{0};
  auto held = holdPacks(set, packs);
  auto used = references(set);
  if (!used) return std::move(used).error();
  return removeUnused(set, held, *used);
}

std::vector<fs::path> filesIn(const fs::path& directory, std::string_view extension) {
  std::vector<fs::path> out;
  std::error_code failed;
  for (fs::directory_iterator it(directory, failed), end; !failed && it != end; it.increment(failed)) {
    std::error_code ignored;
    if (isFileName(it->path(), extension) && it->is_regular_file(ignored)) out.push_back(it->path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

void syncDirectory(const fs::path& directory) {
  if (auto fd = openFile(directory, O_RDONLY | O_DIRECTORY)) ::fsync(fd->get());
}

Expected<std::vector<fs::path>> listManifests(const fs::path& set) {
  if (auto checked = checkSet(set); !checked) return std::move(checked).error();
  auto out = filesIn(set, ".json");
  std::erase_if(out, isSetFile);
  return out;
}

namespace {
/// Whether `now` still is the recording that `then` was read from: others may have recorded over it.
bool sameRecording(const Manifest& now, const Manifest& then) {
  return now.hash8 == then.hash8 && now.recordedAt == then.recordedAt && now.arguments == then.arguments &&
         now.regions.size() == then.regions.size();
}
}  // namespace

Expected<void> rewriteManifest(const fs::path& path, const Manifest& manifest) {
  // Exclusive: no other manifest is published and no pack moved between reading this one and writing it.
  SetLock exclusive(setOf(path), SetLock::Mode::Exclusive);
  auto text = readText(path);
  if (!text) return std::move(text).error();
  auto now = parseManifest(*text, path.string());
  if (!now) return std::move(now).error();
  if (!sameRecording(*now, manifest)) return {};
  Manifest updated = manifest;
  updated.before = now->before;
  updated.after = now->after;
  return writeAtomically(path, toJson(updated));
}

}  // namespace mneme::format
