// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/analysis/thread_sums.h"

#include "simt/analysis/fuzz/test_thread.h"

#include <gtest/gtest.h>

namespace heddle::simt {
namespace {

using namespace llvm;

/// The products' factors, in the order in which code is made of them.
std::string productsOf(TestThread &thread, StringRef name) {
  constexpr LaneFacts Block = {32, {32, 1, 1}};
  LoopFacts facts(thread.function());
  LaneShapes lanes(thread.function(), facts, Block);
  ThreadTables tables(Block.blockDim);
  ThreadSums sums(tables, lanes.shapes, thread.function().getDataLayout());
  std::optional<ThreadSum> sum = sums.modular(*thread.value(name));
  if (!sum)
    return "unknown";
  std::string text;
  for (const auto &[product, numbers] : sum->products) {
    text += text.empty() ? "" : " ";
    for (const Value *factor : product)
      text += factor->getName();
  }
  return text;
}

/// Not in the order of addresses, by which one process would make other code than the next.
TEST(ThreadSumsTest, ProductsAreInTheOrderOfTheCode) {
  TestThread thread(R"(
    %ab = mul i32 %a, %b
    %ba = mul i32 %b, %a
    %cd = mul i32 %c, %d
    %dc = mul i32 %d, %c
    %one = add i32 %ab, %cd
    %other = add i32 %dc, %ba
    %near = getelementptr i8, ptr %p, i64 %w
    %far = getelementptr i8, ptr %q, i64 %w)");
  EXPECT_EQ(productsOf(thread, "one"), "ab cd");
  EXPECT_EQ(productsOf(thread, "other"), "dc ba");
  EXPECT_EQ(productsOf(thread, "near"), "p w");
  EXPECT_EQ(productsOf(thread, "far"), "q w");
}

} // namespace
} // namespace heddle::simt
