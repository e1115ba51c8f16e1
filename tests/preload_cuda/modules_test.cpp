// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda/modules.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

namespace mneme::preload {
namespace {

/// An ELF header of the device's machine: a cubin without kernels.
std::vector<std::byte> emptyCubin() {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_machine = 190;
  std::vector<std::byte> bytes(sizeof header);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

CUcontext context(uintptr_t number) { return reinterpret_cast<CUcontext>(number); }

TEST(InterceptedModules, KeepTheirBytesUntilTheyAreUnloaded) {
  Modules modules;
  auto bytes = emptyCubin();
  modules.loaded(context(1), 5, bytes);
  const auto cubin = modules.find(record::ModuleId{1});
  ASSERT_NE(cubin, nullptr);
  const auto wanted = bytes;
  bytes.assign(bytes.size(), std::byte{0});  // the driver's memory goes
  EXPECT_EQ(cubin->bytes, wanted);
  const uint64_t before = modules.generation();
  modules.unloading(context(2), 5);  // another context's module of that number
  EXPECT_NE(modules.find(record::ModuleId{1}), nullptr);
  modules.unloading(context(1), 5);
  EXPECT_EQ(modules.find(record::ModuleId{1}), nullptr);
  EXPECT_GT(modules.generation(), before);
}

TEST(InterceptedModules, WhatIsNoCubinIsNotKept) {
  Modules modules;
  const std::vector<std::byte> rubbish(100, std::byte{7});
  modules.loaded(context(1), 1, rubbish);
  EXPECT_EQ(modules.find(record::ModuleId{1}), nullptr);
}

TEST(InterceptedModules, AnUnknownKernelHasNoCubin) {
  Modules modules;
  modules.loaded(context(1), 1, emptyCubin());
  EXPECT_EQ(modules.find(reinterpret_cast<CUmodule>(9), context(1), "kernel"), nullptr);
}

}  // namespace
}  // namespace mneme::preload
