// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/analysis/fuzz/test_thread.h"

#include <gtest/gtest.h>

namespace heddle::simt {
namespace {

using namespace llvm;

constexpr LaneFacts Line = {32, {256, 1, 1}}, Square = {256, {16, 16, 1}}, Odd = {32, {100, 1, 1}};

TEST(ShapesTest, LinesOfBytesEndWhereTheyWrap) {
  TestThread thread(R"(
    %t = trunc i32 %x to i8
    %line = mul i8 %t, 20
    %wide = zext i8 %line to i32
    %signed = sext i8 %line to i32
    %few = shl i8 %t, 2
    %fewWide = zext i8 %few to i32
    %fewSigned = sext i8 %few to i32)");
  EXPECT_EQ(thread.shapeOf("line", Line).stride, 20) << "modulo 256";
  EXPECT_EQ(thread.shapeOf("wide", Line).segment, 1u);
  EXPECT_EQ(thread.shapeOf("signed", Line).segment, 1u);
  // 4 * 31 fits into the zero bits, of each warp's first byte.
  EXPECT_EQ(thread.shapeOf("fewWide", Line).stride, 4);
  EXPECT_EQ(thread.shapeOf("fewSigned", Line).stride, 4);
}

/// A row begins at zero, of which every power of two is a divisor: that says nothing of its end.
TEST(ShapesTest, RowsOfBytesEndWhereTheyWrap) {
  TestThread thread(R"(
    %t = trunc i32 %x to i8
    %line = mul i8 %t, 20
    %wide = zext i8 %line to i32
    %half = mul i8 %t, 10
    %unsigned = zext i8 %half to i32
    %signed = sext i8 %half to i32)");
  EXPECT_EQ(thread.shapeOf("wide", Square).segment, 1u);
  EXPECT_EQ(thread.shapeOf("unsigned", Square).stride, 10);
  EXPECT_EQ(thread.shapeOf("signed", Square).segment, 1u) << "150 is no signed byte";
}

TEST(ShapesTest, ExtensionsOfSumsThatMayWrapAreOpaque) {
  TestThread thread(R"(
    %sum = add i32 %a, %x
    %wide = zext i32 %sum to i64
    %place = getelementptr float, ptr %p, i64 %wide
    %first = shl i32 %bx, 8
    %own = add i32 %first, %x
    %index = zext i32 %own to i64)");
  EXPECT_EQ(thread.shapeOf("sum", Line).stride, 1);
  EXPECT_EQ(thread.shapeOf("wide", Line).segment, 1u);
  EXPECT_EQ(thread.shapeOf("place", Line).segment, 1u);
  EXPECT_EQ(thread.shapeOf("index", Line).stride, 1)
      << "a block's first index leaves its bits zero";
}

/// Lanes of a warp are on one side of a bound that is a multiple of its size.
TEST(ShapesTest, WarpsAreOnOneSideOfABound) {
  TestThread thread(R"(
    %below = icmp ult i32 %x, 64
    %behind = icmp ugt i32 %x, 63
    %least = icmp sge i32 %x, 32
    %most = icmp sle i32 %x, 31
    %swapped = icmp ugt i32 96, %x
    %inside = icmp ult i32 %x, 65
    %last = icmp ugt i32 %x, 64
    %is = icmp eq i32 %x, 64
    %sum = add i32 %a, %x
    %unknown = icmp ult i32 %sum, 64
    %bound = shl i32 %a, 5
    %rows = icmp slt i32 %x, %bound
    %own = icmp slt i32 %x, %a)");
  for (const char *name : {"below", "behind", "least", "most", "swapped", "rows"})
    EXPECT_TRUE(thread.shapeOf(name, Line).uniform()) << name;
  for (const char *name : {"inside", "last", "is", "unknown", "own"})
    EXPECT_EQ(thread.shapeOf(name, Line).segment, 1u) << name;
  constexpr LaneFacts Wide = {256, {256, 1, 1}};
  EXPECT_EQ(thread.shapeOf("below", Wide).segment, 64u);
  EXPECT_EQ(thread.shapeOf("most", Wide).segment, 32u);
}

TEST(ShapesTest, IndicesOfAddressesAreExtended) {
  TestThread thread(R"(
    %sum = add i32 %a, %x
    %place = getelementptr float, ptr %p, i32 %sum
    %known = getelementptr float, ptr %p, i32 %x
    %pointer = inttoptr i32 %sum to ptr)");
  EXPECT_EQ(thread.shapeOf("place", Line).segment, 1u);
  EXPECT_EQ(thread.shapeOf("known", Line).stride, 4);
  EXPECT_EQ(thread.shapeOf("pointer", Line).segment, 1u);
}

TEST(ShapesTest, WhatIsKnownOfEachThreadKeepsItsLine) {
  TestThread thread(R"(
    %three = mul i32 %x, 3
    %wide = sext i32 %three to i64
    %back = xor i32 %x, -1
    %fall = sext i32 %back to i64
    %apart = zext i32 %back to i64)");
  EXPECT_EQ(thread.shapeOf("wide", Odd).stride, 3);
  EXPECT_EQ(thread.shapeOf("fall", Odd).stride, -1);
  EXPECT_EQ(thread.shapeOf("apart", Odd).stride, -1) << "2^32 - 1 - x";
}

/// Found by fuzz_test.cpp, seed 1136: 2^63 is not zero.
TEST(ShapesTest, TheHighestBitIsNotZero) {
  TestThread thread(R"(
    %some = shl i64 %w, 30
    %more = shl i64 %some, 30
    %top = shl i64 %more, 3
    %bit = lshr i64 %top, 48)");
  EXPECT_EQ(thread.shapeOf("top", Line).align, 63u);
  EXPECT_EQ(thread.shapeOf("bit", Line).align, 15u);
}

} // namespace
} // namespace heddle::simt
