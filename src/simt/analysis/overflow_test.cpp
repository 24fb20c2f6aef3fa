// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/analysis/overflow.h"

#include "simt/analysis/fuzz/test_thread.h"

#include <gtest/gtest.h>

namespace heddle::simt {
namespace {

using namespace llvm;

struct Exactness {
  bool isSigned, isUnsigned;
  bool operator==(const Exactness &) const = default;
};

Exactness exactnessOf(TestThread &thread, StringRef name, std::array<unsigned, 3> block) {
  ThreadTables tables(block);
  return {isExact(thread.operation(name), Sign::Signed, &tables),
          isExact(thread.operation(name), Sign::Unsigned, &tables)};
}

constexpr Exactness Both = {true, true}, Neither = {false, false}, OnlySigned = {true, false},
                    OnlyUnsigned = {false, true};

TEST(OverflowTest, FlagsSay) {
  TestThread thread(R"(
    %plain = add i32 %a, %x
    %signed = add nsw i32 %a, %x
    %unsigned = sub nuw i32 %a, %x
    %bits = or disjoint i32 %a, %b
    %or = or i32 %a, %b
    %product = mul nsw i32 %a, %b
    %shift = shl nuw i32 %a, 3
    %quotient = udiv i32 %a, %b)");
  auto of = [&](StringRef name) { return exactnessOf(thread, name, {32, 1, 1}); };
  EXPECT_EQ(of("plain"), Neither);
  EXPECT_EQ(of("signed"), OnlySigned);
  EXPECT_EQ(of("unsigned"), OnlyUnsigned);
  EXPECT_EQ(of("bits"), Both);
  EXPECT_EQ(of("or"), Neither);
  EXPECT_EQ(of("product"), OnlySigned);
  EXPECT_EQ(of("shift"), OnlyUnsigned);
  EXPECT_EQ(of("quotient"), Neither);
}

TEST(OverflowTest, RangesSay) {
  TestThread thread(R"(
    %low = and i32 %a, 1023
    %sum = add i32 %low, %x
    %less = sub i32 %low, %x
    %large = or i32 %a, 1073741824
    %no = add i32 %large, %low)");
  auto of = [&](StringRef name) { return exactnessOf(thread, name, {32, 1, 1}); };
  EXPECT_EQ(of("sum"), Both);
  EXPECT_EQ(of("less"), OnlySigned);
  EXPECT_EQ(of("no"), Neither);
}

TEST(OverflowTest, ZeroBitsThatThreadsFillSay) {
  TestThread thread(R"(
    %first = shl i32 %bx, 7
    %sum = add i32 %first, %x
    %less = sub i32 %first, %x)");
  EXPECT_EQ(exactnessOf(thread, "sum", {128, 1, 1}), Both);
  EXPECT_EQ(exactnessOf(thread, "sum", {129, 1, 1}), Neither);
  EXPECT_EQ(exactnessOf(thread, "less", {128, 1, 1}), Neither);
}

TEST(OverflowTest, WhatIsKnownOfEachThreadSays) {
  TestThread thread(R"(
    %t = trunc i32 %x to i8
    %line = mul i8 %t, 20
    %back = sub i32 7, %x
    %shift = shl i8 %t, 4)");
  EXPECT_EQ(exactnessOf(thread, "line", {7, 1, 1}), Both);
  EXPECT_EQ(exactnessOf(thread, "line", {12, 1, 1}), OnlyUnsigned);
  EXPECT_EQ(exactnessOf(thread, "line", {14, 1, 1}), Neither);
  EXPECT_EQ(exactnessOf(thread, "back", {8, 1, 1}), Both);
  EXPECT_EQ(exactnessOf(thread, "back", {9, 1, 1}), OnlySigned);
  EXPECT_EQ(exactnessOf(thread, "shift", {8, 1, 1}), Both);
  EXPECT_EQ(exactnessOf(thread, "shift", {16, 1, 1}), OnlyUnsigned);
}

} // namespace
} // namespace heddle::simt
