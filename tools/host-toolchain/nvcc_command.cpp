// SPDX-License-Identifier: Apache-2.0
/// The table of nvcc's options, after `nvcc --help` of CUDA 12 and 13.
#include "nvcc_command.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <regex>
#include <string_view>

#include "note-compiler/compiler_command.h"

namespace mneme::host_toolchain {
namespace {

using notes::append;

Words splitCommas(const std::string& text) {
  Words words;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = begin;
    while (end < text.size() && (text[end] != ',' || (end > 0 && text[end - 1] == '\\'))) ++end;
    if (end > begin) words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  for (std::string& word : words)
    if (word.size() > 1 && word.front() == '"' && word.back() == '"') word = word.substr(1, word.size() - 2);
  return words;
}

void addArchitectures(NvccCommand& command, const std::string& text) {
  static const std::regex pattern("(?:sm|compute|lto)_([0-9]+[af]?)");
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    const std::string name = "sm_" + (*match)[1].str();
    if (std::find(command.architectures.begin(), command.architectures.end(), name) == command.architectures.end())
      command.architectures.push_back(name);
  }
}

void setCudart(NvccCommand& command, const std::string& kind) {
  command.cudart = kind == "shared" ? Cudart::Shared : kind == "none" ? Cudart::None : Cudart::Static;
}

void setLanguage(NvccCommand& command, const std::string& language) { command.allAreCuda = language == "cu"; }

/// What nvcc's own preprocessor would define beside.
void define(NvccCommand& command, const char* macro) { command.flags.push_back(std::string("-D") + macro); }

void addHostOptions(NvccCommand& command, const std::string& value) {
  const Words options = splitCommas(value);
  for (size_t i = 0; i < options.size(); ++i) {
    const std::string& option = options[i];
    const bool link = option.starts_with("-Wl,") || option.starts_with("-L") || option.starts_with("-l") ||
                      option.starts_with("-fuse-ld=");
    const bool both = option == "-pthread" || option == "-fopenmp" || option.starts_with("-fsanitize=");
    if (option != "-v" && !link) command.flags.push_back(option);
    if (link || both) command.linkFlags.push_back(option);
  }
}

using WithValue = std::function<void(NvccCommand&, const std::string&)>;
using WithoutValue = std::function<void(NvccCommand&)>;

WithValue spelled(const char* option) {
  return [option](NvccCommand& c, const std::string& value) { append(c.flags, {option, value}); };
}
WithValue linked(const char* option) {
  return [option](NvccCommand& c, const std::string& value) { c.linkFlags.push_back(option + value); };
}
void ignored(NvccCommand&, const std::string&) {}
WithoutValue step(Step what) {
  return [what](NvccCommand& c) { c.step = what; };
}
WithoutValue macro(const char* name) {
  return [name](NvccCommand& c) { define(c, name); };
}

/// By name without leading dashes.
const std::map<std::string, WithValue>& valued() {
  static const std::map<std::string, WithValue> table = [] {
    std::map<std::string, WithValue> t;
    const auto put = [&](std::initializer_list<const char*> names, const WithValue& action) {
      for (const char* name : names) t[name] = action;
    };
    put({"o", "output-file"}, [](NvccCommand& c, const std::string& v) { c.output = v; });
    put({"odir", "output-directory"}, [](NvccCommand& c, const std::string& v) { c.outputFolder = v; });
    put({"ccbin", "compiler-bindir"}, [](NvccCommand& c, const std::string& v) { c.hostCompiler = v; });
    put({"x"}, setLanguage);
    put({"D", "define-macro"}, spelled("-D"));
    put({"U", "undefine-macro"}, spelled("-U"));
    put({"I", "include-path"}, spelled("-I"));
    put({"isystem", "system-include"}, spelled("-isystem"));
    put({"include", "pre-include"}, spelled("-include"));
    put({"std"}, [](NvccCommand& c, const std::string& v) { c.flags.push_back("-std=" + v); });
    put({"O", "optimize"}, [](NvccCommand& c, const std::string& v) { c.flags.push_back("-O" + v); });
    put({"L", "library-path"}, linked("-L"));
    put({"l", "library"}, linked("-l"));
    put({"cudart"}, setCudart);
    put({"gencode", "generate-code", "arch", "gpu-architecture", "code", "gpu-code"}, addArchitectures);
    put({"Xcompiler", "compiler-options"}, addHostOptions);
    put({"Xlinker", "linker-options"}, [](NvccCommand& c, const std::string& v) {
      for (const std::string& word : splitCommas(v)) append(c.linkFlags, {"-Xlinker", word});
    });
    put({"rdc", "relocatable-device-code"},
        [](NvccCommand& c, const std::string& v) { c.relocatable = v == "true"; });
    put({"MF", "dependency-output"}, [](NvccCommand& c, const std::string& v) { append(c.dependencies, {"-MF", v}); });
    put({"MT", "dependency-target-name"}, [](NvccCommand& c, const std::string& v) { append(c.dependencies, {"-MT", v}); });
    put({"Werror"}, [](NvccCommand& c, const std::string& v) {
      if (v.find("all-warnings") != std::string::npos) c.flags.push_back("-Werror");
    });
    put({"default-stream"}, [](NvccCommand& c, const std::string& v) {
      if (v == "per-thread") define(c, "CUDA_API_PER_THREAD_DEFAULT_STREAM=1");
    });
    put({"fmad"}, [](NvccCommand& c, const std::string& v) {
      if (v == "false") c.flags.push_back("-ffp-contract=off");
    });
    put({"ftz"}, [](NvccCommand& c, const std::string& v) {
      if (v == "true") c.flags.push_back("-fgpu-flush-denormals-to-zero");
    });
    put({"Xptxas", "ptxas-options", "Xnvlink", "nvlink-options", "Xcudafe", "cudafe-options", "Xfatbin",
         "fatbinary-options", "Xarchive", "archive-options", "maxrregcount", "keep-dir", "t", "threads", "prec-div",
         "prec-sqrt", "cudadevrt", "diag-suppress", "diag-error", "diag-warn", "display-error-number", "libdevice-directory",
         "ldir", "target-directory", "tdir", "dlink-time-opt", "split-compile", "compress-mode", "split-compile-extended",
         "host-linker-script", "hls", "err-no", "fdevice-time-trace", "jump-table-density", "jtd", "device-stack-protector"},
        ignored);
    return t;
  }();
  return table;
}

const std::map<std::string, WithoutValue>& plain() {
  static const std::map<std::string, WithoutValue> table = [] {
    std::map<std::string, WithoutValue> t;
    const auto put = [&](std::initializer_list<const char*> names, const WithoutValue& action) {
      for (const char* name : names) t[name] = action;
    };
    put({"c", "compile", "dw", "device-w"}, step(Step::Compile));
    put({"dc", "device-c"}, [](NvccCommand& c) { c.step = Step::Compile, c.relocatable = true; });
    put({"dlink", "device-link"}, step(Step::DeviceLink));
    put({"E", "preprocess"}, step(Step::Preprocess));
    put({"M", "generate-dependencies"}, [](NvccCommand& c) { c.step = Step::Dependencies, c.dependencies.push_back("-M"); });
    put({"MM", "generate-nonsystem-dependencies"},
        [](NvccCommand& c) { c.step = Step::Dependencies, c.dependencies.push_back("-MM"); });
    put({"MD", "generate-dependencies-with-compile"}, [](NvccCommand& c) { c.dependencies.push_back("-MD"); });
    put({"MMD", "generate-nonsystem-dependencies-with-compile"}, [](NvccCommand& c) { c.dependencies.push_back("-MMD"); });
    put({"MP", "generate-dependency-targets"}, [](NvccCommand& c) { c.dependencies.push_back("-MP"); });
    put({"ptx"}, step(Step::Ptx));
    put({"V", "version"}, step(Step::Version));
    put({"h", "help"}, step(Step::Help));
    put({"v", "verbose"}, [](NvccCommand& c) { c.verbose = true; });
    put({"dryrun"}, [](NvccCommand& c) { c.dryRun = c.verbose = true; });
    put({"shared"}, [](NvccCommand& c) { c.linkFlags.push_back("-shared"); });
    put({"g", "debug"}, [](NvccCommand& c) { c.flags.push_back("-g"); });
    put({"pg", "profile"}, [](NvccCommand& c) { c.flags.push_back("-pg"); });
    put({"w", "disable-warnings"}, [](NvccCommand& c) { c.flags.push_back("-w"); });
    put({"G", "device-debug"}, macro("__CUDACC_DEBUG__=1"));
    put({"expt-relaxed-constexpr"}, macro("__CUDACC_RELAXED_CONSTEXPR__=1"));
    put({"extended-lambda", "expt-extended-lambda"}, macro("__CUDACC_EXTENDED_LAMBDA__=1"));
    put({"use_fast_math"},
        [](NvccCommand& c) { append(c.flags, {"-fgpu-flush-denormals-to-zero", "-fgpu-approx-transcendentals"}); });
    put({"mneme-no-notes"}, [](NvccCommand& c) { c.notes = false; });
    put({"forward-unknown-to-host-compiler", "forward-unknown-to-host-linker", "forward-unknown-opts", "keep", "lineinfo",
         "generate-line-info", "Wno-deprecated-gpu-targets", "Wno-deprecated-declarations", "Wreorder", "Wext-lambda-captures-this",
         "Wdefault-stream-launch", "Wmissing-launch-bounds", "res-usage", "resource-usage", "dlto", "m64", "save-temps", "time",
         "source-in-ptx", "restrict", "clean", "no-align-double", "allow-unsupported-compiler", "no-host-device-initializer-list",
         "no-host-device-move-forward", "no-device-link", "nodlink", "extra-device-vectorization", "display-error-number", "noeh",
         "gen-opt-lto", "expt-optix", "qpp-config", "disable-optimizer-constants", "static-global-template-stub",
         "no-exceptions-arch-check", "extensible-whole-program", "ewp", "no-compress"},
        [](NvccCommand&) {});
    return t;
  }();
  return table;
}

constexpr std::array<std::string_view, 5> kImpossible = {"cubin", "fatbin", "optix-ir", "ltoir", "lib"};

/// Options without '=' that carry their value in the same word.
constexpr std::array<std::string_view, 7> kJoined = {"I", "D", "U", "L", "l", "O", "MF"};

std::string withoutDashes(const std::string& word) { return word.substr(word.starts_with("--") ? 2 : 1); }

/// What nvcc hands on with -forward-unknown-to-host-compiler: -f…, -W…, -m…, -pthread.
void forward(NvccCommand& command, const std::string& word) {
  if (word.starts_with("-Wl,") || word.starts_with("-fuse-ld=")) {
    command.linkFlags.push_back(word);
    return;
  }
  command.flags.push_back(word);
  if (word == "-pthread" || word == "-fopenmp" || word.starts_with("-fsanitize=") || word == "--coverage")
    command.linkFlags.push_back(word);
}

bool takeJoined(NvccCommand& command, const std::string& word) {
  for (const std::string_view name : kJoined)
    if (word.size() > name.size() + 1 && !word.starts_with("--") && word.compare(1, name.size(), name) == 0) {
      const std::string value = word.substr(name.size() + 1);
      valued().at(std::string(name))(command, value.starts_with('=') ? value.substr(1) : value);
      return true;
    }
  return false;
}

/// Returns how many words were used; 0 for an option that needs a value and has none.
size_t takeOption(NvccCommand& command, const Words& words, size_t at) {
  const std::string& word = words[at];
  const std::string name = withoutDashes(word), key = name.substr(0, name.find('='));
  if (const auto found = plain().find(name); found != plain().end()) return found->second(command), 1;
  if (const auto found = valued().find(key); found != valued().end()) {
    if (key.size() < name.size()) return found->second(command, name.substr(key.size() + 1)), 1;
    if (at + 1 >= words.size()) return 0;
    return found->second(command, words[at + 1]), 2;
  }
  if (!takeJoined(command, word)) forward(command, word);
  return 1;
}

bool isLibrary(const std::string& path) {
  return path.ends_with(".a") || path.ends_with(".so") || path.find(".so.") != std::string::npos;
}

}  // namespace

Expected<NvccCommand> parseNvcc(const Words& given) {
  const auto expanded = notes::parseCommand(given, given.front());
  if (!expanded) return expanded.error();
  Words words;
  for (const notes::Argument& argument : expanded->arguments) append(words, argument.words);
  NvccCommand command;
  command.words = given;
  for (size_t i = 0; i < words.size();) {
    const std::string& word = words[i];
    if (word.size() < 2 || word[0] != '-') {
      // The order of objects and libraries matters to a linker.
      (isLibrary(word) ? command.linkFlags : command.inputs).push_back(word);
      ++i;
      continue;
    }
    const std::string name = withoutDashes(word);
    if (std::find(kImpossible.begin(), kImpossible.end(), name) != kImpossible.end())
      return Error(ErrorCode::Unsupported, word + ": the CPU device has no such output; it compiles and links programs "
                                                  "(-c, -dc, -dlink, -ptx, -E, -M)");
    const size_t used = takeOption(command, words, i);
    if (used == 0) return Error(ErrorCode::InvalidArgument, word + " needs a value");
    i += used;
  }
  return command;
}

}  // namespace mneme::host_toolchain
