// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which loops are taken. What they count then: tests/run/count_pairs.cu.
#include "jit/loops/count_pairs.h"

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

/// Rounds in steps of the grid, each a loop over 64 bytes that counts two in a turn.
const std::string Rounds = R"(
define i32 @run(ptr %in, ptr %bins, ptr %other, i32 %n, i32 %from, i32 %step) {
entry:
  br label %round
round:
  %i = phi i32 [ %from, %entry ], [ %next, %done ]
  %wide = sext i32 %i to i64
  %bytes = getelementptr i8, ptr %in, i64 %wide
  br label %lanes
lanes:
  %lane = phi i64 [ 0, %round ], [ %more, %lanes ]
  %first.at = getelementptr i8, ptr %bytes, i64 %lane
  %first = load i8, ptr %first.at, !heddle.still-in-memory !0
  %first.index = zext i8 %first to i64
  %first.bin = getelementptr i32, ptr %bins, i64 %first.index
  %first.old = load i32, ptr %first.bin
  %first.new = add i32 %first.old, 1
  store i32 %first.new, ptr %first.bin
  %second.at = getelementptr i8, ptr %first.at, i64 1
  %second = load i8, ptr %second.at, !heddle.still-in-memory !0
  %second.index = zext i8 %second to i64
  %second.bin = getelementptr i32, ptr %bins, i64 %second.index
  %second.old = load i32, ptr %second.bin
  %second.new = add i32 %second.old, 1
  store i32 %second.new, ptr %second.bin
  %more = add i64 %lane, 2
  %again = icmp ult i64 %lane, 62
  br i1 %again, label %lanes, label %done
done:
  %next = add i32 %i, %step
  %last = or disjoint i32 %next, 63
  %goes.on = icmp slt i32 %last, %n
  br i1 %goes.on, label %round, label %end
end:
  ret i32 %next
}
!0 = !{}
)";

std::string replaced(std::string text, const std::string &what, const std::string &by) {
  return text.replace(text.find(what), what.size(), by);
}

/// Loads of two bytes at once after the pass.
size_t pairsIn(const std::string &source) {
  LLVMContext context;
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(source, error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  if (!module)
    return 0;
  runPass<CountPairs>(*module);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  return size_t(count_if(instructions(*module->getFunction("run")), [](const Instruction &load) {
    return isa<LoadInst>(load) && load.getType()->isIntegerTy(16);
  }));
}

TEST(CountPairs, EightInATurn) { EXPECT_EQ(pairsIn(Rounds), 8u); }

TEST(CountPairs, OneInATurnOfOddLength) {
  EXPECT_EQ(pairsIn(replaced(Rounds, "%lane, 62", "%lane, 20")), 1u);
}

// LEGAL count-pairs: formula
TEST(CountPairs, WhereAnyFormulaLeadsToTheBin) {
  std::string shifted = replaced(Rounds, "%first.index = zext i8 %first to i64",
                                 "%first.half = lshr i8 %first, 1\n"
                                 "  %first.index = zext i8 %first.half to i64");
  EXPECT_EQ(pairsIn(shifted), 0u); // not the same one for both bytes
  EXPECT_EQ(pairsIn(replaced(shifted, "%second.index = zext i8 %second to i64",
                             "%second.half = lshr i8 %second, 1\n"
                             "  %second.index = zext i8 %second.half to i64")),
            8u);
}

// LEGAL count-pairs: formula
TEST(CountPairs, NotWhereTheFormulaMayFail) {
  auto divided = [](const std::string &by) {
    std::string text = Rounds;
    for (std::string byte : {"first", "second"})
      text = replaced(text, "%" + byte + ".index = zext i8 %" + byte + " to i64",
                      "%" + byte + ".part = udiv i8 " + by + "\n  %" + byte + ".index = zext i8 %" +
                          byte + ".part to i64");
    return text;
  };
  EXPECT_EQ(pairsIn(replaced(replaced(divided("%X, 3"), "%X", "%first"), "%X", "%second")), 8u);
  EXPECT_EQ(pairsIn(replaced(replaced(divided("100, %X"), "%X", "%first"), "%X", "%second")), 0u);
}

// LEGAL count-pairs: else
TEST(CountPairs, NotWhereMoreHappens) {
  const std::string load = "  %bytes = getelementptr";
  EXPECT_EQ(pairsIn(replaced(Rounds, load, "  store i32 %i, ptr %other\n" + load)), 0u);
  EXPECT_EQ(pairsIn(replaced(Rounds, load, "  %x = load i32, ptr %other\n" + load)), 0u);
  const std::string more = "  %more = add";
  EXPECT_EQ(pairsIn(replaced(Rounds, more, "  store i8 %first, ptr %other\n" + more)), 0u);
  EXPECT_EQ(pairsIn(replaced(Rounds, more, "  fence syncscope(\"singlethread\") seq_cst\n" + more)),
            0u);
}

// LEGAL count-pairs: bytes
TEST(CountPairs, OnlyBytesThatTheLoopLeavesAlone) {
  EXPECT_EQ(pairsIn(replaced(Rounds, ", !heddle.still-in-memory !0", "")), 0u);
}

// LEGAL count-pairs: side by side
TEST(CountPairs, OnlyNeighbours) {
  EXPECT_EQ(pairsIn(replaced(Rounds, "%first.at, i64 1", "%first.at, i64 2")), 0u);
  EXPECT_EQ(pairsIn(replaced(Rounds, "%lane, 2", "%lane, 4")), 0u);
}

// LEGAL count-pairs: constant
TEST(CountPairs, OnlyTheSameNumberForEachByte) {
  EXPECT_EQ(pairsIn(replaced(Rounds, "%first.old, 1", "%first.old, 2")), 0u);
  EXPECT_EQ(pairsIn(replaced(Rounds, "%first.old, 1", "%first.old, %step")), 0u);
  EXPECT_EQ(pairsIn(replaced(Rounds, "store i32 %first.new", "store volatile i32 %first.new")), 0u);
}

/// Nothing tells how long the loop is.
TEST(CountPairs, OnlyWithAnEndInSight) {
  EXPECT_EQ(pairsIn(replaced(Rounds, "icmp slt", "icmp ne")), 0u);
  EXPECT_EQ(pairsIn(replaced(Rounds, "slt i32 %last", "slt i32 %step")), 0u);
  EXPECT_EQ(pairsIn(replaced(Rounds, "slt i32 %last, %n", "sgt i32 %n, %last")), 8u);
}

// LEGAL count-pairs: one end
TEST(CountPairs, OnlyLoopsThatEndWithARound) {
  EXPECT_EQ(pairsIn(replaced(replaced(Rounds, "  br label %lanes\n",
                                      "  %leaves = icmp eq i32 %i, 77\n"
                                      "  br i1 %leaves, label %out, label %lanes\n"),
                             "end:\n", "out:\n  ret i32 0\nend:\n")),
            0u)
      << "leaves before a round";
  EXPECT_EQ(pairsIn(replaced(Rounds, "  %next = add",
                             "  %last.byte = zext i8 %second to i32\n"
                             "  %next = add")),
            0u)
      << "hands on a byte";
}

} // namespace
} // namespace heddle::jit
