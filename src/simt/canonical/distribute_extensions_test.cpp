// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which sums are taken apart, and which are not for want of one condition.
#include "simt/canonical/distribute_extensions.h"

#include "simt/analysis/fuzz/test_thread.h"

#include <gtest/gtest.h>

namespace heddle::simt {
namespace {

using namespace llvm;

struct Outcome {
  bool isLine; ///< neighbours access neighbouring elements
  bool trusts; ///< ... because objects are short
  bool operator==(const Outcome &) const = default;
};

constexpr Outcome Opaque = {false, false}, Exact = {true, false}, WhereAccessed = {true, true};

/// Whether the pass took something apart that objects must be short for.
bool extend(TestThread &thread, bool hasLongObjects = false,
            std::array<unsigned, 3> block = {100, 1, 1}) {
  Options options;
  options.blockDim = block;
  options.hasLongObjects = hasLongObjects;
  return distributeExtensions(thread.function(), options);
}

/// Of the address %at, of floats.
Outcome outcomeOf(const std::string &code, bool hasLongObjects = false,
                  std::array<unsigned, 3> block = {100, 1, 1}) {
  TestThread thread(code + "\n store float 1.0, ptr %at");
  bool trusts = extend(thread, hasLongObjects, block);
  Shape shape = thread.shapeOf("at", {32, block});
  return {shape.segment > 1 && shape.stride == 4, trusts};
}

constexpr const char *Sum = "%i = add i32 %a, %x";

/// %at is an element of `array`: that number which `narrow` makes as %i of 32 bits, `extension`
/// extends, and `wide` makes a %w2 of, if it is anything.
std::string element(const std::string &narrow, const std::string &extension,
                    const std::string &array = "inbounds float, ptr %p",
                    const std::string &wide = "") {
  return narrow + "\n %w1 = " + extension + " i32 %i to i64\n " + wide + "\n %at = getelementptr " +
         array + ", i64 " + (wide.empty() ? "%w1" : "%w2");
}

TEST(DistributeExtensionsTest, FlagsAreEnough) {
  std::string code = element(R"(
    %j = add nsw i32 %a, %x
    %i = add nsw i32 %j, -1)",
                             "sext", "float, ptr %p");
  EXPECT_EQ(outcomeOf(code), Exact);
  EXPECT_EQ(outcomeOf(code, /*hasLongObjects=*/true), Exact);
}

// LEGAL distribute-extensions: exact
// LEGAL distribute-extensions: short objects
TEST(DistributeExtensionsTest, AccessesOfShortObjectsDoNotWrap) {
  std::string code = element(Sum, "zext");
  EXPECT_EQ(outcomeOf(code), WhereAccessed);
  EXPECT_EQ(outcomeOf(code, /*hasLongObjects=*/true), Opaque);
}

TEST(DistributeExtensionsTest, SharedMemoryIsAlwaysShort) {
  EXPECT_EQ(outcomeOf(element(Sum, "sext", "float, ptr %shared"), /*hasLongObjects=*/true), Exact);
}

TEST(DistributeExtensionsTest, BlocksOfPowersOfTwoLeaveZeros) {
  std::string code = element(R"(
    %first = shl i32 %bx, 7
    %i = add i32 %first, %x)",
                             "zext", "float, ptr %p");
  EXPECT_EQ(outcomeOf(code, true, {128, 1, 1}), Exact);
  EXPECT_EQ(outcomeOf(code, true, {100, 1, 1}), Exact) << "they are below 128, too";
}

/// Without `inbounds` the address must count from where an object was given, and only accesses may
/// come of it.
// LEGAL distribute-extensions: only accessed
TEST(DistributeExtensionsTest, WhatIsNotOnlyAccessedMayBeSeen) {
  std::string code = element(Sum, "zext", "float, ptr %p");
  EXPECT_EQ(outcomeOf(code), WhereAccessed);
  EXPECT_EQ(outcomeOf(code + "\n store ptr %at, ptr %q"), Opaque);
  EXPECT_EQ(outcomeOf(code + "\n %is = icmp ugt ptr %at, %q"), Opaque);
  EXPECT_EQ(outcomeOf(code + R"(
    %next = getelementptr i8, ptr %at, i64 4
    store float 2.0, ptr %next)"),
            WhereAccessed);
  EXPECT_EQ(outcomeOf(code + R"(
    %far = getelementptr i8, ptr %at, i64 17179869184
    store float 2.0, ptr %far)"),
            Opaque);
}

/// Arithmetic of 64 bits may bring an index back that is far away.
TEST(DistributeExtensionsTest, OtherTermsMayBringItBack) {
  auto with = [](const char *extension, const std::string &wide) {
    return outcomeOf(element(Sum, extension, "inbounds float, ptr %p", wide));
  };
  const std::string other = "%other = zext i32 %b to i64\n %w2 = add i64 %w1, %other";
  EXPECT_EQ(with("zext", "%w2 = sub i64 %w1, 4294967280"), Opaque);
  EXPECT_EQ(with("zext", "%w2 = add i64 %w1, %w"), Opaque);
  EXPECT_EQ(with("zext", other), WhereAccessed);
  EXPECT_EQ(with("sext", other), Opaque);
}

/// What the threads add must be small beside the margin.
TEST(DistributeExtensionsTest, LongStepsMayReachTheWrap) {
  EXPECT_EQ(outcomeOf(element(R"(
    %far = mul i32 %x, 16777217
    %i = add i32 %a, %far)",
                              "zext")),
            Opaque);
}

