// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By how much addresses move from round to round.
#include "simt/analysis/strides.h"

#include "simt/analysis/fuzz/test_thread.h"

#include "llvm/IR/Instructions.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

namespace heddle::simt {
namespace {

using namespace llvm;

/// By how much %t moves in a loop that does `body`: a variable %i that grows by %a, a variable %k
/// that `kNext` is the next value of, and a loop inside, of %j, that comes first.
std::string strideIn(const std::string &body, const std::string &kNext = "0",
                     StringRef moving = "") {
  TestThread thread("br label %outer\n"
                    "outer:\n"
                    "  %i = phi i32 [ %b, %entry ], [ %i.next, %latch ]\n"
                    "  %k = phi i32 [ %c, %entry ], [ " +
                    kNext +
                    ", %latch ]\n"
                    "  br label %inner\n"
                    "inner:\n"
                    "  %j = phi i32 [ 0, %outer ], [ %j.next, %inner ]\n"
                    "  %j.next = add i32 %j, 1\n"
                    "  %j.more = icmp slt i32 %j.next, %d\n"
                    "  br i1 %j.more, label %inner, label %latch\n"
                    "latch:\n" +
                    body +
                    "\n  %i.next = add i32 %i, %a\n"
                    "  %more = icmp slt i32 %i.next, 1000\n"
                    "  br i1 %more, label %outer, label %end\n"
                    "end:\n");
  LoopFacts facts(thread.function());
  Recurrences recurrences(thread.function(), facts);
  const Loop *loop = facts.loops.getLoopFor(cast<Instruction>(thread.value("t"))->getParent());
  Strides strides(recurrences.evolution, *loop,
                  moving.empty() ? nullptr : cast<PHINode>(thread.value(moving)));
  const SCEV *stride = strides.of(*thread.value("t"));
  if (!stride)
    return "unknown";
  std::string text;
  raw_string_ostream(text) << *stride;
  return text;
}

const char *const Address = "  %wide = sext i32 %index to i64\n"
                            "  %t = getelementptr float, ptr %p, i64 %wide";

/// Though the index may wrap around.
TEST(StridesTest, OfAddresses) {
  EXPECT_EQ(strideIn(std::string("  %index = add i32 %i, %x\n") + Address),
            "(4 * (sext i32 %a to i64))<nsw>");
  EXPECT_EQ(
      strideIn(std::string("  %row = mul i32 %i, %d\n  %index = add i32 %row, %x\n") + Address),
      "(4 * (sext i32 (%a * %d) to i64))<nsw>");
  EXPECT_EQ(strideIn(std::string("  %index = sub i32 %x, %i\n") + Address),
            "(4 * (sext i32 (-1 * %a) to i64))<nsw>");
  EXPECT_EQ(strideIn(std::string("  %index = add i32 %x, %d\n") + Address), "0");
}

TEST(StridesTest, NotOfWhatIsNoSumOfProducts) {
  EXPECT_EQ(strideIn("  %t = mul i32 %i, %i"), "unknown");
  EXPECT_EQ(strideIn("  %t = udiv i32 %i, 3"), "unknown");
  EXPECT_EQ(strideIn("  %t = xor i32 %i, %d"), "unknown");
  EXPECT_EQ(strideIn("  %t = sdiv i32 %d, %i"), "unknown");
  EXPECT_EQ(strideIn("  %at = getelementptr i32, ptr %p, i32 %i\n  %t = load i32, ptr %at"),
            "unknown");
}

TEST(StridesTest, OfWhatStays) {
  EXPECT_EQ(strideIn("  %t = udiv i32 %d, 3"), "0");
  EXPECT_EQ(strideIn("  %v = load i32, ptr %p\n  %t = add i32 %v, %i"), "%a");
  EXPECT_EQ(strideIn("  %t = add i32 %j, %i"), "%a"); // the loop inside ends at the same round
}

/// Of which scalar evolution knows nothing.
TEST(StridesTest, OfAVariableThatIsSaidToMove) {
  const std::string next = "%k.next", body = "  %k.more = add i32 %k, 1\n"
                                             "  %k.end = icmp eq i32 %k.more, %d\n"
                                             "  %k.next = select i1 %k.end, i32 0, i32 %k.more\n";
  EXPECT_EQ(strideIn(body + "  %t = mul i32 %k, 8", next), "unknown");
  EXPECT_EQ(strideIn(body + "  %t = mul i32 %k, 8", next, "k"), "8");
  EXPECT_EQ(strideIn(body + "  %s = mul i32 %k, 8\n  %t = add i32 %s, %i", next, "k"), "(8 + %a)");
  EXPECT_EQ(strideIn(body + "  %t = xor i32 %k, %d", next, "k"), "unknown");
}

} // namespace
} // namespace heddle::simt
