// SPDX-License-Identifier: Apache-2.0
/// Knows which options of g++, clang and nvcc take their value as the next word.
#include "compiler_command.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/file.h"

namespace mneme::notes {
namespace {

namespace fs = std::filesystem;

/// The value is the next word; those ending in '=' or of one letter may also carry it themselves.
constexpr auto kSeparate = std::to_array<std::string_view>({
    "-o", "-I", "-D", "-U", "-x", "-L", "-l", "-T", "-B", "-isystem", "-iquote", "-idirafter", "-include", "-imacros",
    "-isysroot", "--sysroot", "-iprefix", "-iwithprefix", "-iwithprefixbefore", "-MF", "-MT", "-MQ", "-Xclang", "-Xcompiler",
    "--compiler-options", "-Xptxas", "--ptxas-options", "-Xnvlink", "-Xcudafe", "--cudafe-options", "-Xfatbin",
    "-Xlinker", "--linker-options", "-Xassembler", "-Xpreprocessor", "-Xarch_device", "-Xarch_host", "-mllvm", "--param",
    "-target", "-arch", "--gpu-architecture", "-gencode", "--generate-code", "-code", "--gpu-code", "-ccbin",
    "--compiler-bindir", "-maxrregcount", "--maxrregcount", "--output-file", "-std", "--std", "-diag-suppress",
    "--include-path", "--system-include", "--define-macro", "--undefine-macro", "--pre-include", "-odir",
    "--output-directory", "--relocatable-device-code", "-rdc", "-t", "--threads"});

/// Options whose value follows without a blank.
constexpr auto kJoined = std::to_array<std::string_view>({
    "-I", "-D", "-U", "-x", "-L", "-l", "-isystem=", "-isystem", "-iquote", "-idirafter", "-MF", "-MT", "-MQ", "-std=",
    "--std=", "--cuda-path=", "-arch=", "--gpu-architecture=", "-gencode=", "--generate-code=", "-code=", "--gpu-code=", "-ccbin=",
    "-Xcompiler=", "--compiler-options=", "-fmad=", "--fmad=", "-ftz=", "--ftz=", "--cuda-gpu-arch=", "--offload-arch=",
    "-o"});

template <size_t N>
bool contains(const std::array<std::string_view, N>& table, std::string_view word) {
  return std::find(table.begin(), table.end(), word) != table.end();
}

Argument joined(const std::string& word) {
  for (const std::string_view prefix : kJoined)
    if (word.size() > prefix.size() && word.starts_with(prefix))
      return {std::string(prefix), word.substr(prefix.size()), {word}};
  return {word, "", {word}};
}

std::vector<Argument> parseArguments(const Words& words) {
  std::vector<Argument> arguments;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (contains(kSeparate, word) && i + 1 < words.size()) {
      arguments.push_back({word, words[i + 1], {word, words[i + 1]}});
      ++i;
    } else if (word.size() > 1 && word[0] == '-') {
      arguments.push_back(joined(word));
    } else {
      arguments.push_back({"", word, {word}});
    }
  }
  return arguments;
}

Expected<Words> expandResponseFiles(const Words& words, int depth = 0) {
  Words out;
  for (size_t i = 0; i < words.size(); ++i) {
    const bool option = (words[i] == "--options-file" || words[i] == "-optf") && i + 1 < words.size();
    const bool at = words[i].size() > 1 && words[i][0] == '@' && fs::exists(words[i].substr(1));
    if (!option && !at) {
      out.push_back(words[i]);
      continue;
    }
    const std::string path = option ? words[++i] : words[i].substr(1);
    const auto text = readText(path);
    if (!text) return text.error();
    if (depth > 8) return Error(ErrorCode::InvalidArgument, path + ": response files nested too deep");
    auto inner = expandResponseFiles(splitQuoted(*text), depth + 1);
    if (!inner) return inner;
    out.insert(out.end(), inner->begin(), inner->end());
  }
  return out;
}

/// The compiler's place: where CMake's path stands, else the last word before the first option.
size_t compilerAt(const Words& words, const std::string& compiler) {
  const auto option = std::find_if(words.begin(), words.end(), [](const std::string& w) { return w[0] == '-'; });
  const auto found = std::find(words.begin(), words.end(), compiler);
  if (!compiler.empty() && found != words.end()) return static_cast<size_t>(found - words.begin());
  return option == words.begin() ? 0 : static_cast<size_t>(option - words.begin()) - 1;
}

bool samePath(const std::string& a, const std::string& b) {
  return fs::absolute(a).lexically_normal() == fs::absolute(b).lexically_normal();
}

}  // namespace

Words splitQuoted(const std::string& text) {
  Words words;
  std::string word;
  bool inWord = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) word += text[++i], inWord = true;
    else if (quote) c == quote ? void(quote = 0) : void(word += c);
    else if (c == '\'' || c == '"') quote = c, inWord = true;
    else if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      if (inWord) words.push_back(std::move(word));
      word.clear();
      inWord = false;
    } else word += c, inWord = true;
  }
  if (inWord) words.push_back(std::move(word));
  return words;
}

const Argument* CompilerCommand::find(const std::string& option) const {
  const auto at = std::find_if(arguments.rbegin(), arguments.rend(), [&](const Argument& a) { return a.option == option; });
  return at == arguments.rend() ? nullptr : &*at;
}

std::string CompilerCommand::value(const std::string& option) const {
  const Argument* argument = find(option);
  return argument ? argument->value : "";
}

Words CompilerCommand::inputs() const {
  Words paths;
  for (const Argument& argument : arguments)
    if (argument.option.empty()) paths.push_back(argument.value);
  return paths;
}

std::string CompilerCommand::deviceSource(const Words& listed) const {
  const Words paths = inputs();
  if (paths.size() != 1) return "";
  const bool inList =
      std::any_of(listed.begin(), listed.end(), [&](const std::string& path) { return samePath(path, paths[0]); });
  return isDeviceSource(paths[0]) || inList ? paths[0] : "";
}

Expected<CompilerCommand> parseCommand(const Words& words, const std::string& compiler) {
  if (words.empty()) return Error(ErrorCode::InvalidArgument, "no compiler command after --");
  CompilerCommand command;
  command.words = words;
  const size_t at = compilerAt(words, compiler);
  command.launcher.assign(words.begin(), words.begin() + static_cast<ptrdiff_t>(at));
  command.compiler = words[at];
  auto rest = expandResponseFiles(Words(words.begin() + static_cast<ptrdiff_t>(at) + 1, words.end()));
  if (!rest) return std::move(rest).error();
  command.arguments = parseArguments(*rest);
  return command;
}

bool isDeviceSource(const std::string& path) {
  const std::string extension = fs::path(path).extension().string();
  return extension == ".cu" || extension == ".hip";
}

}  // namespace mneme::notes
