// SPDX-License-Identifier: Apache-2.0
/// `mneme-bitcode`: what other programs of Mneme ask of bitcode, so that they need no LLVM. One answer a line.
///   contents FILE          "compiler NAME", "kernel MANGLED_NAME"
///   elements FILE KERNEL   "stored|loaded PARAMETER OFFSET TYPE" of memory behind pointers, "variable TYPE NAME"
///   accept FILE ARCH       nothing, if it can become machine code; exit code 3 if nothing here can tell
///   link OUT FILE...       one module of all
///   complete OUT FILE...   the first, with what it needs of the others
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "code/bitcode.h"
#include "code/code_module.h"
#include "code/element_types.h"
#include "code/whole_program.h"

namespace {

using Bytes = std::vector<std::byte>;

mneme::Expected<void> printContents(const Bytes& bitcode) {
  const auto contents = mneme::code::bitcodeContents(bitcode);
  if (!contents) return contents.error();
  std::printf("compiler %s\n", contents->compiler.c_str());
  for (const std::string& name : contents->kernels) std::printf("kernel %s\n", name.c_str());
  return {};
}

mneme::Expected<void> printElements(const Bytes& bitcode, const char* kernel) {
  const auto elements = mneme::code::kernelElements(bitcode, kernel);
  if (!elements) return elements.error();
  for (const auto& pointee : elements->pointees)
    std::printf("%s %u %u %s\n", pointee.stored ? "stored" : "loaded", pointee.parameter, pointee.offset,
                pointee.element.c_str());
  for (const auto& variable : elements->variables)
    std::printf("variable %s %s\n", variable.element.c_str(), variable.name.c_str());
  return {};
}

mneme::Expected<void> join(std::string_view mode, const char* out, std::span<char*> files) {
  std::vector<Bytes> contents;
  for (const char* file : files) {
    auto bytes = mneme::readBytes(file, uint64_t{1} << 30);
    if (!bytes) return std::move(bytes).error();
    contents.push_back(std::move(*bytes));
  }
  std::vector<mneme::code::BitcodeModule> modules;
  for (size_t i = 0; i < contents.size(); ++i) modules.push_back({contents[i], files[i]});
  const auto program = mode == "link" ? mneme::code::linkProgram(modules) : mneme::code::completeModule(modules);
  if (!program) return program.error();
  return mneme::writeAtomically(out, *program);
}

int accept(const Bytes& bitcode, const char* file, const char* architecture) {
  const auto accepted = mneme::code::acceptedInModule({bitcode, file}, architecture);
  if (accepted) return 0;
  std::fprintf(stderr, "%s\n", accepted.error().message().c_str());
  return accepted.error().code() == mneme::ErrorCode::Unavailable ? 3 : 1;
}

int usage() {
  std::fputs("usage: mneme-bitcode contents FILE | elements FILE KERNEL | accept FILE ARCH | link|complete OUT FILE...\n", stderr);
  return 2;
}

int fail(const char* file, const mneme::Error& error) {
  std::fprintf(stderr, "mneme-bitcode: %s: %s\n", file, error.message().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  if ((mode == "link" || mode == "complete") && argc >= 4) {
    const auto joined = join(mode, argv[2], {argv + 3, argv + argc});
    return joined ? 0 : fail(argv[1], joined.error());
  }
  if (!(mode == "contents" && argc == 3) && !((mode == "elements" || mode == "accept") && argc == 4)) return usage();
  const auto bytes = mneme::readBytes(argv[2], uint64_t{1} << 30);
  if (!bytes) return fail(argv[2], bytes.error());
  if (mode == "accept") return accept(*bytes, argv[2], argv[3]);
  const auto printed = mode == "contents" ? printContents(*bytes) : printElements(*bytes, argv[3]);
  return printed ? 0 : fail(argv[2], printed.error());
}
