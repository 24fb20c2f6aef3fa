// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be computed again, and what becomes of it.
#include "simt/analysis/recompute.h"

#include "simt/analysis/fuzz/test_thread.h"

#include "llvm/IR/Instructions.h"

#include <gtest/gtest.h>

namespace heddle::simt {
namespace {

using namespace llvm;

/// Whether %t can be computed again from the parameters.
bool canMakeFromParameters(const std::string &code) {
  TestThread thread(code);
  return canRecompute(*thread.value("t"), [](Value &value) { return isa<Argument>(value); });
}

TEST(RecomputeTest, FollowsToTheInputs) {
  EXPECT_TRUE(canMakeFromParameters("%s = add i32 %a, 1\n %t = mul i32 %s, %b"));
  EXPECT_TRUE(canMakeFromParameters("%s = icmp ult i32 %a, %b\n %t = select i1 %s, i32 %a, i32 7"));
  TestThread thread("%s = add i32 %a, 1\n %t = mul i32 %s, %b");
  Value *a = thread.value("a");
  EXPECT_FALSE(canRecompute(*thread.value("t"), [&](Value &value) { return &value == a; }));
}

TEST(RecomputeTest, NoMemory) {
  EXPECT_FALSE(canMakeFromParameters("%t = load i32, ptr %p"));
  EXPECT_FALSE(canMakeFromParameters("%s = load i32, ptr %p\n %t = add i32 %s, 1"));
  EXPECT_FALSE(canMakeFromParameters("%t = atomicrmw add ptr %p, i32 1 monotonic"));
}

TEST(RecomputeTest, NoTraps) {
  EXPECT_TRUE(canMakeFromParameters("%t = udiv i32 %a, 3"));
  EXPECT_FALSE(canMakeFromParameters("%t = udiv i32 %a, %b"));
  EXPECT_FALSE(canMakeFromParameters("%t = sdiv i32 %a, -1"));
}

TEST(RecomputeTest, NothingThatLanesDoTogether) {
  TestThread thread("%t = add i32 %x, 1");
  auto none = [](Value &) { return false; };
  EXPECT_TRUE(canRecompute(*thread.value("t"), none));
  cast<CallInst>(thread.value("x"))->setConvergent();
  EXPECT_FALSE(canRecompute(*thread.value("t"), none));
}

TEST(RecomputeTest, NoCircles) {
  EXPECT_FALSE(canMakeFromParameters(R"(
      br label %loop
    loop:
      %i = phi i32 [ 0, %entry ], [ %t, %loop ]
      %t = add i32 %i, %a
      %more = icmp ult i32 %t, %b
      br i1 %more, label %loop, label %end
    end:)"));
}

TEST(RecomputeTest, AsManyStepsAsAreAllowed) {
  TestThread thread("%r = add i32 %a, 1\n %s = add i32 %r, 1\n %t = add i32 %s, 1");
  auto isParameter = [](Value &value) { return isa<Argument>(value); };
  EXPECT_TRUE(canRecompute(*thread.value("t"), isParameter, isRepeatable, 3));
  EXPECT_FALSE(canRecompute(*thread.value("t"), isParameter, isRepeatable, 2));
}

TEST(RecomputeTest, WhatThePassAllows) {
  EXPECT_FALSE(canMakeFromParameters("%t = udiv i32 %a, %b"));
  TestThread thread("%t = udiv i32 %a, %b");
  auto isParameter = [](Value &value) { return isa<Argument>(value); };
  auto all = [](const Instruction &) { return true; };
  EXPECT_TRUE(canRecompute(*thread.value("t"), isParameter, all));
  EXPECT_FALSE(canRecompute(*thread.value("t"), isParameter, isIndexArithmetic));
}

TEST(RecomputeTest, CopiesHaveOtherInputsAndNoFlags) {
  TestThread thread(R"(
    %s = add nuw nsw i32 %a, %b
    %u = sext i32 %s to i64
    %v = zext nneg i32 %s to i64
    %i = add nsw i64 %u, %v
    %t = getelementptr inbounds float, ptr %p, i64 %i)");
  Value *a = thread.value("a"), *c = thread.value("c"), *p = thread.value("p");
  IRBuilder<> builder(thread.function().getEntryBlock().getTerminator());
  Recomputation there(builder, [&](Value &value) -> Value * {
    return &value == a ? c : isa<Argument>(value) ? &value : nullptr;
  });
  auto *t = cast<GetElementPtrInst>(there.of(*thread.value("t")));
  EXPECT_NE(t, thread.value("t"));
  EXPECT_EQ(t->getPointerOperand(), p);
  EXPECT_FALSE(t->isInBounds());
  auto *i = cast<BinaryOperator>(t->getOperand(1));
  auto *u = cast<SExtInst>(i->getOperand(0));
  auto *v = cast<ZExtInst>(i->getOperand(1));
  EXPECT_FALSE(i->hasNoSignedWrap() || v->hasNonNeg());
  auto *s = cast<BinaryOperator>(u->getOperand(0));
  EXPECT_EQ(s, v->getOperand(0)); // computed once
  EXPECT_FALSE(s->hasNoSignedWrap() || s->hasNoUnsignedWrap());
  EXPECT_EQ(s->getOperand(0), c);
  EXPECT_EQ(s->getOperand(1), thread.value("b"));
  EXPECT_EQ(there.of(*thread.value("s")), s);
  EXPECT_TRUE(thread.operation("s").hasNoSignedWrap()); // the original stays
}

TEST(RecomputeTest, FlagsStayWhereTheProgramHasTheSame) {
  TestThread thread("%t = add nsw i32 %a, %b");
  IRBuilder<> builder(thread.function().getEntryBlock().getTerminator());
  auto same = [](Value &value) { return isa<Argument>(value) ? &value : nullptr; };
  auto isExact = [&](Flags flags) {
    Recomputation there(builder, same, flags);
    return cast<BinaryOperator>(there.of(*thread.value("t")))->hasNoSignedWrap();
  };
  EXPECT_TRUE(isExact(Flags::Kept));
  EXPECT_FALSE(isExact(Flags::Dropped));
}

TEST(RecomputeTest, LoadsKeepOnlyWhatHoldsEverywhere) {
  TestThread thread("%t = load i32, ptr %p, !range !{i32 0, i32 9}, !invariant.load !{}");
  IRBuilder<> builder(thread.function().getEntryBlock().getTerminator());
  Recomputation there(builder,
                      [](Value &value) { return isa<Argument>(value) ? &value : nullptr; });
  auto *load = cast<LoadInst>(there.of(*thread.value("t")));
  EXPECT_TRUE(load->hasMetadata(LLVMContext::MD_invariant_load));
  EXPECT_FALSE(load->hasMetadata(LLVMContext::MD_range));
}

} // namespace
} // namespace heddle::simt
