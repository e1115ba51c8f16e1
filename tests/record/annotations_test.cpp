// SPDX-License-Identifier: Apache-2.0
/// What a program says through <mneme/mneme.h> reaches its recordings.
#include <gtest/gtest.h>

#include "fakes.h"
#include "mneme/mneme.h"
#include "record/annotations.h"

namespace mneme::record::test {
namespace {

const void* pointer(uint64_t address) { return reinterpret_cast<const void*>(address); }

Written recordOne(Fixture& program, const Arguments& arguments) {
  program.start();
  program.launch(arguments.launch("kernel"));
  auto all = program.recordings();
  EXPECT_EQ(all.size(), 1u);
  return all.empty() ? Written{} : all.front();
}

TEST(Annotations, ABufferGetsItsTypeNameAndTolerance) {
  Fixture program;
  const uint64_t forces = program.memory.allocate(64);
  mneme::annotate(pointer(forces + 8), {Element::f32, 1e-6, 1e-4, any, "forces"});
  const Written written = recordOne(program, Arguments().add(forces));
  ASSERT_EQ(written.manifest.annotations.size(), 1u);
  const format::Annotation& annotation = written.manifest.annotations[0];
  EXPECT_EQ(annotation.buffer, "forces");
  EXPECT_EQ(annotation.atol, 1e-6);
  EXPECT_EQ(annotation.rtol, 1e-4);
  EXPECT_FALSE(annotation.ulp);
  EXPECT_EQ(written.manifest.regions[0].element, format::ElementType::F32);
  EXPECT_EQ(written.manifest.regions[0].range.name, "forces");
}

TEST(Annotations, ANamelessBufferIsNamedByItsParameter) {
  Fixture program;
  const uint64_t buffer = program.memory.allocate(64);
  mneme::annotate(pointer(buffer), {Element::i64, any, any, 4});
  const Written written = recordOne(program, Arguments().add(7).add(buffer));
  ASSERT_EQ(written.manifest.annotations.size(), 1u);
  EXPECT_EQ(written.manifest.annotations[0].buffer, "arg1");
  EXPECT_EQ(written.manifest.annotations[0].ulp, 4u);
}

TEST(Annotations, ALaterAnnotationReplaces) {
  Fixture program;
  const uint64_t buffer = program.memory.allocate(64);
  mneme::annotate(pointer(buffer), {Element::f64, 1, any, any, "old"});
  mneme::annotate(pointer(buffer), {Element::f16, any, any, any, "new"});
  const Written written = recordOne(program, Arguments().add(buffer));
  ASSERT_EQ(written.manifest.annotations.size(), 1u);
  EXPECT_EQ(written.manifest.annotations[0].buffer, "new");
  EXPECT_FALSE(written.manifest.annotations[0].atol);
}

TEST(Annotations, ElementNumbersAreThoseOfTheFormat) {
  EXPECT_EQ(static_cast<int>(Element::bytes), static_cast<int>(format::ElementType::Bytes));
  EXPECT_EQ(static_cast<int>(Element::f16), static_cast<int>(format::ElementType::F16));
  EXPECT_EQ(static_cast<int>(Element::bf16), static_cast<int>(format::ElementType::BF16));
  EXPECT_EQ(static_cast<int>(Element::f32), static_cast<int>(format::ElementType::F32));
  EXPECT_EQ(static_cast<int>(Element::f64), static_cast<int>(format::ElementType::F64));
  EXPECT_EQ(static_cast<int>(Element::i8), static_cast<int>(format::ElementType::I8));
  EXPECT_EQ(static_cast<int>(Element::i16), static_cast<int>(format::ElementType::I16));
  EXPECT_EQ(static_cast<int>(Element::i32), static_cast<int>(format::ElementType::I32));
  EXPECT_EQ(static_cast<int>(Element::i64), static_cast<int>(format::ElementType::I64));
}

TEST(Annotations, BlocksOfAPoolAreRegionsOfTheirOwn) {
  Fixture program;
  const uint64_t pool = program.memory.allocate(4096);
  const uint64_t used = pool + 256, next = pool + 1024, idle = pool + 2048;
  for (uint64_t block : {used, next, idle}) mneme::suballocated(pointer(block), 512);
  FakeMemory::store(used + 8, next + 100);
  FakeMemory::store(used + 16, pool + 3000);  // between blocks: a stale pointer
  const Written written = recordOne(program, Arguments().add(used));
  ASSERT_EQ(written.manifest.regions.size(), 2u);
  EXPECT_EQ(written.manifest.regions[0].range.address, used);
  EXPECT_EQ(written.manifest.regions[0].range.size, 512u);
  EXPECT_EQ(written.manifest.regions[1].range.address, next);
  for (uint64_t block : {used, next, idle}) mneme::freed(pointer(block));
}

TEST(Annotations, BlocksOfAPoolThatOnlyTheVendorKnows) {
  SuballocatedBlocks blocks;
  const MemoryRange pool{1000, 1000, MemoryKind::Device, {}};
  EXPECT_EQ(blocks.narrow(pool, 1500), pool);
  blocks.add(1100, 100);
  blocks.add(1300, 10000);
  EXPECT_EQ(blocks.narrow(pool, 1150)->address, 1100u);
  EXPECT_FALSE(blocks.narrow(pool, 1250));
  EXPECT_FALSE(blocks.narrow(pool, 1050));
  EXPECT_EQ(blocks.narrow(pool, 1999)->size, 700u);
  blocks.remove(1100);
  blocks.remove(1300);
  EXPECT_EQ(blocks.narrow(pool, 1250), pool);
}

TEST(Annotations, TagsNestAndEnd) {
  Fixture program;
  Options options = Fixture::defaults();
  options.max = 0;
  program.start(options);
  const Arguments arguments;
  {
    auto outer = mneme::tag("solve");
    program.launch(arguments.launch("kernel"));
    {
      auto inner = mneme::tag("warm-up");
      program.launch(arguments.launch("kernel"));
    }
    std::thread([&] { program.launch(arguments.launch("kernel")); }).join();
  }
  program.launch(arguments.launch("kernel"));
  std::vector<std::string> tags;
  for (const Written& written : program.recordings()) tags.push_back(written.manifest.tag);
  EXPECT_EQ(tags, (std::vector<std::string>{"solve", "solve/warm-up", "", ""}));
}

}  // namespace
}  // namespace mneme::record::test
