// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which sums are taken apart, and which are not for want of one condition.
#include "simt/canonical/extend_terms.h"

#include "simt/analysis/test_thread.h"

#include <gtest/gtest.h>

namespace heddle::simt {
namespace {

using namespace llvm;

struct Outcome {
  bool isLine;  ///< neighbours access neighbouring elements
  bool trusts;  ///< ... because objects are short
  bool operator==(const Outcome &) const = default;
};

constexpr Outcome Opaque = {false, false}, Exact = {true, false}, WhereAccessed = {true, true};

/// Of the address %at, of floats.
Outcome outcomeOf(const std::string &code, bool hasLongObjects = false,
                  std::array<unsigned, 3> block = {100, 1, 1}) {
  TestThread thread(code + "\n store float 1.0, ptr %at");
  Options options;
  options.blockDim = block;
  options.hasLongObjects = hasLongObjects;
  bool trusts = extendTerms(thread.function(), options);
  Shape shape = thread.shapeOf("at", {32, block});
  return {shape.segment > 1 && shape.stride == 4, trusts};
}

TEST(ExtendTermsTest, FlagsAreEnough) {
  const char *code = R"(
    %i = add nsw i32 %a, %x
    %j = add nsw i32 %i, -1
    %w1 = sext i32 %j to i64
    %at = getelementptr float, ptr %p, i64 %w1)";
  EXPECT_EQ(outcomeOf(code), Exact);
  EXPECT_EQ(outcomeOf(code, /*hasLongObjects=*/true), Exact);
}

// LEGAL extend-terms: exact
// LEGAL extend-terms: short objects
TEST(ExtendTermsTest, AccessesOfShortObjectsDoNotWrap) {
  const char *code = R"(
    %i = add i32 %a, %x
    %w1 = zext i32 %i to i64
    %at = getelementptr inbounds float, ptr %p, i64 %w1)";
  EXPECT_EQ(outcomeOf(code), WhereAccessed);
  EXPECT_EQ(outcomeOf(code, /*hasLongObjects=*/true), Opaque);
}

TEST(ExtendTermsTest, SharedMemoryIsAlwaysShort) {
  const char *code = R"(
    %i = add i32 %a, %x
    %w1 = sext i32 %i to i64
    %at = getelementptr float, ptr %shared, i64 %w1)";
  EXPECT_EQ(outcomeOf(code, /*hasLongObjects=*/true), Exact);
}

TEST(ExtendTermsTest, BlocksOfPowersOfTwoLeaveZeros) {
  const char *code = R"(
    %first = shl i32 %bx, 7
    %i = add i32 %first, %x
    %w1 = zext i32 %i to i64
    %at = getelementptr float, ptr %p, i64 %w1)";
  EXPECT_EQ(outcomeOf(code, true, {128, 1, 1}), Exact);
  EXPECT_EQ(outcomeOf(code, true, {100, 1, 1}), Exact) << "they are below 128, too";
}

