// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of scalars of many terms.
#include "jit/emit/bound_sums.h"

#include "jit/test_module.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"

#include <gtest/gtest.h>

namespace heddle::jit {
namespace {

using namespace llvm;

/// How many values are frozen in a sum of so many terms, one after the other.
unsigned frozenOf(unsigned terms, const std::string &term) {
  std::string text = "define i32 @f(ptr %a, i32 %c) {\n  %s0 = add i32 %c, 7\n";
  for (unsigned i = 1; i <= terms; ++i) {
    std::string n = std::to_string(i), before = std::to_string(i - 1);
    text += "  %p" + n + " = getelementptr i32, ptr %a, i32 " + n + "\n  %x" + n +
            " = load i32, ptr %p" + n + "\n  %s" + n + " = add i32 %s" + before + ", " + term +
            (term == "%x" ? n : "") + "\n";
  }
  text += "  ret i32 %s" + std::to_string(terms) + "\n}\n";
  LLVMContext context;
  std::unique_ptr<Module> module =
      moduleAfter(context, text, "x86-64-v3",
                  [](Module &module, TargetMachine &) { runPass<BoundSums>(module); });
  return module ? count_if(instructions(*module->getFunction("f")), IsaPred<FreezeInst>) : ~0u;
}

TEST(BoundSums, FreezesLongSums) {
  EXPECT_EQ(frozenOf(8, "%x"), 0u);
  EXPECT_EQ(frozenOf(20, "%x"), 1u);
  EXPECT_EQ(frozenOf(200, "%x"), 12u);
}

TEST(BoundSums, LeavesEqualTerms) { EXPECT_EQ(frozenOf(200, "%c"), 0u); }

} // namespace
} // namespace heddle::jit
