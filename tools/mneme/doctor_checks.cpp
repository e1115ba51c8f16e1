// SPDX-License-Identifier: Apache-2.0
/// See doctor_checks.h.
#include "doctor_checks.h"

#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/device.h"
#include "doctor_cuda.h"
#include "doctor_probe.h"
#include "mneme/version.h"
#include "own_files.h"
#include "text.h"

namespace mneme::cli {
namespace {

namespace fs = std::filesystem;
using State = Check::State;

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

int majorOf(const std::string& version) {
  const size_t at = version.find("version ");
  return at == std::string::npos ? 0 : std::atoi(version.c_str() + at + 8);
}

/// What an older clang lacks, as measured with clang 19 and CUDA 13.
Check olderClang(int major, const std::string& what) {
  const std::string advice = "install clang 22 (Debian: apt install clang-22)";
  if (major < 19) return {"clang", State::Warning, what + ": too old, device sources that nvcc builds keep PTX only", advice};
  return {"clang", State::Warning,
          what + ": serves sources that nvcc builds, at a cost (__grid_constant__ arguments are copied, surfaces and sm_100 "
                 "and newer are missing); none are built for the host device",
          advice};
}

Check clang() {
  std::string best;
  int newest = 0;
  for (const char* name : {"clang++-22", "clang++-21", "clang++-20", "clang++-19", "clang++"}) {
    const auto found = inPath(name);
    if (found.empty()) continue;
    const auto text = firstLine(shellQuoted(found.front().string()) + " --version");
    if (majorOf(text) == 22) return {"clang", State::Ok, text + " at " + found.front().string(), ""};
    if (majorOf(text) > newest) newest = majorOf(text), best = text + " at " + found.front().string();
  }
  if (newest > 22) return {"clang", State::Warning, best + ": newer than the LLVM 22 that reads its code", "install clang 22"};
  if (newest > 0) return olderClang(newest, best);
  return {"clang", State::Broken, "no clang in PATH: device sources for the host device cannot be compiled, those that nvcc "
          "builds keep PTX only", "install clang 22 (Debian: apt install clang-22)"};
}

fs::path hostCompiler() {
  if (auto set = environment("MNEME_HOSTCC"); !set.empty()) return set;
  return helperFile("mneme-hostcc");
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

/// Loads it in this process, which then has an LLVM; nothing else here has one.
Check codeGenerator() {
  const auto file = helperFile("libmneme-code.so");
  const void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle) return {"LLVM", State::Ok, file.string() + " loads: llvm code can be generated for GPUs", ""};
  const char* why = ::dlerror();
  return {"LLVM", State::Warning, "no code generation: " + std::string(why ? why : file.string() + " is not there"),
          "build Mneme with LLVM 22 (Debian: llvm-22-dev), or install libllvm22; replays as image and ptx need none"};
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

/// Of this process: what a container or a service manager put around it.
Check sandbox() {
  std::ifstream status("/proc/self/status");
  std::string mode = "0";
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("Seccomp:")) mode = line.substr(line.find_last_of(" \t") + 1);
  const bool filtered = mode != "0";
  return {"sandbox", State::Ok,
          filtered ? "system calls are filtered (seccomp mode " + mode + ")" : "no filter of system calls", ""};
}

Check hip() {
  constexpr const char* kFile = "libamdhip64.so";
  if (::dlopen(kFile, RTLD_LAZY | RTLD_LOCAL)) return {"HIP", State::Ok, std::string(kFile) + " loads", ""};
  return {"HIP", State::Absent, std::string(kFile) + " is not here", "only needed on machines with an AMD GPU"};
}

}  // namespace

std::vector<Check> runChecks() {
  std::vector<Check> checks{version(), commandInPath(), backends(), clang(), hostCompilerRuns(), codeGenerator(), cache(),
                            diskSpace(), sandbox(), addressLayout(), arena()};
  for (auto& check : cudaChecks()) checks.push_back(std::move(check));
  checks.push_back(hip());
  return checks;
}

}  // namespace mneme::cli
