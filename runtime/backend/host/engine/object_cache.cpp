// SPDX-License-Identifier: Apache-2.0
/// Keys, places and the run of mneme-hostcc.
#include "backend/host/engine/object_cache.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>
#include <system_error>
#include <vector>

#include "backend/host/engine.h"
#include "base/file.h"
#include "base/hash.h"

extern char** environ;

namespace mneme::host {
namespace {

namespace fs = std::filesystem;

/// The directory of the library or program that holds this code. A program's own name is whatever it was started by, so
/// only a library's is believed.
fs::path ownDirectory() {
  Dl_info info{};
  link_map* object = nullptr;
  const bool found = dladdr1(reinterpret_cast<void*>(&compiledObject), &info, reinterpret_cast<void**>(&object),
                             RTLD_DL_LINKMAP) != 0;
  const bool library = found && object && object->l_name && *object->l_name;
  std::error_code failed;
  auto path = fs::canonical(library ? object->l_name : "/proc/self/exe", failed);
  return failed ? fs::path() : path.parent_path();
}

Expected<fs::path> findCompiler() {
  if (const char* set = std::getenv("MNEME_HOSTCC"); set && *set) {
    if (::access(set, X_OK) == 0) return fs::path(set);
    return Error(ErrorCode::NotFound, std::string("MNEME_HOSTCC names ") + set + ", which cannot be run");
  }
  auto directory = ownDirectory();
  for (auto candidate = directory; candidate.has_relative_path(); candidate = candidate.parent_path()) {
    auto program = candidate / "libexec/mneme/mneme-hostcc";
    if (::access(program.c_str(), X_OK) == 0) return program;
  }
  return Error(ErrorCode::NotFound, "mneme-hostcc is not at ../libexec/mneme beside " + directory.string() +
                                        "; set MNEME_HOSTCC to its path");
}

bool usableDirectory(const fs::path& path) {
  std::error_code failed;
  fs::create_directories(path, failed);
  return ::access(path.c_str(), W_OK | X_OK) == 0;
}

fs::path wantedCache() {
  auto from = [](const char* name) { const char* value = std::getenv(name); return std::string(value ? value : ""); };
  if (auto set = from("MNEME_CACHE_DIR"); !set.empty()) return fs::path(set) / "host";
  if (auto set = from("XDG_CACHE_HOME"); !set.empty()) return fs::path(set) / "mneme/host";
  if (auto home = from("HOME"); !home.empty()) return fs::path(home) / ".cache/mneme/host";
  return {};
}

/// The cache, or a directory of this process alone where that cannot be written.
Expected<fs::path> cacheDirectory() {
  static std::mutex mutex;
  static fs::path chosen;
  std::lock_guard lock(mutex);
  if (!chosen.empty() && usableDirectory(chosen)) return chosen;
  if (auto wanted = wantedCache(); !wanted.empty() && usableDirectory(wanted)) return chosen = wanted;
  std::error_code failed;
  auto pattern = (fs::temp_directory_path(failed) / "mneme-XXXXXX").string();
  if (!::mkdtemp(pattern.data())) return ioError("creating a directory for compiled kernels", pattern, errno);
  return chosen = pattern;
}

/// Changes whenever the compiler does.
std::string stampOf(const fs::path& program) {
  struct stat status{};
  if (::stat(program.c_str(), &status) != 0) return {};
  return std::to_string(status.st_size) + ":" + std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec);
}

std::string keyOf(std::span<const std::byte> bitcode, const std::string& kernel, const fs::path& compiler) {
  std::string text = toHex(hash128(bitcode)) + "\n" + kernel + "\n" + processorName() + "\n" + processorFeatures() + "\n" +
                     std::to_string(kKernelAbiVersion) + "\n" + stampOf(compiler);
  return toHex(hash128(text));
}

/// The compiler runs without what was preloaded into this program, and does not record itself.
std::vector<std::string> cleanEnvironment() {
  std::vector<std::string> kept;
  for (char** entry = environ; entry && *entry; ++entry) {
    std::string_view text(*entry);
    if (!text.starts_with("LD_PRELOAD=") && !text.starts_with("LD_AUDIT=") && !text.starts_with("MNEME_RECORD"))
      kept.emplace_back(text);
  }
  return kept;
}

class SpawnActions {
 public:
  SpawnActions() { posix_spawn_file_actions_init(&actions_); }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  void redirect(int descriptor, const char* path, int flags) {
    posix_spawn_file_actions_addopen(&actions_, descriptor, path, flags, 0666);
  }
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

/// Runs the program and returns its wait status; -1 if another part of the program reaped it (SIGCHLD ignored).
Expected<int> runProgram(const std::vector<std::string>& arguments, const fs::path& messages, const fs::path& output = "/dev/null") {
  SpawnActions actions;
  actions.redirect(0, "/dev/null", O_RDONLY);
  actions.redirect(1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC);
  actions.redirect(2, messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, defaults;
  sigemptyset(&none), sigfillset(&defaults);
  posix_spawnattr_setsigmask(&attributes, &none), posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  auto pointers = [](const std::vector<std::string>& texts) {
    std::vector<char*> list;
    for (auto& text : texts) list.push_back(const_cast<char*>(text.c_str()));
    list.push_back(nullptr);
    return list;
  };
  auto environment = cleanEnvironment();
  pid_t child = 0;
  int failed = posix_spawn(&child, arguments[0].c_str(), actions.get(), &attributes, pointers(arguments).data(), pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  if (failed) return ioError("starting", arguments[0], failed);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return status;
}

Error compilerError(int status, const std::string& kernel, const fs::path& messages) {
  auto text = readText(messages, 1 << 20).value_or("");
  text = text.substr(0, text.find('\n'));
  std::string subject = kernel.empty() ? "reading the module" : "compiling kernel " + kernel;
  if (status == -1 || WIFSIGNALED(status)) {
    auto how = status == -1 ? std::string() : " (signal " + std::to_string(WTERMSIG(status)) + ")";
    return Error(ErrorCode::InvalidArgument, subject + ": mneme-hostcc crashed" + how);
  }
  if (WEXITSTATUS(status) == 3) return Error(ErrorCode::Unsupported, text);
  if (WEXITSTATUS(status) == 4) return Error(ErrorCode::NotFound, text);
  return Error(ErrorCode::InvalidArgument, subject + ": " + (text.empty() ? "mneme-hostcc failed" : text));
}

/// A directory that goes away with everything in it.
class WorkDirectory {
 public:
  static Expected<WorkDirectory> create(const fs::path& parent) {
    auto pattern = (parent / ".work-XXXXXX").string();
    if (!::mkdtemp(pattern.data())) return ioError("creating", pattern, errno);
    return WorkDirectory(pattern);
  }
  WorkDirectory(WorkDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  WorkDirectory& operator=(WorkDirectory&&) = delete;
  ~WorkDirectory() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  [[nodiscard]] fs::path operator/(const char* name) const { return path_ / name; }

 private:
  explicit WorkDirectory(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

/// One object to make.
struct Job {
  std::string kernel;
  fs::path target;
};

/// Makes the first job's object, and the others' where that works.
Expected<void> compile(const fs::path& compiler, std::span<const std::byte> bitcode, const std::vector<Job>& jobs, const fs::path& cache) {
  auto work = WorkDirectory::create(cache);
  if (!work) return std::move(work).error();
  const auto input = *work / "in.bc", messages = *work / "messages";
  if (auto written = writeAtomically(input, bitcode); !written) return written;
  std::vector<std::string> arguments = {compiler, input};
  auto output = [&](size_t job) { return *work / (std::to_string(job) + ".so").c_str(); };
  for (size_t i = 0; i < jobs.size(); ++i) arguments.insert(arguments.end(), {output(i).string(), jobs[i].kernel});
  auto status = runProgram(arguments, messages);
  if (!status) return std::move(status).error();
  if (!fs::exists(output(0))) return compilerError(*status, jobs[0].kernel, messages);
  for (size_t i = 0; i < jobs.size() && fs::exists(output(i)); ++i)  // what there is, is whole
    if (::rename(output(i).c_str(), jobs[i].target.c_str()) != 0) return ioError("writing", jobs[i].target, errno);
  return {};
}

}  // namespace

Expected<fs::path> compiledObject(std::span<const std::byte> bitcode, const std::string& kernel, const std::string& next) {
  auto compiler = findCompiler();
  if (!compiler) return std::move(compiler).error();
  auto cache = cacheDirectory();
  if (!cache) return std::move(cache).error();
  auto job = [&](const std::string& name) { return Job{name, *cache / (keyOf(bitcode, name, *compiler) + ".so")}; };
  std::vector<Job> jobs = {job(kernel)};
  if (::access(jobs[0].target.c_str(), R_OK) == 0) return jobs[0].target;
  if (!next.empty() && next != kernel) jobs.push_back(job(next));
  if (auto made = compile(*compiler, bitcode, jobs, *cache); !made) return std::move(made).error();
  return jobs[0].target;
}

Expected<std::string> threadModel(std::span<const std::byte> bitcode, const std::string& kernel) {
  auto compiler = findCompiler();
  if (!compiler) return std::move(compiler).error();
  auto cache = cacheDirectory();
  if (!cache) return std::move(cache).error();
  auto work = WorkDirectory::create(*cache);
  if (!work) return std::move(work).error();
  const auto input = *work / "in.bc", messages = *work / "messages", answer = *work / "answer";
  if (auto written = writeAtomically(input, bitcode); !written) return std::move(written).error();
  auto status = runProgram({*compiler, input, *work / "0.so", kernel}, messages, answer);
  if (!status) return std::move(status).error();
  if (!fs::exists(*work / "0.so")) return compilerError(*status, kernel, messages);
  auto text = readText(answer, 1 << 10).value_or("");
  return text.substr(0, text.find('\n'));
}

}  // namespace mneme::host
