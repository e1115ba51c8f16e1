// SPDX-License-Identifier: Apache-2.0
/// Parses the launcher's own options.
#include "options.h"

#include <algorithm>
#include <cstddef>
#include <map>

namespace mneme::notes {
namespace {

Expected<void> setMode(Options& options, const std::string& name) {
  if (name != "host" && name != "cuda") return Error(ErrorCode::InvalidArgument, "--mode is host or cuda, not " + name);
  options.mode = name == "host" ? Mode::Host : Mode::Cuda;
  return {};
}

}  // namespace

Expected<Options> parseOptions(const Words& words) {
  Options options;
  const std::map<std::string, std::string*> texts{{"--clang", &options.clang},
                                                  {"--objcopy", &options.objcopy},
                                                  {"--compiler", &options.compiler},
                                                  {"--include", &options.include},
                                                  {"--cuda-root", &options.cudaRoot}};
  const std::map<std::string, Words*> lists{
      {"--arch", &options.architectures}, {"--source", &options.sources}, {"--without", &options.without}};
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") {
      options.command.assign(words.begin() + static_cast<ptrdiff_t>(i) + 1, words.end());
      return options;
    }
    if (word == "--no-notes") {
      options.notes = false;
      continue;
    }
    if (word == "--compiler-is-clang") {
      options.compilerIsClang = true;
      continue;
    }
    if (i + 1 >= words.size()) return Error(ErrorCode::InvalidArgument, "unknown option or missing value: " + word);
    const std::string& value = words[++i];
    if (word == "--mode") {
      if (auto set = setMode(options, value); !set) return std::move(set).error();
    } else if (const auto text = texts.find(word); text != texts.end()) {
      *text->second = value;
    } else if (const auto list = lists.find(word); list != lists.end()) {
      list->second->push_back(value);
    } else {
      return Error(ErrorCode::InvalidArgument, "unknown option: " + word);
    }
  }
  return Error(ErrorCode::InvalidArgument, "no `--` before the compiler's command");
}

}  // namespace mneme::notes
