// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What address arithmetic, loops and conditions of PTX become.
#include "frontend/ptx/module/tidy_module.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

namespace heddle::frontend::ptx {

using namespace llvm;

namespace {

/// The function `f` after tidyModule.
std::string tidied(const std::string &text) {
  LLVMContext context;
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(text, error, context);
  if (!module)
    return error.getMessage().str();
  tidyModule(*module);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  std::string result;
  raw_string_ostream(result) << *module->getFunction("f");
  return result;
}

bool has(const std::string &text, const char *part) { return text.find(part) != text.npos; }

TEST(PtxTidyModule, LoopsCountUp) {
  std::string result = tidied(R"(
    define float @f(ptr %a, i32 %count) {
      br label %loop
    loop:
      %n = phi i32 [ %count, %0 ], [ %m, %step ]
      %p = phi ptr [ %a, %0 ], [ %q, %step ]
      %s = phi float [ 0.0, %0 ], [ %t, %step ]
      %x = load float, ptr %p
      %t = fadd float %s, %x
      %m = add i32 %n, -1
      %end = icmp eq i32 %m, 0
      br i1 %end, label %done, label %step
    step:
      %q = getelementptr i8, ptr %p, i64 4
      br label %loop
    done:
      ret float %t
    })");
  EXPECT_FALSE(has(result, "phi ptr")) << result;
  EXPECT_FALSE(has(result, "step:")) << result;
  EXPECT_TRUE(has(result, "phi i32 [ 0, ") && has(result, ", %count")) << result;
  EXPECT_TRUE(has(result, "getelementptr inbounds i32, ptr %a")) << result;
}

/// Steps that only the kernel's parameters decide make planes, whose elements lie in the array.
TEST(PtxTidyModule, PlanesOfLoops) {
  std::string result = tidied(R"(
    define ptx_kernel void @f(ptr %a, i64 %plane) {
      %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
      %x = sext i32 %t to i64
      %b = shl nsw i64 %x, 2
      br label %loop
    loop:
      %k = phi i32 [ 0, %0 ], [ %l, %loop ]
      %p = phi ptr [ %a, %0 ], [ %q, %loop ]
      %e = getelementptr i8, ptr %p, i64 %b
      store i32 %k, ptr %e
      %q = getelementptr i8, ptr %p, i64 %plane
      %l = add i32 %k, 1
      %end = icmp eq i32 %l, 64
      br i1 %end, label %done, label %loop
    done:
      ret void
    }
    declare i32 @llvm.nvvm.read.ptx.sreg.tid.x())");
  EXPECT_FALSE(has(result, "phi ptr")) << result;
  EXPECT_TRUE(has(result, "getelementptr inbounds i8, ptr %a")) << result;
  EXPECT_TRUE(has(result, "%e = getelementptr inbounds i8")) << result;
}

/// From the first element of a row to its last one.
TEST(PtxTidyModule, RangesOfArrays) {
  const std::string text = R"(
    define float @f(ptr %a, i32 %first, i32 %last) {
      %some = icmp @TEST i32 %first, %last
      br i1 %some, label %before, label %none
    before:
      %wide = sext i32 %first to i64
      %b = shl nsw i64 %wide, 2
      %start = getelementptr i8, ptr %a, i64 %b
      %count = sub i32 %last, %first
      br label %loop
    loop:
      %k = phi i32 [ 0, %before ], [ %l, %loop ]
      %p = phi ptr [ %start, %before ], [ %q, %loop ]
      %s = phi float [ 0.0, %before ], [ %t, %loop ]
      %x = load float, ptr %p
      %t = fadd float %s, %x
      %q = getelementptr i8, ptr %p, i64 4
      %l = add i32 %k, 1
      %end = icmp eq i32 %l, %count
      br i1 %end, label %done, label %loop
    done:
      ret float %t
    none:
      ret float 0.0
    })";
  auto with = [&](const char *test) {
    std::string filled = text;
    return tidied(filled.replace(filled.find("@TEST"), 5, test));
  };
  std::string signedTest = with("slt"), otherTest = with("ult");
  EXPECT_TRUE(has(signedTest, "[ %first, ")) << signedTest;
  EXPECT_TRUE(has(signedTest, ", %last")) << signedTest;
  EXPECT_FALSE(has(signedTest, "sub i32")) << signedTest;
  EXPECT_FALSE(has(otherTest, "[ %first, ")) << otherTest;
}

TEST(PtxTidyModule, ElementsOfSharedArrays) {
  std::string result = tidied(R"(
    @s = internal addrspace(3) global [512 x i32] undef
    define void @f(i32 %i, i32 %n) {
      %a = sext i32 %i to i64
      %b = shl nsw i64 %a, 2
      %p = getelementptr i8, ptr addrspacecast (ptr addrspace(3) @s to ptr), i64 %b
      store i32 1, ptr %p
      %c = sext i32 %n to i64
      %d = shl nsw i64 %c, 2
      %q = getelementptr i8, ptr %p, i64 %d
      store i32 2, ptr %q
      ret void
    })");
  EXPECT_TRUE(has(result, "add nsw i32 %i, %n")) << result;
  EXPECT_FALSE(has(result, "getelementptr inbounds i32, ptr %p")) << result;
}

TEST(PtxTidyModule, CountersAreNoAddresses) {
  std::string result = tidied(R"(
    define i8 @f(ptr %a, i32 %first, i32 %last) {
      %base = ptrtoint ptr %a to i64
      br label %loop
    loop:
      %k = phi i64 [ 0, %0 ], [ %l, %loop ]
      %low = trunc i64 %k to i32
      %i = add i32 %first, %low
      %wide = sext i32 %i to i64
      %at = add i64 %base, %wide
      %p = inttoptr i64 %at to ptr
      %x = load i8, ptr %p
      %l = add i64 %k, 1
      %end = trunc i64 %l to i32
      %more = icmp eq i32 %last, %end
      br i1 %more, label %done, label %loop
    done:
      ret i8 %x
    })");
  EXPECT_FALSE(has(result, "inttoptr")) << result;
  EXPECT_TRUE(has(result, "getelementptr inbounds i8, ptr %a")) << result;
  EXPECT_TRUE(has(result, "phi i32 [ 0, ")) << result;
}

/// What is not accessed itself may lie outside.
TEST(PtxTidyModule, AddressesLieInObjectsWhereTheyAreAccessed) {
  const std::string text = R"(
    define void @f(ptr %a, i64 %i, i64 %j, ptr %out) {
      %b = shl nsw i64 %i, 2
      %p = getelementptr i8, ptr %a, i64 %b
      @STORE
      %q = getelementptr i8, ptr %p, i64 %j
      store i32 2, ptr %q
      ret void
    })";
  auto with = [&](const char *store) {
    std::string filled = text;
    return tidied(filled.replace(filled.find("@STORE"), 6, store));
  };
  std::string accessed = with("store i32 1, ptr %p"), between = with(""),
              seen = with("store ptr %p, ptr %out");
  EXPECT_TRUE(has(accessed, "getelementptr inbounds i32, ptr %a, i64 %i")) << accessed;
  EXPECT_TRUE(has(accessed, "getelementptr inbounds i8, ptr %p, i64 %j")) << accessed;
  EXPECT_FALSE(has(between, "inbounds i8, ptr %p")) << between;
  EXPECT_FALSE(has(seen, "inbounds")) << seen;
}

