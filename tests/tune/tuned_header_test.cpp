// SPDX-License-Identifier: Apache-2.0
/// The installed header that generated ones stand on: defaults, devices, vendors, sizes; all constexpr.
#include <mneme/tuned.h>

#include <gtest/gtest.h>

namespace {

using mneme::tuned::Entry;
using mneme::tuned::Kernel;
using mneme::tuned::Value;

constexpr Value kSmall[] = {{"block_x", 64}, {"rows", 2}};
constexpr Value kLarge[] = {{"block_x", 512}};
constexpr Value kAmd[] = {{"block_x", 128}};
constexpr Entry kEntries[] = {{"AMD Instinct MI250X", 1000, kAmd, 1}, {"NVIDIA A100", 1000, kSmall, 2}, {"NVIDIA A100", 1000000, kLarge, 1}};
constexpr Kernel kernel(kEntries, 3);
constexpr Kernel none(nullptr, 0);

static_assert(none.block_x_or(256) == 256 && !none.known());
static_assert(none.on("NVIDIA A100").near(5).value_or("rows", 7) == 7);
static_assert(kernel.block_x_or(256) == 128, "the first entry");
static_assert(kernel.on("NVIDIA A100").block_x_or(256) == 64);
static_assert(kernel.on("NVIDIA A100").value_or("rows", 1) == 2);
static_assert(kernel.on("NVIDIA A100").block_y_or(3) == 3, "no such value");
static_assert(kernel.on("NVIDIA A100").near(300000).block_x_or(256) == 512);
static_assert(kernel.on("NVIDIA A100").near(2000).block_x_or(256) == 64);
static_assert(kernel.on("NVIDIA H200").block_x_or(256) == 64, "another device of the vendor");
static_assert(kernel.on("host x86-64").block_x_or(256) == 256, "never across vendors");
static_assert(kernel.on("NVIDIA").known() && !kernel.on("NVIDIAX 1").known() && !kernel.on("").known());

TEST(TunedHeader, IsCheckedByTheCompiler) { EXPECT_EQ(kernel.on("AMD Instinct MI250X").block_x_or(1), 128u); }

}  // namespace
