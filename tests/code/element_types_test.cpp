// SPDX-License-Identifier: Apache-2.0
#include "code/element_types.h"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

namespace mneme::code {
namespace {

std::vector<std::byte> bitcodeOf(const std::string& text) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString("target triple = \"nvptx64-nvidia-cuda\"\n" + text, problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str() << " in line " << problem.getLineNo();
  if (!module) return {};
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::WriteBitcodeToFile(*module, stream);
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  return {begin, begin + bytes.size()};
}

/// "stored 0+0 f32, loaded 1+8 i32, variable v f64", in order.
std::string elementsOf(const std::string& text) {
  auto elements = kernelElements(bitcodeOf(text), "k");
  if (!elements) return elements.error().message();
  std::string all;
  for (const auto& p : elements->pointees)
    all += (all.empty() ? "" : ", ") + std::string(p.stored ? "stored " : "loaded ") + std::to_string(p.parameter) + "+" +
           std::to_string(p.offset) + " " + p.element;
  for (const auto& v : elements->variables) all += (all.empty() ? "" : ", ") + ("variable " + v.name + " " + v.element);
  return all;
}

std::string kernel(const std::string& parameters, const std::string& body) {
  return "define ptx_kernel void @k(" + parameters + ") {\n" + body + "\n ret void\n}\n";
}

TEST(ElementTypes, StoresTellAndLoadsWhereNothingIsStored) {
  EXPECT_EQ(elementsOf(kernel("ptr %y, ptr %x, ptr %unused",
                              "%v = load float, ptr %x\n %w = fpext float %v to double\n store double %w, ptr %y")),
            "stored 0+0 f64, loaded 1+0 f32");
}

TEST(ElementTypes, StoresWinOverLoadsOfAnotherType) {
  EXPECT_EQ(elementsOf(kernel("ptr %y", "%v = load i32, ptr %y\n %w = sitofp i32 %v to float\n store float %w, ptr %y")),
            "stored 0+0 f32");
}

TEST(ElementTypes, FollowsUnoptimisedCode) {
  EXPECT_EQ(elementsOf(kernel("ptr %y", R"(
    %here = alloca ptr
    store ptr %y, ptr %here
    %p = load ptr, ptr %here
    %g = getelementptr inbounds half, ptr %p, i64 3
    store half 0xH3C00, ptr %g)")),
            "stored 0+0 f16");
}

TEST(ElementTypes, FollowsHelpersSelectsLoopsAndAddressSpaces) {
  EXPECT_EQ(elementsOf(R"(
    define internal void @put(ptr %p, bfloat %v) noinline optnone {
      store bfloat %v, ptr %p
      ret void
    }
    define ptx_kernel void @k(ptr %a, ptr %b, i1 %c) {
    entry:
      %s = select i1 %c, ptr %a, ptr %b
      br label %loop
    loop:
      %p = phi ptr [ %s, %entry ], [ %next, %loop ]
      %far = addrspacecast ptr %p to ptr addrspace(1)
      %back = addrspacecast ptr addrspace(1) %far to ptr
      call void @put(ptr %back, bfloat 0xR3F80)
      %next = getelementptr inbounds bfloat, ptr %p, i64 1
      br i1 %c, label %loop, label %done
    done:
      ret void
    })"),
            "stored 0+0 bf16, stored 1+0 bf16");
}

TEST(ElementTypes, VectorsAndStructuresOfOneScalarCount) {
  EXPECT_EQ(elementsOf(R"(
    %struct.float4 = type { float, float, float, float }
    define ptx_kernel void @k(ptr %a, ptr %b) {
      store <2 x i64> zeroinitializer, ptr %a
      %to = getelementptr inbounds %struct.float4, ptr %b, i64 1
      call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %a, i64 16, i1 false)
      ret void
    }
    declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1))"),
            "stored 0+0 i64, stored 1+0 f32");
}

TEST(ElementTypes, ACopyIsWhatItWasCopiedFrom) {
  EXPECT_EQ(elementsOf(R"(
    define ptx_kernel void @k(ptr %to, ptr %from) {
      call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 64, i1 false)
      %v = load volatile double, ptr %from
      ret void
    }
    declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1))"),
            "stored 0+0 f64, loaded 1+0 f64");
}