TEST(PtxTidyModule, ConditionsAndTypes) {
  std::string result = tidied(R"(
    declare i32 @llvm.smax.i32(i32, i32)
    define void @f(i32 %a, i32 %b, i32 %n, ptr %p, ptr %to) {
      %most = call i32 @llvm.smax.i32(i32 %a, i32 %b)
      %less = icmp slt i32 %most, %n
      br i1 %less, label %one, label %join
    one:
      %y = load volatile float, ptr %p
      %bits = bitcast float %y to i32
      br label %join
    join:
      %v = phi i32 [ 0, %0 ], [ %bits, %one ]
      store i32 %v, ptr %to
      ret void
    })");
  EXPECT_FALSE(has(result, "smax")) << result;
  EXPECT_TRUE(has(result, "icmp slt i32 %a, %n") && has(result, "icmp slt i32 %b, %n")) << result;
  EXPECT_TRUE(has(result, "store float")) << result;
}

/// Two arms that write to one place, each by an address of its own.
TEST(PtxTidyModule, ArmsThatStoreAtOnePlace) {
  std::string result = tidied(R"(
    define void @f(i32 %n, i32 %i, ptr %a, ptr %b) {
      %edge = icmp slt i32 %n, 1
      br i1 %edge, label %copied, label %tested
    tested:
      %odd = icmp eq i32 %n, 77
      br i1 %odd, label %copied, label %added
    copied:
      %s = sext i32 %i to i64
      %x = shl nsw i64 %s, 2
      %p = getelementptr i8, ptr %a, i64 %x
      %v = load i32, ptr %p
      %q = getelementptr i8, ptr %b, i64 %x
      store i32 %v, ptr %q
      br label %done
    added:
      %s2 = sext i32 %i to i64
      %x2 = shl i64 %s2, 2
      %p2 = getelementptr i8, ptr %a, i64 %x2
      %v2 = load float, ptr %p2
      %w = fadd float %v2, 1.0
      %q2 = getelementptr i8, ptr %b, i64 %x2
      store float %w, ptr %q2
      br label %done
    done:
      ret void
    })");
  const size_t first = result.find("store float");
  EXPECT_NE(first, result.npos) << result;
  EXPECT_EQ(result.find("store", first + 1), result.npos) << result;
  EXPECT_EQ(result.find("sext"), result.rfind("sext")) << result;
  EXPECT_FALSE(has(result, "phi ptr")) << result;
}

/// What two ways out of a loop count is not counted in the loop.
TEST(PtxTidyModule, ArmsOfLoops) {
  std::string result = tidied(R"(
    define void @f(i32 %n, i32 %i, ptr %a, ptr %b) {
      br label %loop
    loop:
      %k = phi i32 [ %n, %0 ], [ %l, %next ]
      %v = load volatile i32, ptr %a
      %is = icmp eq i32 %v, 5
      br i1 %is, label %one, label %next
    next:
      %l = add i32 %k, -1
      %end = icmp eq i32 %l, 0
      br i1 %end, label %other, label %loop
    one:
      %s = sext i32 %i to i64
      %p = getelementptr float, ptr %b, i64 %s
      store float 1.0, ptr %p
      ret void
    other:
      %s2 = sext i32 %i to i64
      %p2 = getelementptr float, ptr %b, i64 %s2
      store volatile float 2.0, ptr %p2
      ret void
    })");
  EXPECT_LT(result.find("icmp eq i32"), result.find("sext")) << result;
}

} // namespace

} // namespace heddle::frontend::ptx
