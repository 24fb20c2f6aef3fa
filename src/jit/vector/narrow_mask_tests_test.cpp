// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/vector/narrow_mask_tests.h"

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

/// How many lanes a test of eight lanes that are picked from `from` looks at, after the pass.
unsigned lanesLookedAt(const std::string &from, const std::string &picks, const std::string &test) {
  LLVMContext context;
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(
      "define i1 @run(" + from + " %parts) {\n  %mask = shufflevector " + from + " %parts, " +
          from + " poison, <8 x i32> <" + picks +
          ">\n  %bits = bitcast <8 x i1> %mask to i8\n  %r = icmp " + test + "\n  ret i1 %r\n}\n",
      error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  if (!module)
    return 0;
  runPass<NarrowMaskTests>(*module);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  for (Instruction &instruction : instructions(*module->getFunction("run")))
    if (auto *compare = dyn_cast<ICmpInst>(&instruction))
      return compare->getOperand(0)->getType()->getIntegerBitWidth();
  return 0;
}

const char *const Rows = "i32 0, i32 0, i32 0, i32 0, i32 1, i32 1, i32 1, i32 1";

TEST(NarrowMaskTests, LooksAtWhatLanesAreCopiesOf) {
  EXPECT_EQ(lanesLookedAt("<2 x i1>", Rows, "eq i8 %bits, 0"), 2u);
  EXPECT_EQ(lanesLookedAt("<2 x i1>", Rows, "ne i8 %bits, -1"), 2u);
  EXPECT_EQ(lanesLookedAt("<4 x i1>", "i32 0, i32 1, i32 2, i32 3, i32 0, i32 1, i32 2, i32 3",
                          "ne i8 %bits, 0"),
            4u);
}

// LEGAL narrow-mask-tests: one answer
// LEGAL narrow-mask-tests: all lanes
// LEGAL narrow-mask-tests: copies
TEST(NarrowMaskTests, LeavesWhatSaysMore) {
  EXPECT_EQ(lanesLookedAt("<2 x i1>", Rows, "eq i8 %bits, 15"), 8u) << "which lanes";
  EXPECT_EQ(lanesLookedAt("<2 x i1>", Rows, "ugt i8 %bits, 0"), 8u);
  EXPECT_EQ(lanesLookedAt("<4 x i1>", Rows, "eq i8 %bits, 0"), 8u) << "not all are copied";
  EXPECT_EQ(lanesLookedAt("<2 x i1>", "i32 0, i32 0, i32 0, i32 0, i32 1, i32 1, i32 1, i32 poison",
                          "eq i8 %bits, 0"),
            8u)
      << "a lane is open";
}

} // namespace
} // namespace heddle::jit
