// SPDX-License-Identifier: Apache-2.0
/// `mneme record`: runs a program, records its kernel launches, checks each new recording, says what came of it.
/// The program's stdout and exit code stay its own.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <system_error>
#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "code/notes.h"
#include "code_origins.h"
#include "command.h"
#include "element_types.h"
#include "format/recording_set.h"
#include "own_files.h"
#include "program.h"
#include "record/options.h"
#include "record_events.h"
#include "replay/code_selection.h"
#include "self_check.h"
#include "text.h"

namespace mneme::cli {
namespace {

namespace fs = std::filesystem;
constexpr size_t kShownLines = 20;

struct Arguments {
  std::string directory = "recordings";
  std::string kernel, skip, max, reach, ranks, maxBytes;  ///< as given; the recorder checks them
  bool distinct = false, append = false, require = false, noCheck = false;
  std::vector<std::string> command;
};

/// A file that goes with this object.
class TemporaryFile {
 public:
  [[nodiscard]] static Expected<std::unique_ptr<TemporaryFile>> make() {
    std::error_code ignored;
    std::string path = (fs::temp_directory_path(ignored) / "mneme-record-XXXXXX").string();
    FileDescriptor file(::mkostemp(path.data(), O_CLOEXEC));
    if (!file) return ioError("cannot make", path, errno);
    return std::unique_ptr<TemporaryFile>(new TemporaryFile(path));
  }
  ~TemporaryFile() { ::unlink(path_.c_str()); }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  explicit TemporaryFile(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

/// CUDA programs record through the driver's injection, if this install has it; linked ones would ask for it themselves.
void addInjection(std::map<std::string, std::string>& environment) {
  constexpr const char* kVariable = "CUDA_INJECTION64_PATH";
  auto library = ownProgram().parent_path().parent_path() / "lib" / "libmneme-cuda.so";
  if (!fs::exists(library)) return;
  if (const char* other = std::getenv(kVariable); other && *other && library != fs::path(other)) {
    std::fprintf(stderr, "mneme: %s is %s already, so CUDA launches are not recorded; unset it for that\n",
                 kVariable, other);
    return;
  }
  environment[kVariable] = library.string();
}

struct GivenOption {
  const char* option;
  std::string variable;
  const std::string& value;  ///< empty: not given
};

std::array<GivenOption, 6> givenOptions(const Arguments& arguments) {
  return {{{"--kernel", "MNEME_RECORD_KERNEL", arguments.kernel}, {"--skip", "MNEME_RECORD_SKIP", arguments.skip},
           {"--max", "MNEME_RECORD_MAX", arguments.max}, {"--reach", "MNEME_RECORD_REACH", arguments.reach},
           {"--ranks", "MNEME_RECORD_RANKS", arguments.ranks},
           {"--max-bytes", "MNEME_RECORD_MAX_BYTES", arguments.maxBytes}}};
}

std::map<std::string, std::string> environmentFor(const Arguments& arguments, const fs::path& report) {
  std::map<std::string, std::string> environment{{"MNEME_RECORD", fs::absolute(arguments.directory).string()},
                                                 {"MNEME_RECORD_REPORT", report.string()}};
  for (const auto& [option, variable, value] : givenOptions(arguments))
    if (!value.empty()) environment[variable] = value;
  if (arguments.distinct) environment["MNEME_RECORD_DISTINCT"] = "1";
  if (arguments.append) environment["MNEME_RECORD_APPEND"] = "1";
  addInjection(environment);
  return environment;
}

uint64_t regionBytes(const format::Manifest& manifest) {
  uint64_t bytes = 0;
  for (const auto& region : manifest.regions) bytes += region.range.size;
  return bytes;
}

/// Where the shell would find the program.
fs::path programPath(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* path = std::getenv("PATH");
  std::string list = path ? path : "/usr/bin:/bin";
  for (size_t at = 0; at <= list.size();) {
    size_t end = std::min(list.find(':', at), list.size());
    auto candidate = fs::path(list.substr(at, end - at)) / program;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    at = end + 1;
  }
  return program;
}

void addOnce(std::vector<fs::path>& paths, const fs::path& path) {
  if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
}

/// The recordings tell the binary that ran, where the command is a script or a launcher such as mpirun, and the libraries
/// that it loaded. The program comes first.
std::vector<fs::path> binariesOf(const Arguments& arguments, const std::vector<fs::path>& recorded) {
  std::vector<fs::path> programs, libraries;
  for (const auto& path : recorded) {
    auto text = readText(path);
    auto manifest = format::parseManifest(text ? *text : "", "");
    if (!manifest) continue;
    const auto program = programPath(programOf(*manifest));
    addOnce(programs, program);
    for (const auto& library : replay::librariesBeside(program, *manifest)) addOnce(libraries, library);
  }
  addOnce(programs, programPath(arguments.command[0]));
  programs.insert(programs.end(), libraries.begin(), libraries.end());
  return programs;
}

/// What the program's own process could not know without LLVM and without its binary's notes.
Expected<format::Manifest> complete(const fs::path& path, const CodeOrigins& origins) {
  auto recording = format::Recording::open(path);
  if (!recording) return std::move(recording).error();
  format::Manifest manifest = (*recording)->manifest();
  const auto set = fs::absolute(path).lexically_normal().parent_path();
  if (auto added = origins.addNotedCode(manifest, set); !added) logOnce(LogLevel::Warn, added.error().message());
  origins.describe(manifest, {set.parent_path(), fs::current_path()});
  if (auto typed = setElementTypes(manifest, set); !typed) logOnce(LogLevel::Warn, typed.error().message());
  if (auto written = format::rewriteManifest(path, manifest); !written) return std::move(written).error();
  return manifest;
}

Expected<format::Manifest> manifestOf(const fs::path& path, const CodeOrigins& origins, bool check) {
  auto manifest = complete(path, origins);
  return manifest && check ? selfCheck(path) : std::move(manifest);
}

void printRecording(const fs::path& path, const Expected<format::Manifest>& manifest) {
  if (!manifest)
    return static_cast<void>(std::fprintf(stderr, "  %s: %s\n", path.c_str(), manifest.error().message().c_str()));
  std::fprintf(stderr, "  %s: %s in %s, %s\n", recordingName(path).c_str(), sizeText(regionBytes(*manifest)).c_str(),
               counted(manifest->regions.size(), "region").c_str(), selfCheckText(*manifest).c_str());
}

std::string endText(const ProgramEnd& end) {
  if (end.signal != 0) return "was ended by signal " + std::to_string(end.signal) + " (" + ::strsignal(end.signal) + ")";
  return "ended with code " + std::to_string(end.code) + " and without running its exit handlers";
}

void printMissed(const RecordEvents& events, const ProgramEnd& end) {
  std::vector<std::pair<std::string, uint64_t>> all(events.missed.begin(), events.missed.end());
  for (const auto& [kernel, count] : events.lost)
    all.emplace_back(kernel + ": the program " + endText(end) + " before it was written", static_cast<uint64_t>(count));
  for (size_t i = 0; i < std::min(all.size(), kShownLines); ++i)
    std::fprintf(stderr, "  not recorded: %s%s\n", all[i].first.c_str(),
                 all[i].second > 1 ? (" (" + counted(all[i].second, "time") + ")").c_str() : "");
  if (all.size() > kShownLines)
    std::fprintf(stderr, "  and %zu more reasons that launches were not recorded\n", all.size() - kShownLines);
}

std::string listed(const std::set<std::string>& kernels) {
  std::string text;
  size_t shown = 0;
  for (const auto& kernel : kernels) {
    if (++shown > 3) return text + ", …";
    text += (text.empty() ? "" : ", ") + kernel;
  }
  return text;
}

/// The given value of a record option, or of its variable; empty if neither is set.
std::string chosen(const std::string& option, const char* variable) {
  const char* text = std::getenv(variable);
  return !option.empty() ? option : text ? text : "";
}

/// Of launches that were seen.
std::string whyNoneSelected(const Arguments& arguments, const RecordEvents& events) {
  if (!events.selectable.empty()) {
    const auto skip = chosen(arguments.skip, "MNEME_RECORD_SKIP");
    return skip.empty() ? "no launch of " + listed(events.selectable) + " was selected"
                        : "--skip " + skip + " passes over every launch there was of " + listed(events.selectable);
  }
  const auto pattern = chosen(arguments.kernel, "MNEME_RECORD_KERNEL");
  if (pattern.empty())
    return "only kernels of communication libraries were launched (" + listed(events.others) + "), which wait for other "
           "processes; --kernel with their name records them all the same";
  return "no kernel that was launched matches '" + pattern + "': there were " + listed(events.others);
}

std::string whyNothing(const Arguments& arguments, const RecordEvents& events, const ProgramEnd& end) {
  if (!events.lost.empty()) return "the program " + endText(end) + ", see above";
  if (!events.missed.empty()) return "every launch seen was refused or dropped, see above";
  if (!events.selectable.empty() || !events.others.empty()) return whyNoneSelected(arguments, events);
  if (!events.otherRanks.empty())
    return *events.otherRanks.begin() + " is not among the ranks that record; choose by --ranks (default 0)";
  auto archive = code::NoteArchive::openWithLibraries(programPath(arguments.command[0]));
  if (!archive || archive->notes().empty())
    return arguments.command[0] + " holds no recordable kernel: is it built with mneme_add_recordable_kernel, and "
                                  "without -DMNEME_RECORDABLE=OFF?";
  if (end.signal != 0) return "the program " + endText(end) + " before it launched a recordable kernel";
  return "the program launched none of its recordable kernels" +
         (end.code == 0 ? "" : " (it ended with code " + std::to_string(end.code) + ")");
}

void printNext(const Arguments& arguments, const fs::path& program) {
  std::string set = arguments.directory;
  while (set.size() > 1 && set.back() == '/') set.pop_back();
  std::fprintf(stderr, "mneme: next: mneme replay %s/*.*.json --code %s\n", shellQuoted(set).c_str(),
               shellQuoted(program.string()).c_str());
}

void summarise(const Arguments& arguments, const RecordEvents& events, const ProgramEnd& end) {
  auto recorded = events.recorded();
  std::fprintf(stderr, "mneme: recorded %zu, replaced %zu in %s\n", events.added.size(), events.replaced.size(),
               arguments.directory.c_str());
  const auto binaries = binariesOf(arguments, recorded);
  const CodeOrigins origins(binaries);
  size_t shown = 0;
  for (const auto& path : recorded) {
    auto manifest = manifestOf(path, origins, !arguments.noCheck);
    if (++shown <= kShownLines) printRecording(path, manifest);
  }
  if (shown > kShownLines) std::fprintf(stderr, "  and %zu more: mneme ls %s\n", shown - kShownLines, arguments.directory.c_str());
  printMissed(events, end);
  if (recorded.empty())
    std::fprintf(stderr, "mneme: warning: nothing was recorded: %s\n", whyNothing(arguments, events, end).c_str());
  else
    printNext(arguments, binaries.front());
}

int ownFailure(const Error& error) {
  cli::report(error);
  return kOwnFailure;
}

/// The recorder knows variables; who gave an option wants to read that.
std::string namingOptions(const Arguments& arguments, std::string message) {
  for (const auto& [option, variable, value] : givenOptions(arguments)) {
    if (value.empty() || !message.starts_with(variable)) continue;
    auto next = message.size() > variable.size() ? message[variable.size()] : ' ';
    if (next == '=' || next == ':') return std::string(option) + message.substr(variable.size());
  }
  return message;
}

/// What the recorder will say of these options, before the program has run for nothing.
Expected<void> checkOptions(const Arguments& arguments, const std::map<std::string, std::string>& environment) {
  auto options = record::optionsFrom([&](const char* name) -> const char* {
    auto found = environment.find(name);
    return found == environment.end() ? std::getenv(name) : found->second.c_str();
  });
  if (!options) return Error(options.error().code(), namingOptions(arguments, options.error().message()));
  return {};
}

int runRecord(const Arguments& arguments) {
  auto report = TemporaryFile::make();
  if (!report) return ownFailure(report.error());
  const auto environment = environmentFor(arguments, (*report)->path());
  if (auto fine = checkOptions(arguments, environment); !fine) return cli::report(fine.error());
  if (auto fine = format::checkWritable(arguments.directory); !fine) return ownFailure(fine.error().context("nothing was run"));
  auto end = runProgram(arguments.command, environment);
  if (!end.ran) return end.code;
  auto events = readRecordEvents((*report)->path());
  if (!events) return ownFailure(events.error());
  summarise(arguments, *events, end);
  return arguments.require && events->recorded().empty() ? int{kOwnFailure} : end.code;
}

void addSelection(CLI::App& app, Arguments& arguments) {
  app.add_option("--kernel", arguments.kernel, "record only kernels whose name matches this regular expression");
  app.add_option("--skip", arguments.skip, "pass over the first N launches of each kernel")->check(CLI::NonNegativeNumber);
  app.add_option("--max", arguments.max, "record at most N launches of each kernel; default 1")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--distinct", arguments.distinct, "record one launch per distinct shape and arguments");
  app.add_option("--reach", arguments.reach, "which memory: reachable from the arguments (default), or all")
      ->check(CLI::IsMember({"reachable", "all"}));
  app.add_option("--ranks", arguments.ranks, "which MPI ranks record: 'all' or a list such as 0,3,8-11; default 0");
  app.add_option("--max-bytes", arguments.maxBytes, "most bytes to add to the set, such as 512M");
}

}  // namespace

std::function<int()> setupRecord(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  app.add_option("-o", arguments->directory, "the recording set's directory")->capture_default_str();
  addSelection(app, *arguments);
  app.add_flag("--append", arguments->append, "never replace a recording, take the next free number");
  app.add_flag("--require", arguments->require, "exit with 125 if nothing was recorded");
  app.add_flag("--no-check", arguments->noCheck, "do not replay the new recordings at the end");
  app.add_option("CMD", arguments->command, "the program and its arguments, after --")->required();
  app.footer("Exit code: the program's own, whatever becomes of the recording; 2 wrong usage; 125 if Mneme failed before the\n"
             "program started (a set that cannot be written), or with --require if nothing was recorded; 126 or 127 if the\n"
             "program cannot be run.\n\n"
             "Example:\n  mneme record -o recordings -- build/app --steps 10");
  return [arguments] { return runRecord(*arguments); };
}

}  // namespace mneme::cli
