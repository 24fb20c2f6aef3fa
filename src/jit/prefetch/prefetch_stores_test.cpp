// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/prefetch/prefetch.h"

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

/// What the pass makes of `body`, in order: the bytes behind an address that are fetched for
/// writing, and the stores.
std::string fetchedBy(const std::string &body) {
  LLVMContext context;
  SMDiagnostic error;
  std::string text =
      "define void @run(<32 x i32> %row, <256 x i64> %wide, i32 %one, ptr %to, <8 x i32> %part, "
      "<32 x i1> %some) {\n" +
      body + "  ret void\n}\n!0 = !{}\n!1 = !{i32 1}\n";
  std::unique_ptr<Module> module = parseAssemblyString(text, error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  if (!module)
    return "";
  runPass<PrefetchStores>(*module);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  std::string fetched;
  for (Instruction &instruction : instructions(*module->getFunction("run"))) {
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    if (isa<StoreInst>(instruction) || (call && call->getIntrinsicID() == Intrinsic::masked_store))
      fetched += "store ";
    if (!call || call->getIntrinsicID() != Intrinsic::prefetch)
      continue;
    EXPECT_TRUE(cast<ConstantInt>(call->getArgOperand(1))->isOne());
    APInt offset(64, 0);
    const Value *from = call->getArgOperand(0)->stripAndAccumulateConstantOffsets(
        module->getDataLayout(), offset, /*AllowNonInbounds=*/true);
    fetched += from->getName().str() + "+" + std::to_string(offset.getSExtValue()) + " ";
  }
  return fetched;
}

TEST(PrefetchStores, FetchesTheLinesOfAStore) {
  EXPECT_EQ(fetchedBy("  store <32 x i32> %row, ptr %to, align 4, !heddle.cached !0\n"),
            "to+0 to+64 to+127 store ");
}

TEST(PrefetchStores, OneUnderAMask) {
  EXPECT_EQ(fetchedBy("  call void @llvm.masked.store.v32i32.p0(<32 x i32> %row, ptr align 4 %to, "
                      "<32 x i1> %some), !heddle.cached !0\n"),
            "to+0 to+64 to+127 store ");
}

TEST(PrefetchStores, OneToAnArrayThatIsOnlyWritten) {
  EXPECT_EQ(fetchedBy("  store <32 x i32> %row, ptr %to, align 4, !heddle.cached !0\n"),
            "to+0 to+64 to+127 store ");
  EXPECT_EQ(fetchedBy("  store <32 x i32> %row, ptr %to, align 4, !heddle.stream !0\n"),
            "to+0 to+64 to+127 store "); // nobody chose: it goes through the caches
  EXPECT_EQ(fetchedBy("  store <8 x i32> %part, ptr %to, align 4, !heddle.cached !0\n"),
            "store "); // less than a line
}

TEST(PrefetchStores, LeavesOthersAlone) {
  EXPECT_EQ(fetchedBy("  store <32 x i32> %row, ptr %to, align 4\n"), "store "); // also read
  EXPECT_EQ(fetchedBy("  store i32 %one, ptr %to, align 4, !heddle.cached !0\n"), "store ");
  EXPECT_EQ(fetchedBy("  store <256 x i64> %wide, ptr %to, align 8, !heddle.cached !0\n"),
            "store ");
  EXPECT_EQ(fetchedBy("  store volatile <32 x i32> %row, ptr %to, align 4, !heddle.cached !0\n"),
            "store ");
  EXPECT_EQ(fetchedBy("  store <32 x i32> %row, ptr %to, align 4, !heddle.cached !0, !nontemporal "
                      "!1\n"),
            "store "); // past the caches
  EXPECT_EQ(fetchedBy("  %read = load <32 x i32>, ptr %to, align 4, !heddle.cached !0\n"), "");
}

} // namespace
} // namespace heddle::jit
