// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/prefetch/prefetch_buckets.h"

#include "jit/test_module.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

namespace heddle::jit {
namespace {

using namespace llvm;

constexpr const char *Count = "  %number = load i32, ptr %counter\n"
                              "  %next = add i32 %number, 1\n"
                              "  store i32 %next, ptr %counter\n";
constexpr const char *Fill = "  %index = sext i32 %number to i64\n"
                             "  %place = getelementptr i32, ptr %out, i64 %index\n"
                             "  store i32 %key, ptr %place, !heddle.stream !0\n";

/// What the pass fetches in a loop of `body`, or behind it if `loops` is false.
std::string fetchedBy(const std::string &body, bool loops = true) {
  LLVMContext context;
  SMDiagnostic error;
  std::string text = "define void @run(ptr %in, ptr %counters, ptr %out, i64 %n) {\n"
                     "entry:\n  br label %loop\n"
                     "loop:\n  %i = phi i64 [ 0, %entry ], [ %more, %loop ]\n"
                     "  %from = getelementptr i32, ptr %in, i64 %i\n"
                     "  %key = load i32, ptr %from\n"
                     "  %digit = and i32 %key, 255\n"
                     "  %counter = getelementptr i32, ptr %counters, i32 %digit\n";
  std::string end = "  %more = add i64 %i, 1\n"
                    "  %again = icmp ult i64 %more, %n\n"
                    "  br i1 %again, label %loop, label %end\nend:\n";
  text += loops ? body + end : end + body;
  std::unique_ptr<Module> module =
      parseAssemblyString(text + "  ret void\n}\n!0 = !{i64 4, i64 0}\n", error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  if (!module)
    return "";
  runPass<PrefetchBuckets>(*module);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  std::string fetched;
  for (Instruction &instruction : instructions(*module->getFunction("run"))) {
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    if (!call || call->getIntrinsicID() != Intrinsic::prefetch)
      continue;
    APInt offset(64, 0);
    const Value *from = call->getArgOperand(0)->stripAndAccumulateConstantOffsets(
        module->getDataLayout(), offset, /*AllowNonInbounds=*/true);
    fetched += from->getName().str() + "+" + std::to_string(offset.getSExtValue()) + " ";
  }
  return fetched;
}

std::string replaced(std::string text, const std::string &what, const std::string &by) {
  return text.replace(text.find(what), what.size(), by);
}

TEST(PrefetchBuckets, FetchesTheNextLine) {
  EXPECT_EQ(fetchedBy(std::string(Count) + Fill), "place+64 ");
  EXPECT_EQ(fetchedBy(std::string(Count) + replaced(Fill, "sext i32", "zext i32")), "place+64 ");
  EXPECT_EQ(fetchedBy(replaced(Count, ", 1", ", 8") + Fill), "place+64 ");
}

TEST(PrefetchBuckets, TheStoreMayComeFirst) {
  EXPECT_EQ(fetchedBy("  %number = load i32, ptr %counter\n" + std::string(Fill) +
                      "  %next = add i32 %number, 1\n  store i32 %next, ptr %counter\n"),
            "place+64 ");
}

TEST(PrefetchBuckets, LeavesOtherStoresAlone) {
  std::string count = Count, fill = Fill;
  EXPECT_EQ(fetchedBy("  %number = load i32, ptr %counter\n" + fill), ""); // a permutation
  EXPECT_EQ(
      fetchedBy(replaced(count, "store i32 %next, ptr %counter", "store i32 %next, ptr %counters") +
                fill),
      "");                                                         // counts elsewhere
  EXPECT_EQ(fetchedBy(replaced(count, ", 1", ", 16") + fill), ""); // a line each time
  EXPECT_EQ(fetchedBy(replaced(count, ", 1", ", -1") + fill), ""); // downwards
  EXPECT_EQ(fetchedBy(replaced(count, "store i32", "store volatile i32") + fill), "");
  EXPECT_EQ(fetchedBy(count + replaced(fill, ", !heddle.stream !0", "")), ""); // shared memory
  EXPECT_EQ(fetchedBy(count + replaced(fill, "i64 %index", "i64 %i")), "");    // in order
}

TEST(PrefetchBuckets, OnlyInLoops) {
  EXPECT_EQ(fetchedBy(std::string(Count) + Fill, /*loops=*/false), "");
}

} // namespace
} // namespace heddle::jit
