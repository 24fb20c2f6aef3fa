// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/loops/unroll_loops.h"

#include "jit/emit/machine.h"

#include "jit/test_module.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

namespace heddle::jit {
namespace {

using namespace llvm;

/// Additions after the pass, of a loop of `turns` turns with `additions` of `type` in each.
unsigned additions(const std::string &turns, unsigned additions, const std::string &type,
                   const std::string &more = "") {
  std::string source = "define " + type + " @f(" + type +
                       " %x, i64 %n, ptr %p) {\n"
                       "entry:\n  br label %loop\n"
                       "loop:\n"
                       "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]\n"
                       "  %s0 = phi " +
                       type + " [ %x, %entry ], [ %s" + std::to_string(additions) + ", %loop ]\n";
  for (unsigned k = 0; k < additions; ++k)
    source +=
        "  %s" + std::to_string(k + 1) + " = fadd " + type + " %s" + std::to_string(k) + ", %x\n";
  source += more + "  %next = add i64 %i, 1\n  %done = icmp eq i64 %next, " + turns +
            "\n  br i1 %done, label %end, label %loop\nend:\n  ret " + type + " %s" +
            std::to_string(additions) + "\n}\ndeclare void @g()\n";
  LLVMContext context;
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(source, error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  if (!module)
    return 0;
  auto machine = cantFail(createMachine("x86-64-v4", true));
  module->setDataLayout(machine->createDataLayout());
  runPass<UnrollLoops>(*module, *machine);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  unsigned count = 0;
  for (const Instruction &instruction : instructions(*module->getFunction("f")))
    count += instruction.getOpcode() == Instruction::FAdd;
  return count;
}

TEST(UnrollLoops, ShortOnesOfKnownLength) {
  EXPECT_EQ(additions("256", 20, "<16 x float>"), 80u);
  EXPECT_EQ(additions("256", 10, "<32 x float>"), 40u) << "two registers each";
}

TEST(UnrollLoops, NoOthers) {
  EXPECT_EQ(additions("%n", 20, "<16 x float>"), 20u) << "of unknown length";
  EXPECT_EQ(additions("255", 20, "<16 x float>"), 20u) << "no multiple of four";
  EXPECT_EQ(additions("4", 20, "<16 x float>"), 20u) << "nothing would be left";
  EXPECT_EQ(additions("256", 4, "<16 x float>"), 4u) << "little work";
  EXPECT_EQ(additions("256", 40, "<32 x float>"), 40u) << "much work";
  EXPECT_EQ(additions("256", 20, "float"), 20u) << "no vectors";
  EXPECT_EQ(additions("256", 20, "<16 x float>", "  call void @g()\n"), 20u) << "a call";
}

} // namespace
} // namespace heddle::jit
