// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores that nothing reads go, all others are found again in the values.
#include "simt/widen/slots.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

namespace heddle::simt {
namespace {

using namespace llvm;

/// A function of %c, %n and %out whose variable %slot becomes values.
class Promoted {
public:
  explicit Promoted(const std::string &body) {
    SMDiagnostic diagnostic;
    module_ = parseAssemblyString("define void @f(i1 %c, i32 %n, ptr %out) {\nentry:\n"
                                  "  %slot = alloca i32\n" +
                                      body + "\n}\n",
                                  diagnostic, context_);
    EXPECT_TRUE(module_) << diagnostic.getMessage().str();
    auto *slot = cast<AllocaInst>(&function().getEntryBlock().front());
    promoteSlots(slot);
    EXPECT_FALSE(verifyFunction(function(), &errs()));
  }

  Function &function() { return *module_->getFunction("f"); }

  /// What is stored to %out, in the order of the blocks.
  SmallVector<Value *, 4> results() {
    SmallVector<Value *, 4> results;
    for (BasicBlock &block : function())
      for (Instruction &instruction : block)
        if (auto *store = dyn_cast<StoreInst>(&instruction))
          results.push_back(store->getValueOperand());
    return results;
  }

private:
  LLVMContext context_;
  std::unique_ptr<Module> module_;
};

uint64_t number(const Value *value) { return cast<ConstantInt>(value)->getZExtValue(); }

TEST(SlotsTest, BranchesWriteWhatIsRead) {
  Promoted promoted(R"(
    store i32 0, ptr %slot
    br i1 %c, label %a, label %b
  a:
    store i32 1, ptr %slot
    br label %join
  b:
    store i32 3, ptr %slot
    store i32 2, ptr %slot
    br label %join
  join:
    %v = load i32, ptr %slot
    store i32 0, ptr %slot
    store i32 %v, ptr %out
    ret void)");
  auto *phi = dyn_cast<PHINode>(promoted.results()[0]);
  ASSERT_TRUE(phi);
  EXPECT_EQ(number(phi->getIncomingValue(0)) + number(phi->getIncomingValue(1)), 3u);
}

TEST(SlotsTest, WhatIsReadAroundALoopStays) {
  Promoted promoted(R"(
    store i32 7, ptr %slot
    br label %head
  head:
    %v = load i32, ptr %slot
    store i32 0, ptr %slot
    store i32 %v, ptr %out
    br i1 %c, label %again, label %exit
  again:
    store i32 %n, ptr %slot
    br label %head
  exit:
    %last = load i32, ptr %slot
    store i32 %last, ptr %out
    ret void)");
  SmallVector<Value *, 4> results = promoted.results();
  auto *phi = dyn_cast<PHINode>(results[0]);
  ASSERT_TRUE(phi);
  EXPECT_EQ(number(phi->getIncomingValueForBlock(&promoted.function().getEntryBlock())), 7u);
  EXPECT_EQ(phi->getNumIncomingValues(), 2u);
  EXPECT_EQ(number(results[1]), 0u);
}

/// The way past the branch has the first value, through a block without an access.
TEST(SlotsTest, BlocksBetweenPassValuesOn) {
  Promoted promoted(R"(
    store i32 5, ptr %slot
    br i1 %c, label %a, label %b
  a:
    store i32 6, ptr %slot
    br label %join
  b:
    br label %join
  join:
    br label %end
  end:
    %v = load i32, ptr %slot
    store i32 %v, ptr %out
    ret void)");
  auto *phi = dyn_cast<PHINode>(promoted.results()[0]);
  ASSERT_TRUE(phi);
  EXPECT_EQ(number(phi->getIncomingValue(0)) + number(phi->getIncomingValue(1)), 11u);
}

} // namespace
} // namespace heddle::simt
