// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/loops/hoist_selects.h"

#include "jit/test_module.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

namespace heddle::jit {
namespace {

using namespace llvm;

/// The blocks that choices are in, after the pass over a loop that has `body`.
std::string choicesIn(const std::string &body, unsigned *frozen = nullptr) {
  LLVMContext context;
  SMDiagnostic error;
  std::unique_ptr<Module> module =
      parseAssemblyString("define void @run(ptr %p, i32 %n, i1 %c) {\n"
                          "entry:\n  br label %loop\n"
                          "loop:\n  %i = phi i32 [ 0, %entry ], [ %next, %loop ]\n"
                          "  %q = getelementptr i32, ptr %p, i32 %i\n"
                          "  %x = load i32, ptr %q\n" +
                              body +
                              "  store i32 %r, ptr %q\n"
                              "  %next = add i32 %i, 1\n"
                              "  %more = icmp ult i32 %next, %n\n"
                              "  br i1 %more, label %loop, label %end\n"
                              "end:\n  ret void\n}\n",
                          error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  if (!module)
    return "";
  runPass<HoistSelects>(*module);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  std::string blocks;
  for (Instruction &instruction : instructions(*module->getFunction("run")))
    if (frozen && isa<FreezeInst>(instruction))
      ++*frozen;
    else if (isa<SelectInst>(instruction))
      blocks += instruction.getParent()->getName().str() + " ";
  return blocks;
}

TEST(HoistSelects, MakesAMaskBeforeTheLoop) {
  EXPECT_EQ(choicesIn("  %d = and i32 %x, 255\n  %r = select i1 %c, i32 %d, i32 0\n"), "entry ");
  EXPECT_EQ(choicesIn("  %d = mul i32 %x, 255\n  %r = select i1 %c, i32 0, i32 %d\n"), "entry ");
}

TEST(HoistSelects, MakesOneForAll) {
  EXPECT_EQ(choicesIn("  %d = and i32 %x, 7\n  %s = select i1 %c, i32 %d, i32 0\n"
                      "  %e = and i32 %s, 7\n  %r = select i1 %c, i32 %e, i32 0\n"),
            "entry ");
}

// LEGAL hoist-selects: same
// LEGAL hoist-selects: zero
TEST(HoistSelects, LeavesOthersAlone) {
  EXPECT_EQ(choicesIn("  %d = and i32 %x, 255\n  %o = icmp eq i32 %x, 5\n"
                      "  %r = select i1 %o, i32 %d, i32 0\n"),
            "loop ")
      << "a condition of the round";
  EXPECT_EQ(choicesIn("  %r = select i1 %c, i32 %x, i32 1\n"), "loop ") << "not zero";
}

/// A shift by too many bits is poison, and was not chosen.
// LEGAL hoist-selects: poison
TEST(HoistSelects, FreezesWhatMayBePoison) {
  unsigned frozen = 0;
  EXPECT_EQ(choicesIn("  %d = lshr i32 %x, %n\n  %r = select i1 %c, i32 %d, i32 0\n", &frozen),
            "entry ");
  EXPECT_EQ(frozen, 1u);
  EXPECT_EQ(choicesIn("  %v = bitcast i32 %x to <2 x i16>\n"
                      "  %d = select i1 %c, <2 x i16> %v, <2 x i16> zeroinitializer\n"
                      "  %r = bitcast <2 x i16> %d to i32\n"),
            "loop ")
      << "no integer";
}

} // namespace
} // namespace heddle::jit
