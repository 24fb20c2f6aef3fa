// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/emit/split_blocks.h"

#include "jit/test_module.h"

#include "llvm/IR/Instructions.h"

#include <gtest/gtest.h>

namespace heddle::jit {
namespace {

using namespace llvm;

/// %v0 to %v(count - 1), each the one before it plus 1, between two variables if wanted.
std::string chain(unsigned count, bool hasLateVariable) {
  std::string text = "define i32 @f(i32 %v) {\nentry:\n  %a = alloca i32\n  %v0 = add i32 %v, 1\n";
  for (unsigned i = 1; i < count; ++i)
    text += "  %v" + std::to_string(i) + " = add i32 %v" + std::to_string(i - 1) + ", 1\n";
  if (hasLateVariable)
    text += "  %b = alloca i32\n";
  return text + "  ret i32 %v" + std::to_string(count - 1) + "\n}\n";
}

struct Parts {
  bool changed;
  size_t blocks, longest;
  bool hasVariablesFirst;
};

Parts split(unsigned count, bool hasLateVariable = false) {
  LLVMContext context;
  Parts parts = {.changed = false, .blocks = 0, .longest = 0, .hasVariablesFirst = true};
  auto pass = [&](Module &module, TargetMachine &) {
    parts.changed = splitLongBlocks(*module.getFunction("f"));
  };
  auto module = moduleAfter(context, chain(count, hasLateVariable), "x86-64-v3", pass);
  Function &function = *module->getFunction("f");
  parts.blocks = function.size();
  for (BasicBlock &block : function) {
    parts.longest = std::max(parts.longest, block.size());
    for (Instruction &instruction : block)
      parts.hasVariablesFirst &= !isa<AllocaInst>(instruction) || block.isEntryBlock();
  }
  return parts;
}

TEST(SplitBlocks, ShortBlocksStay) {
  Parts parts = split(3900);
  EXPECT_FALSE(parts.changed);
  EXPECT_EQ(parts.blocks, 1u);
}

TEST(SplitBlocks, LongOnesBecomeSeveral) {
  Parts parts = split(14'000);
  EXPECT_TRUE(parts.changed);
  EXPECT_EQ(parts.blocks, 4u);
  EXPECT_LE(parts.longest, 4002u); // with a variable and a branch
}

TEST(SplitBlocks, VariablesStayInTheFirst) {
  Parts parts = split(14'000, /*hasLateVariable=*/true);
  EXPECT_FALSE(parts.changed);
  EXPECT_TRUE(parts.hasVariablesFirst);
}

} // namespace
} // namespace heddle::jit
