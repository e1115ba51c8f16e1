// SPDX-License-Identifier: Apache-2.0
/// See doctor_checks.h.
#include "doctor_checks.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/device.h"
#include "mneme/version.h"
#include "text.h"

namespace mneme::cli {
namespace {

namespace fs = std::filesystem;
using State = Check::State;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

fs::path ownProgram() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored);
}

/// Everything of that name in PATH, in order.
std::vector<fs::path> inPath(const std::string& program) {
  std::vector<fs::path> found;
  std::string list = environment("PATH");
  for (size_t at = 0; at <= list.size();) {
    size_t end = std::min(list.find(':', at), list.size());
    auto candidate = fs::path(list.substr(at, end - at)) / program;
    if (end > at && ::access(candidate.c_str(), X_OK) == 0) found.push_back(candidate);
    at = end + 1;
  }
  return found;
}

/// First line of what a command prints, or empty.
std::string firstLine(const std::string& command) {
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen((command + " 2>/dev/null").c_str(), "r"), &::pclose);
  char line[512] = "";
  if (!pipe || !std::fgets(line, sizeof line, pipe.get())) return {};
  std::string text = line;
  return text.substr(0, text.find('\n'));
}

Check version() { return {"version", State::Ok, std::string("mneme ") + MNEME_VERSION + " at " + ownProgram().string(), ""}; }

Check backends() {
  std::string text;
  for (auto* backend : device::backends()) {
    auto count = backend->count();
    text += (text.empty() ? "" : "; ") + backend->name() + ": " +
            (count ? counted(*count, "device") : count.error().message());
  }
  return {"back-ends", text.empty() ? State::Broken : State::Ok, text.empty() ? "none in this build" : text,
          text.empty() ? "build Mneme with MNEME_BACKENDS=host" : ""};
}

/// Another tool of this name exists (a Python package): which one does the shell start?
Check commandInPath() {
  auto all = inPath("mneme");
  if (all.empty())
    return {"command", State::Warning, "no mneme in PATH", "add " + ownProgram().parent_path().string() + " to PATH"};
  std::error_code ignored;
  if (fs::equivalent(all.front(), ownProgram(), ignored)) return {"command", State::Ok, all.front().string() + " comes first in PATH", ""};
  auto answer = firstLine(shellQuoted(all.front().string()) + " --version < /dev/null");
  bool ours = answer.starts_with("mneme ");
  return {"command", State::Warning,
          all.front().string() + " comes first in PATH: " + (ours ? "another installation, " + answer : "not this tool, but a namesake"),
          "put " + ownProgram().parent_path().string() + " before it, or call " + ownProgram().string()};
}

Check clang() {
  for (const char* name : {"clang++-22", "clang-22", "clang++", "clang"}) {
    auto found = inPath(name);
    if (found.empty()) continue;
    auto text = firstLine(shellQuoted(found.front().string()) + " --version");
    bool fits = text.find("version 22.") != std::string::npos;
    if (fits || std::string(name).find("22") == std::string::npos)
      return {"clang", fits ? State::Ok : State::Warning, text + " at " + found.front().string(),
              fits ? "" : "install clang 22 (Debian: apt install clang-22)"};
  }
  return {"clang", State::Broken, "no clang in PATH: device sources cannot be made recordable",
          "install clang 22 (Debian: apt install clang-22)"};
}

fs::path hostCompiler() {
  if (auto set = environment("MNEME_HOSTCC"); !set.empty()) return set;
  return ownProgram().parent_path().parent_path() / "libexec/mneme/mneme-hostcc";
}

/// An empty file is no bitcode: a working compiler says so in one line of its own and ends with an exit code.
Check hostCompilerRuns() {
  auto program = hostCompiler();
  if (::access(program.c_str(), X_OK) != 0)
    return {"host compiler", State::Broken, program.string() + " is not there", "install Mneme whole, or set MNEME_HOSTCC"};
  auto answer = firstLine("{ " + shellQuoted(program.string()) + " 2>&1; }");
  bool runs = answer.find("mneme-hostcc") != std::string::npos;
  return {"host compiler", runs ? State::Ok : State::Broken,
          program.string() + (runs ? " runs" : " does not run: " + (answer.empty() ? "no answer" : answer)),
          runs ? "" : "its LLVM 22 library is missing (Debian: apt install libllvm22)"};
}

