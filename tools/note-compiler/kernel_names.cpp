// SPDX-License-Identifier: Apache-2.0
/// `mneme-kernel-names FILE.bc`: the kernels of a bitcode file, mangled, one a line.
#include <cstdio>

#include "base/file.h"
#include "code/bitcode.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: mneme-kernel-names FILE.bc\n");
    return 2;
  }
  const auto bytes = mneme::readBytes(argv[1], uint64_t{1} << 30);
  if (!bytes) {
    std::fprintf(stderr, "mneme-kernel-names: %s\n", bytes.error().message().c_str());
    return 1;
  }
  const auto names = mneme::code::kernelNames(*bytes);
  if (!names) {
    std::fprintf(stderr, "mneme-kernel-names: %s: %s\n", argv[1], names.error().message().c_str());
    return 1;
  }
  for (const std::string& name : *names) std::puts(name.c_str());
  return 0;
}