/// Without `inbounds` the address must count from where an object was given, and only accesses may
/// come of it.
// LEGAL extend-terms: only accessed
TEST(ExtendTermsTest, WhatIsNotOnlyAccessedMayBeSeen) {
  std::string code = R"(
    %i = add i32 %a, %x
    %w1 = zext i32 %i to i64
    %at = getelementptr float, ptr %p, i64 %w1)";
  EXPECT_EQ(outcomeOf(code), WhereAccessed);
  EXPECT_EQ(outcomeOf(code + "\n store ptr %at, ptr %q"), Opaque);
  EXPECT_EQ(outcomeOf(code + "\n %is = icmp ugt ptr %at, %q"), Opaque);
  EXPECT_EQ(outcomeOf(code + R"(
    %next = getelementptr i8, ptr %at, i64 4
    store float 2.0, ptr %next)"), WhereAccessed);
  EXPECT_EQ(outcomeOf(code + R"(
    %far = getelementptr i8, ptr %at, i64 17179869184
    store float 2.0, ptr %far)"), Opaque);
}

/// Arithmetic of 64 bits may bring an index back that is far away.
TEST(ExtendTermsTest, OtherTermsMayBringItBack) {
  EXPECT_EQ(outcomeOf(R"(
    %i = add i32 %a, %x
    %w1 = zext i32 %i to i64
    %w2 = sub i64 %w1, 4294967280
    %at = getelementptr inbounds float, ptr %p, i64 %w2)"), Opaque);
  EXPECT_EQ(outcomeOf(R"(
    %i = add i32 %a, %x
    %w1 = zext i32 %i to i64
    %w2 = add i64 %w1, %w
    %at = getelementptr inbounds float, ptr %p, i64 %w2)"), Opaque);
  EXPECT_EQ(outcomeOf(R"(
    %i = add i32 %a, %x
    %w1 = zext i32 %i to i64
    %other = zext i32 %b to i64
    %w2 = add i64 %w1, %other
    %at = getelementptr inbounds float, ptr %p, i64 %w2)"), WhereAccessed);
  EXPECT_EQ(outcomeOf(R"(
    %i = add i32 %a, %x
    %w1 = sext i32 %i to i64
    %other = zext i32 %b to i64
    %w2 = add i64 %w1, %other
    %at = getelementptr inbounds float, ptr %p, i64 %w2)"), Opaque);
}

/// What the threads add must be small beside the margin.
TEST(ExtendTermsTest, LongStepsMayReachTheWrap) {
  EXPECT_EQ(outcomeOf(R"(
    %far = mul i32 %x, 16777217
    %i = add i32 %a, %far
    %w1 = zext i32 %i to i64
    %at = getelementptr inbounds float, ptr %p, i64 %w1)"), Opaque);
}

TEST(ExtendTermsTest, CountersOfLoops) {
  auto loop = [](const std::string &flags, const std::string &address) {
    return R"(
    %start = add )" + flags + R"( i32 %a, %x
    br label %loop
  loop:
    %i = phi i32 [ %start, %entry ], [ %next, %loop ]
    %w1 = sext i32 %i to i64
    %at = getelementptr )" + address + R"( float, ptr %p, i64 %w1
    store float 0.0, ptr %at
    %next = add )" + flags + R"( i32 %i, %b
    %more = icmp slt i32 %next, %c
    br i1 %more, label %loop, label %end
  end:)";
  };
  auto outcome = [&](const std::string &code, bool isLong) {
    TestThread thread(code);
    Options options;
    options.blockDim = {100, 1, 1};
    options.hasLongObjects = isLong;
    bool trusts = extendTerms(thread.function(), options);
    return Outcome{thread.shapeOf("at", {32, options.blockDim}).stride == 4, trusts};
  };
  EXPECT_EQ(outcome(loop("nsw", ""), true), Exact);
  EXPECT_EQ(outcome(loop("", ""), false), WhereAccessed);
  EXPECT_EQ(outcome(loop("", "inbounds"), false), WhereAccessed);
  EXPECT_EQ(outcome(loop("", "inbounds"), true), Opaque);
}

/// A step that follows from the counter itself, by two ways: none that is known.
TEST(ExtendTermsTest, StepsThatGrow) {
  TestThread thread(R"(
    br label %loop
  loop:
    %i = phi i32 [ %x, %entry ], [ %next, %loop ]
    %w1 = sext i32 %i to i64
    %at = getelementptr inbounds float, ptr %p, i64 %w1
    store float 0.0, ptr %at
    %low = and i32 %i, 3
    %double = shl i32 %i, 1
    %step = add i32 %low, %double
    %next = add nsw i32 %i, %step
    %more = icmp slt i32 %next, %c
    br i1 %more, label %loop, label %end
  end:)");
  Options options;
  options.blockDim = {100, 1, 1};
  extendTerms(thread.function(), options);
  EXPECT_NE(thread.shapeOf("at", {32, options.blockDim}).stride, 4);
}

/// An element of an array is another one in each thread: 64 bits would only take more registers.
TEST(ExtendTermsTest, LoadedIndicesStayNarrow) {
  TestThread thread(R"(
    %from = zext i32 %x to i64
    %place = getelementptr i32, ptr %q, i64 %from
    %index = load i32, ptr %place
    %i = add nsw i32 %index, %x
    %w1 = sext i32 %i to i64
    %at = getelementptr float, ptr %p, i64 %w1
    store float 1.0, ptr %at)");
  Options options;
  options.blockDim = {64, 1, 1};
  EXPECT_FALSE(extendTerms(thread.function(), options));
  EXPECT_TRUE(isa<SExtInst>(thread.value("w1")));
}

} // namespace
} // namespace heddle::simt
