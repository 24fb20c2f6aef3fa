// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/prefetch/prefetch.h"

#include "base/abi/kernel_abi.h"

#include "jit/test_module.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

namespace heddle::jit {
namespace {

using namespace llvm;
using namespace llvm::PatternMatch;

/// A function that has the launch itself, and one of a block's coroutine, which reads it from the
/// block.
const char *const HasLaunch = "  %launch = getelementptr i8, ptr %first, i64 0\n";
const char *const HasBlock = "  %launch = load ptr, ptr %first\n";

/// A loop in steps of the grid's width, %i, that does `body`; the arrays are %a, %b and %c.
std::unique_ptr<Module> prefetched(LLVMContext &context, const std::string &body,
                                   const std::string &head = HasLaunch,
                                   const std::string &name = "runBlocks") {
  std::string source =
      "define void @" + name + "(ptr %first, ptr %a, ptr %b, ptr %c, i32 %n) {\nentry:\n" + head +
      "  %at = getelementptr i8, ptr %launch, i64 " + std::to_string(offsetof(Launch, gridDim)) +
      "\n  %blocks = load i32, ptr %at\n  %step = shl i32 %blocks, 8\n"
      "  br label %loop\nloop:\n"
      "  %i = phi i32 [ 0, %entry ], [ %next, %loop ]\n"
      "  %wide = sext i32 %i to i64\n" +
      body +
      "  %next = add i32 %i, %step\n"
      "  %more = icmp slt i32 %next, %n\n"
      "  br i1 %more, label %loop, label %end\nend:\n  ret void\n}\n";
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(source, error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  if (!module)
    return nullptr;
  runPass<PrefetchLoads>(*module);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  return module;
}

/// The arrays of bytes of which element i + 4 * step is fetched, by name.
std::string fetched(const Module &module) {
  std::string names;
  for (const Instruction &instruction : instructions(*module.begin())) {
    const auto *call = dyn_cast<IntrinsicInst>(&instruction);
    if (!call || call->getIntrinsicID() != Intrinsic::prefetch)
      continue;
    APInt offset(64, 0);
    const auto *far =
        dyn_cast<GetElementPtrInst>(call->getArgOperand(0)->stripAndAccumulateConstantOffsets(
            module.getDataLayout(), offset, /*AllowNonInbounds=*/true));
    const Value *step = nullptr;
    bool isAhead = far && match(far->getOperand(1), m_Shl(m_SExt(m_Value(step)), m_SpecificInt(2)));
    isAhead &= step && step->getName() == "step";
    const auto *element = far ? dyn_cast<GetElementPtrInst>(far->getPointerOperand()) : nullptr;
    names += element ? element->getPointerOperand()->getName().str() : "?";
    names += isAhead ? " " : "! ";
  }
  return names;
}

/// Of several arrays each; what does not move with the loop is not fetched, and does not hide the
/// others.
TEST(PrefetchGridStrides, FetchesAllArraysAhead) {
  LLVMContext context;
  auto module = prefetched(context, "  %pa = getelementptr i8, ptr %a, i64 %wide\n"
                                    "  %va = load <64 x i8>, ptr %pa, align 1\n"
                                    "  %pb = getelementptr i8, ptr %b, i64 %wide\n"
                                    "  %vb = load <64 x i8>, ptr %pb, align 1\n"
                                    "  %vc = load volatile i32, ptr %c\n"
                                    "  %same = load i32, ptr %c\n");
  ASSERT_TRUE(module);
  EXPECT_EQ(fetched(*module), "a b ");
}

TEST(PrefetchGridStrides, LeavesLoopsThatMayStream) {
  LLVMContext context;
  const std::string load = "  %pa = getelementptr i8, ptr %a, i64 %wide\n"
                           "  %va = load <64 x i8>, ptr %pa, align 1\n"
                           "  %pb = getelementptr i8, ptr %b, i64 %wide\n"
                           "  store <64 x i8> %va, ptr %pb, align 1";
  EXPECT_EQ(fetched(*prefetched(context, load + "\n")), "a ");
  EXPECT_EQ(fetched(*prefetched(context, load + ", !heddle.stream !{i64 1, i64 0}\n")), "");
}

// LEGAL prefetch-grid-strides: division
TEST(PrefetchGridStrides, LeavesWhatMayTrap) {
  LLVMContext context;
  auto module = prefetched(context, "  %part = sdiv i64 100, %wide\n"
                                    "  %pa = getelementptr i8, ptr %a, i64 %part\n"
                                    "  %va = load <64 x i8>, ptr %pa, align 1\n"
                                    "  %pb = getelementptr i8, ptr %b, i64 %part\n"
                                    "  %vb = load <64 x i8>, ptr %pb, align 1\n");
  ASSERT_TRUE(module);
  EXPECT_EQ(fetched(*module), "");
}

/// A program that waits is a coroutine of the block.
TEST(PrefetchGridStrides, KnowsTheGridOfWaitingPrograms) {
  LLVMContext context;
  const std::string load = "  %pa = getelementptr i8, ptr %a, i64 %wide\n"
                           "  %va = load <64 x i8>, ptr %pa, align 1\n";
  EXPECT_EQ(fetched(*prefetched(context, load, HasBlock, "start")), "a ");
  EXPECT_EQ(fetched(*prefetched(context, load, "  %launch = load ptr, ptr %c\n", "start")), "");
}

/// `runBlocks` loads the address of the parameters from where a block has that of the launch.
TEST(PrefetchGridStrides, TakesNoParameterForTheGrid) {
  LLVMContext context;
  const std::string load = "  %pa = getelementptr i8, ptr %a, i64 %wide\n"
                           "  %va = load <64 x i8>, ptr %pa, align 1\n";
  EXPECT_EQ(fetched(*prefetched(context, load, HasBlock)), "");
}

/// Lines fetched of `vectors` vectors of 1 KB that lie behind each other.
size_t linesOfPiece(unsigned vectors) {
  std::string loads = "  %here = getelementptr i8, ptr %a, i64 %wide\n";
  for (unsigned i = 0; i < vectors; ++i) {
    const std::string number = std::to_string(i);
    loads += "  %p" + number + " = getelementptr i8, ptr %here, i64 " + std::to_string(i * 1024) +
             "\n  %v" + number + " = load <256 x float>, ptr %p" + number + "\n";
  }
  LLVMContext context;
  return StringRef(fetched(*prefetched(context, loads))).count(' ');
}

TEST(PrefetchGridStrides, LeavesLongPiecesToTheProcessor) {
  constexpr size_t LinesOfVector = 16;
  EXPECT_EQ(linesOfPiece(1), LinesOfVector);
  EXPECT_EQ(linesOfPiece(2), 0u);
}

} // namespace
} // namespace heddle::jit
