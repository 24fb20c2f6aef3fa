// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/memory/fold_shifted_loads.h"

#include "jit/emit/machine.h"

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

/// The bytes from %p to what %s is loaded from; nothing where it is still a shuffle. `next` and
/// `between`: instructions that make %next, and that stand in front of %s.
std::optional<int64_t> loadedFrom(const std::string &mask,
                                  const std::string &next = "getelementptr i8, ptr %p, i64 32",
                                  const std::string &between = "",
                                  const std::string &cpu = "x86-64-v3",
                                  const std::string &load = "load") {
  auto machine = cantFail(createMachine(cpu.c_str(), true));
  LLVMContext context;
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(
      "define <8 x float> @run(ptr noalias %p, ptr noalias %q) {\n  %next = " + next +
          "\n  %a = " + load +
          " <8 x float>, ptr %p, align 32\n"
          "  %b = load <8 x float>, ptr %next, align 32\n" +
          between + "  %s = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <" + mask +
          ">\n  ret <8 x float> %s\n}\n",
      error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  if (!module)
    return std::nullopt;
  module->setDataLayout(machine->createDataLayout());
  module->setTargetTriple(machine->getTargetTriple());
  runPass<FoldShiftedLoads>(*module, *machine);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  Function &function = *module->getFunction("run");
  for (Instruction &instruction : instructions(function))
    if (auto *end = dyn_cast<ReturnInst>(&instruction))
      if (auto *load = dyn_cast<LoadInst>(end->getReturnValue())) {
        std::optional<int64_t> bytes = load->getPointerOperand()->getPointerOffsetFrom(
            function.getArg(0), module->getDataLayout());
        EXPECT_TRUE(bytes && *bytes % int64_t(load->getAlign().value()) == 0);
        return bytes;
      }
  return std::nullopt;
}

constexpr const char *Seven = "i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14";
constexpr const char *Next = "getelementptr i8, ptr %p, i64 32";

TEST(FoldShiftedLoads, LoadsNeighbouringLanes) {
  EXPECT_EQ(loadedFrom(Seven), 28);
  EXPECT_EQ(loadedFrom("i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9"), 8);
  EXPECT_EQ(loadedFrom("i32 1, i32 2, i32 poison, i32 4, i32 5, i32 6, i32 7, i32 8"), 4);
}

// LEGAL fold-shifted-loads: lanes
// LEGAL fold-shifted-loads: side by side
TEST(FoldShiftedLoads, LeavesOtherLanes) {
  EXPECT_FALSE(loadedFrom("i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 13"));
  EXPECT_FALSE(loadedFrom("i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7"));
  EXPECT_FALSE(loadedFrom("i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 0"));
  EXPECT_FALSE(loadedFrom(Seven, "getelementptr i8, ptr %p, i64 64")) << "not side by side";
  EXPECT_FALSE(loadedFrom(Seven, "getelementptr i8, ptr %q, i64 32")) << "another array";
  EXPECT_FALSE(loadedFrom(Seven, Next, "", "x86-64-v4")) << "one instruction there";
}

// LEGAL fold-shifted-loads: writes between
TEST(FoldShiftedLoads, SeesWhatWasWrittenBetween) {
  EXPECT_FALSE(loadedFrom(Seven, Next, "  store float 0.0, ptr %next\n"));
  EXPECT_FALSE(loadedFrom(Seven, Next, "  fence seq_cst\n"));
  EXPECT_EQ(loadedFrom(Seven, Next, "  store float 0.0, ptr %q\n"), 28);
}

// LEGAL fold-shifted-loads: plain
TEST(FoldShiftedLoads, LeavesWhatIsNoPlainLoadOfTheBlock) {
  EXPECT_FALSE(loadedFrom(Seven, Next, "", "x86-64-v3", "load volatile"));
  EXPECT_FALSE(loadedFrom(Seven, Next, "  br label %then\nthen:\n")) << "of another block";
}

} // namespace
} // namespace heddle::jit