TEST(ElementTypes, MixedStoresAndUnknownCallsAreBytes) {
  EXPECT_EQ(elementsOf("declare void @elsewhere(ptr)\n" + kernel("ptr %a, ptr %b", R"(
    store float 1.0, ptr %a
    %id = getelementptr inbounds i8, ptr %a, i64 4
    store i32 7, ptr %id
    store float 1.0, ptr %b
    call void @elsewhere(ptr %b))")),
            "stored 0+0 bytes, stored 1+0 bytes");
}

TEST(ElementTypes, AtomicsAreStoresOfTheirValue) {
  EXPECT_EQ(elementsOf(kernel("ptr %a, ptr %b, double %v", R"(
    %old = atomicrmw fadd ptr %a, float 1.0 seq_cst
    %bits = bitcast double %v to i64
    %done = cmpxchg ptr %b, i64 0, i64 %bits seq_cst seq_cst)")),
            "stored 0+0 f32, stored 1+0 f64");
}

TEST(ElementTypes, NumberClassesCountAsTheNumbersTheyHold) {
  EXPECT_EQ(elementsOf("%struct.__half = type { i16 }\n%struct.__nv_bfloat16 = type { i16 }\n" +
                       kernel("ptr %a, ptr %b", R"(
    %h = getelementptr inbounds %struct.__half, ptr %a, i64 1
    store i16 1, ptr %h
    %g = getelementptr inbounds %struct.__nv_bfloat16, ptr %b, i64 1
    store i16 1, ptr %g)")),
            "stored 0+0 f16, stored 1+0 bf16");
}

TEST(ElementTypes, PointersInStructuresPassedByValueAreFollowed) {
  EXPECT_EQ(elementsOf(R"(
    %struct.View = type { i64, ptr, ptr }
    define ptx_kernel void @k(i32 %n, ptr byval(%struct.View) align 8 %view) {
      %at = getelementptr inbounds %struct.View, ptr %view, i32 0, i32 2
      %p = load ptr, ptr %at
      store i8 1, ptr %p
      ret void
    })"),
            "stored 1+16 i8");
}

TEST(ElementTypes, VariablesHaveTheTypeTheyAreDeclaredWith) {
  EXPECT_EQ(elementsOf("@table = addrspace(1) global [4 x float] zeroinitializer\n"
                       "@raw = addrspace(1) global [8 x i8] zeroinitializer\n"
                       "@mixed = addrspace(1) global { i32, float } zeroinitializer\n"
                       "@shared = internal addrspace(3) global [4 x float] undef\n" +
                       kernel("i64 %v", "store i64 %v, ptr addrspace(1) @raw")),
            "variable table f32, variable raw i64");
}

TEST(ElementTypes, OtherKernelsSayNothing) {
  EXPECT_EQ(elementsOf("define ptx_kernel void @other(ptr %p) {\n store i8 1, ptr %p\n ret void\n}\n" +
                       kernel("ptr %p", "store float 1.0, ptr %p")),
            "stored 0+0 f32");
}

TEST(ElementTypes, WhatIsNotThereOrNoBitcodeIsAnError) {
  EXPECT_EQ(kernelElements(bitcodeOf("define void @k() {\n ret void\n}"), "k").error().code(), ErrorCode::NotFound);
  EXPECT_EQ(kernelElements(bitcodeOf(""), "k").error().code(), ErrorCode::NotFound);
  std::vector<std::byte> rubbish(64, std::byte{42});
  EXPECT_FALSE(kernelElements(rubbish, "k"));
}

}  // namespace
}  // namespace mneme::code
