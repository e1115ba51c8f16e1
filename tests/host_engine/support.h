// SPDX-License-Identifier: Apache-2.0
/// Compiles CUDA text to bitcode with clang, loads it into the engine, and launches it with ordinary C++ values.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "backend/host/engine.h"

namespace mneme::host::test {

/// NVPTX bitcode of the source (with tiny stand-ins for CUDA's headers); fails the test if clang refuses it.
std::vector<std::byte> compileCuda(const std::string& source);

/// A module from source; null (and a failed test) if it does not load.
std::shared_ptr<LoadedModule> load(const std::string& source);

/// Packs values as a launch does.
class Arguments {
 public:
  explicit Arguments(const CompiledKernel& kernel) : kernel_(kernel) {}
  template <typename T>
  void add(const T& value) {
    ASSERT_LT(next_, kernel_.parameters().size());
    const auto& slot = kernel_.parameters()[next_++];
    ASSERT_EQ(slot.size, sizeof value);
    if (bytes_.size() < slot.offset + slot.size) bytes_.resize(slot.offset + slot.size);
    std::memcpy(bytes_.data() + slot.offset, &value, sizeof value);
  }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  const CompiledKernel& kernel_;
  size_t next_ = 0;
  std::vector<std::byte> bytes_;
};

template <typename... Values>
LaunchResult launch(LoadedModule& module, const std::string& name, const LaunchShape& shape, const Values&... values) {
  auto kernel = module.kernel(name);
  if (!kernel) return {Fault::Unsupported, kernel.error().message()};
  Arguments arguments(**kernel);
  (arguments.add(values), ...);
  return run(**kernel, shape, arguments.bytes());
}

inline LaunchShape shape(Dim3 grid, Dim3 block, uint64_t dynamicShared = 0) {
  LaunchShape result;
  result.grid = grid, result.block = block, result.dynamicSharedBytes = dynamicShared;
  return result;
}

#define EXPECT_RUNS(...) \
  do { \
    auto result = (__VA_ARGS__); \
    EXPECT_EQ(result.fault, Fault::None) << result.message; \
  } while (false)

}  // namespace mneme::host::test