fs::path cacheFolder() {
  if (auto set = environment("MNEME_CACHE_DIR"); !set.empty()) return set;
  if (auto set = environment("XDG_CACHE_HOME"); !set.empty()) return fs::path(set) / "mneme";
  if (auto home = environment("HOME"); !home.empty()) return fs::path(home) / ".cache/mneme";
  return {};
}

/// Permission bits do not tell everything (root, read-only and special file systems): a folder is made and removed.
bool canMakeFolderIn(const fs::path& folder) {
  auto trial = (folder / ".mneme-doctor-XXXXXX").string();
  return ::mkdtemp(trial.data()) && ::rmdir(trial.c_str()) == 0;
}

/// The nearest folder that exists decides whether the cache can be made.
Check cache() {
  auto folder = cacheFolder();
  auto existing = folder;
  while (!existing.empty() && !fs::exists(existing) && existing != existing.parent_path()) existing = existing.parent_path();
  if (!existing.empty() && canMakeFolderIn(existing))
    return {"cache", State::Ok, folder.string() + " can be written", ""};
  return {"cache", State::Warning, (folder.empty() ? "no HOME" : folder.string() + " cannot be written") +
          ", kernels are compiled anew in each process", "set MNEME_CACHE_DIR to a directory that can be written"};
}

Check diskSpace() {
  struct statvfs info {};
  if (::statvfs(".", &info) != 0) return {"disk", State::Warning, "cannot look at this directory's disk", ""};
  uint64_t left = uint64_t{info.f_bavail} * info.f_frsize;
  bool enough = left > (uint64_t{1} << 30);
  return {"disk", enough ? State::Ok : State::Warning, sizeText(left) + " free here",
          enough ? "" : "recordings are as large as the memory they hold; make room"};
}

/// In a child: personality() cannot be taken back everywhere.
Check addressLayout() {
  std::string text;
  std::ifstream("/proc/sys/kernel/randomize_va_space") >> text;
  pid_t child = ::fork();
  if (child == 0) ::_exit(::personality(ADDR_COMPAT_LAYOUT | ADDR_NO_RANDOMIZE) < 0 ? 1 : 0);
  int status = 1;
  if (child > 0) ::waitpid(child, &status, 0);
  bool allowed = child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return {"address layout", State::Ok,
          "randomisation " + (text.empty() ? std::string("unknown") : text) + ", personality() " +
              (allowed ? "allowed" : "refused by the sandbox: replays on a GPU draw layouts at random instead"), ""};
}

Check arena() {
  constexpr size_t kPage = 4096;
  void* wanted = reinterpret_cast<void*>(uintptr_t{0x600000000000});
  void* got = ::mmap(wanted, kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0);
  if (got != MAP_FAILED) ::munmap(got, kPage);
  bool exact = got == wanted;
  return {"fixed addresses", exact ? State::Ok : State::Warning,
          exact ? "memory can be had at recorded addresses" : "memory at a chosen address is refused",
          exact ? "" : "replays will relocate pointers; run outside this sandbox for exact addresses"};
}

Check library(const char* name, const char* file, const char* without) {
  void* handle = ::dlopen(file, RTLD_LAZY | RTLD_LOCAL);
  if (!handle) return {name, State::Absent, std::string(file) + " is not here", without};
  return {name, State::Ok, std::string(file) + " loads", ""};
}

Check cudaToolkit() {
  for (const auto& root : {environment("CUDA_HOME"), environment("CUDA_PATH"), std::string("/usr/local/cuda")})
    if (!root.empty() && fs::exists(fs::path(root) / "bin/nvcc"))
      return {"CUDA toolkit", State::Ok, firstLine(shellQuoted(root + "/bin/nvcc") + " --version | tail -1") + " at " + root, ""};
  return {"CUDA toolkit", State::Absent, "no nvcc in CUDA_HOME or /usr/local/cuda", "only needed to build with nvcc"};
}

}  // namespace

std::vector<Check> runChecks() {
  return {version(), commandInPath(), backends(), clang(), hostCompilerRuns(), cache(), diskSpace(), addressLayout(), arena(),
          library("CUDA driver", "libcuda.so.1", "only needed on machines with an NVIDIA GPU"),
          cudaToolkit(),
          library("CUPTI", "libcupti.so", "only needed to record CUDA programs on an NVIDIA GPU"),
          library("nvJitLink", "libnvJitLink.so", "only needed to link PTX of relocatable device code"),
          library("HIP", "libamdhip64.so", "only needed on machines with an AMD GPU")};
}

}  // namespace mneme::cli