/// The row of a neighbour: clamped, or chosen by the row. Threads of a row agree.
TEST(DistributeExtensionsTest, RowsOfNeighbours) {
  constexpr std::array<unsigned, 3> Block = {32, 8, 1};
  const std::string thread = R"(
    %first = mul nsw i32 %y, %a
    )";
  std::string clamped = element(thread + R"(%north = call i32 @llvm.smax.i32(i32 %y, i32 %b)
    %before = mul nsw i32 %north, %a
    %i = add nsw i32 %before, %x)",
                                "sext");
  EXPECT_EQ(outcomeOf(clamped, /*hasLongObjects=*/true, Block), Exact);
  EXPECT_EQ(outcomeOf(clamped, /*hasLongObjects=*/true, {100, 1, 1}), Exact);
  auto chosen = [&](const std::string &condition, const std::string &flags) {
    return element(thread + "%is = icmp eq i32 " + condition + R"(, 0
    %here = add nsw i32 %first, %x
    %there = add )" + flags +
                       R"( i32 %here, %a
    %i = select i1 %is, i32 %here, i32 %there)",
                   "sext");
  };
  EXPECT_EQ(outcomeOf(chosen("%y", "nsw"), /*hasLongObjects=*/true, Block), Exact);
  EXPECT_EQ(outcomeOf(chosen("%y", ""), /*hasLongObjects=*/true, Block), Opaque);
  EXPECT_EQ(outcomeOf(chosen("%x", "nsw"), /*hasLongObjects=*/true, Block), Opaque);
}

/// What a row of the block has loaded together is one term.
TEST(DistributeExtensionsTest, ElementsOfRows) {
  std::string code = element(R"(
    %from = zext i32 %y to i64
    %place = getelementptr i32, ptr %q, i64 %from
    %index = load i32, ptr %place
    %first = mul nsw i32 %index, %a
    %i = add nsw i32 %first, %x)",
                             "sext");
  EXPECT_EQ(outcomeOf(code, /*hasLongObjects=*/true, {8, 16, 1}), Exact);
  EXPECT_EQ(outcomeOf(code, /*hasLongObjects=*/true, {2, 64, 1}), Exact);
  EXPECT_EQ(outcomeOf(code, /*hasLongObjects=*/true, {1, 128, 1}), Opaque);
}

TEST(DistributeExtensionsTest, CountersOfLoops) {
  auto loop = [](const std::string &flags, const std::string &address) {
    return R"(
    %start = add )" +
           flags + R"( i32 %a, %x
    br label %loop
  loop:
    %i = phi i32 [ %start, %entry ], [ %next, %loop ]
    %w1 = sext i32 %i to i64
    %at = getelementptr )" +
           address + R"( float, ptr %p, i64 %w1
    store float 0.0, ptr %at
    %next = add )" +
           flags + R"( i32 %i, %b
    %more = icmp slt i32 %next, %c
    br i1 %more, label %loop, label %end
  end:)";
  };
  auto outcome = [&](const std::string &code, bool isLong) {
    TestThread thread(code);
    bool trusts = extend(thread, isLong);
    return Outcome{thread.shapeOf("at", {32, {100, 1, 1}}).stride == 4, trusts};
  };
  EXPECT_EQ(outcome(loop("nsw", ""), true), Exact);
  EXPECT_EQ(outcome(loop("", ""), false), WhereAccessed);
  EXPECT_EQ(outcome(loop("", "inbounds"), false), WhereAccessed);
  EXPECT_EQ(outcome(loop("", "inbounds"), true), Opaque);
}

/// Some rounds leave the counter as it is; the rows of a grid are far apart.
TEST(DistributeExtensionsTest, CountersWithChosenSteps) {
  auto loop = [](const std::string &start) {
    return R"(
    %row = add nuw nsw i32 %by, %y
    %far = mul nuw nsw i32 %row, 1000
    %near = add i32 %a, )" +
           start + R"(
    %start = add i32 %near, %far
    br label %loop
  loop:
    %i = phi i32 [ %start, %entry ], [ %now, %rest ]
    %is = icmp sgt i32 %c, 0
    br i1 %is, label %count, label %rest
  count:
    %next = add nsw i32 %i, %b
    br label %rest
  rest:
    %now = phi i32 [ %i, %loop ], [ %next, %count ]
    %w1 = sext i32 %now to i64
    %at = getelementptr inbounds float, ptr %p, i64 %w1
    store float 0.0, ptr %at
    %more = icmp slt i32 %now, %c
    br i1 %more, label %loop, label %end
  end:)";
  };
  auto strideOf = [](const std::string &code) {
    TestThread thread(code);
    extend(thread, /*hasLongObjects=*/false, {32, 8, 1});
    return thread.shapeOf("at", {32, {32, 8, 1}}).stride;
  };
  EXPECT_EQ(strideOf(loop("%x")), 4);
  EXPECT_NE(strideOf(loop("%b")), 4);
}

/// A step that follows from the counter itself, by two ways: none that is known.
TEST(DistributeExtensionsTest, StepsThatGrow) {
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
  extend(thread);
  EXPECT_NE(thread.shapeOf("at", {32, {100, 1, 1}}).stride, 4);
}

/// An element of an array is another one in each thread: 64 bits would only take more registers.
TEST(DistributeExtensionsTest, LoadedIndicesStayNarrow) {
  TestThread thread(R"(
    %from = zext i32 %x to i64
    %place = getelementptr i32, ptr %q, i64 %from
    %index = load i32, ptr %place
    %i = add nsw i32 %index, %x
    %w1 = sext i32 %i to i64
    %at = getelementptr float, ptr %p, i64 %w1
    store float 1.0, ptr %at)");
  EXPECT_FALSE(extend(thread, /*hasLongObjects=*/false, {64, 1, 1}));
  EXPECT_TRUE(isa<SExtInst>(thread.value("w1")));
}

} // namespace
} // namespace heddle::simt
