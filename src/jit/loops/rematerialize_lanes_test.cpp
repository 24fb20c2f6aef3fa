// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/loops/rematerialize_lanes.h"

#include "jit/test_module.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

namespace heddle::jit {
namespace {

using namespace llvm;

constexpr const char *Slot = "  %slot = alloca <64 x i32>, align 64\n";
constexpr const char *Vector = "  %v = load <64 x i32>, ptr %p, align 4\n";
constexpr const char *Store = "  store <64 x i32> %v, ptr %slot, align 64\n";
/// Element %lane + 3.
constexpr const char *Element = "  %a = getelementptr i32, ptr %slot, i64 %lane\n"
                                "  %b = getelementptr i8, ptr %a, i64 12\n"
                                "  %x = load i32, ptr %b, align 64, !heddle.still-in-memory !0\n";

/// The function's text after the pass.
std::string after(const std::string &body, bool &keepsSlot) {
  LLVMContext context;
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(
      "define i32 @run(ptr %p, i64 %lane, ptr %q) {\n" + body + "  ret i32 %x\n}\n!0 = !{}\n",
      error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  if (!module)
    return "";
  runPass<RematerializeLanes>(*module);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  Function &function = *module->getFunction("run");
  keepsSlot = any_of(instructions(function), [](auto &one) { return isa<AllocaInst>(one); });
  std::string text;
  raw_string_ostream(text) << function;
  return text;
}

TEST(RematerializeLanes, TakesElementsFromWhereTheVectorWasLoaded) {
  bool keepsSlot = true;
  std::string text =
      after(std::string(Slot) + "  call void @llvm.lifetime.start.p0(ptr %slot)\n" + Vector +
                Store + Element + "  call void @llvm.lifetime.end.p0(ptr %slot)\n",
            keepsSlot);
  EXPECT_FALSE(keepsSlot);
  EXPECT_EQ(text.find("<64 x i32>"), std::string::npos) << text;
  EXPECT_NE(text.find("getelementptr i32, ptr %p, i64 %lane"), std::string::npos) << text;
  EXPECT_NE(text.find("align 4"), std::string::npos) << text;
}

TEST(RematerializeLanes, ComputesAddressesWhereTheVectorIsKnown) {
  // The first part of the address was made before %p2.
  bool keepsSlot = true;
  std::string text = after(
      std::string(Slot) + "  %a = getelementptr i32, ptr %slot, i64 %lane\n" +
          "  %p2 = getelementptr i8, ptr %p, i64 256\n  %v = load <64 x i32>, ptr %p2, align 4\n" +
          Store + "  %x = load i32, ptr %a, align 4, !heddle.still-in-memory !0\n",
      keepsSlot);
  EXPECT_FALSE(keepsSlot);
  EXPECT_NE(text.find("ptr %p2, i64 %lane"), std::string::npos) << text;
}

TEST(RematerializeLanes, ComputesElementsAgain) {
  bool keepsSlot = true;
  std::string text = after(
      std::string(Slot) + "  %n = trunc i64 %lane to i32\n  %c = icmp ult i32 %n, 32\n" +
          "  %one = insertelement <64 x i32> poison, i32 %n, i64 0\n" +
          "  %all = shufflevector <64 x i32> %one, <64 x i32> poison, <64 x i32> "
          "zeroinitializer\n" +
          "  %u = load <64 x i32>, ptr %p, align 4\n  %s = lshr <64 x i32> %u, %all\n" +
          "  %d = and <64 x i32> %s, splat (i32 255)\n" +
          "  %v = select i1 %c, <64 x i32> %d, <64 x i32> zeroinitializer\n" + Store + Element,
      keepsSlot);
  EXPECT_FALSE(keepsSlot);
  EXPECT_EQ(text.find("lshr <64 x i32>"), std::string::npos) << text;
  EXPECT_NE(text.find("load i32, ptr"), std::string::npos) << text;
  EXPECT_NE(text.find("lshr i32 "), std::string::npos) << text;
  EXPECT_NE(text.find(", 255\n"), std::string::npos) << text;
  EXPECT_NE(text.find("select i1 %c, i32 "), std::string::npos) << text;
}

TEST(RematerializeLanes, KeepsTheVectorForOthers) {
  bool keepsSlot = true;
  std::string text = after(std::string(Slot) + Vector + Store + Element +
                               "  store <64 x i32> %v, ptr %q, align 4\n",
                           keepsSlot);
  EXPECT_FALSE(keepsSlot);
  EXPECT_NE(text.find("%v = load <64 x i32>"), std::string::npos) << text;
}

// LEGAL rematerialize-lanes: mark
// LEGAL rematerialize-lanes: slot
// LEGAL rematerialize-lanes: plain
// LEGAL rematerialize-lanes: steps
// LEGAL rematerialize-lanes: elements
TEST(RematerializeLanes, LeavesOtherSlotsAlone) {
  const std::string unmarked = "  %x = load i32, ptr %slot, align 4\n";
  for (const std::string &body :
       {Slot + std::string(Vector) + Store + unmarked,
        Slot + std::string(Vector) + Store + Element + "  %y = load i32, ptr %slot, align 4\n",
        Slot + std::string(Vector) + Store + "  store i32 1, ptr %slot, align 4\n" + Element,
        Slot + std::string(Vector) + Store + "  store ptr %slot, ptr %q, align 8\n" + Element,
        Slot + std::string("  %v = load volatile <64 x i32>, ptr %p, align 4\n") + Store + Element,
        Slot + std::string("  %u = load <64 x i32>, ptr %p, align 4\n") +
            "  %v = or <64 x i32> %u, %u\n" + Store + Element,
        Slot + std::string("  %u = load <64 x i32>, ptr %p, align 4\n") +
            "  %v = udiv <64 x i32> %u, splat (i32 3)\n" + Store + Element,
        Slot + std::string("  %u = load <64 x i32>, ptr %p, align 4\n") +
            "  %v = and <64 x i32> %u, splat (i32 255)\n" + Store +
            "  %y = load i8, ptr %slot, !heddle.still-in-memory !0\n  %x = zext i8 %y to i32\n",
        Slot + std::string(Vector) + "  br label %then\nthen:\n" + Store + Element}) {
    bool keepsSlot = false;
    std::string text = after(body, keepsSlot);
    EXPECT_TRUE(keepsSlot) << text;
    EXPECT_NE(text.find("ptr %slot"), std::string::npos) << text;
  }
}

} // namespace
} // namespace heddle::jit
