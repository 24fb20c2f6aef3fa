// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What becomes of loads and stores of large arrays: which are fetched ahead, which go past the
// caches.
#include "base/abi/kernel_abi.h"
#include "jit/prefetch/prefetch.h"
#include "jit/test_module.h"
#include "simt/analysis/pass_notes.h"
#include "simt/vector/stream_choices.h"
#include "simt/vector/stream_stores.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

namespace heddle::jit {
namespace {

using namespace llvm;

struct Counts {
  unsigned streaming = 0, plain = 0, cached = 0, masked = 0, prefetches = 0, fences = 0, tests = 0,
           reductions = 0;
  bool storesBeforeFetches = false; ///< any
};

void streamStores(Module &module) { simt::streamStores(module); }

/// Of a function with body `text`, after `pass`.
Counts countsAfter(void (*pass)(Module &), const std::string &text, StringRef name = "runBlocks") {
  LLVMContext context;
  SMDiagnostic error;
  std::string source = "define void @" + name.str() + "(ptr %launch, ptr %p, ptr %q, i32 %n) {\n" +
                       text + "}\n!0 = !{i64 4, i64 4}\n!1 = !{i64 4, i64 0}\n";
  std::unique_ptr<Module> module = parseAssemblyString(source, error, context);
  Counts counts;
  EXPECT_TRUE(module) << error.getMessage().str();
  if (!module)
    return counts;
  pass(*module);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  for (Instruction &instruction : instructions(*module->getFunction(name))) {
    auto *branch = dyn_cast<BranchInst>(&instruction);
    counts.tests += branch && branch->isConditional();
    if (auto *store = dyn_cast<StoreInst>(&instruction))
      ++(store->hasMetadata(LLVMContext::MD_nontemporal) ? counts.streaming : counts.plain);
    counts.cached += simt::CachedStore.isOn(instruction);
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    bool isPrefetch = call && call->getIntrinsicID() == Intrinsic::prefetch;
    counts.prefetches += isPrefetch;
    counts.masked += call && call->getIntrinsicID() == Intrinsic::masked_store;
    counts.reductions += call && call->getIntrinsicID() == Intrinsic::vector_reduce_and;
    counts.storesBeforeFetches |= isPrefetch && counts.plain > 0;
    counts.fences += isa<FenceInst>(instruction);
  }
  return counts;
}

/// A loop up to %n around `body`, which may use %i.
std::string inLoop(const std::string &body) {
  return "  br label %loop\n"
         "loop:\n"
         "  %i = phi i32 [ 0, %0 ], [ %next, %loop ]\n" +
         body +
         "  %next = add i32 %i, 32\n"
         "  %more = icmp slt i32 %next, %n\n"
         "  br i1 %more, label %loop, label %end\n"
         "end:\n"
         "  ret void\n";
}

TEST(StreamStores, WholeLinesHaveTwoForms) {
  Counts counts =
      countsAfter(streamStores,
                  "  store <32 x float> zeroinitializer, ptr %p, !heddle.stream !0\n  ret void\n");
  EXPECT_EQ(counts.streaming, 1u);
  EXPECT_EQ(counts.plain, 1u);
  EXPECT_EQ(counts.cached, 1u);
  EXPECT_EQ(counts.fences, 1u);
}

TEST(StreamStores, OthersStay) {
  for (const char *store :
       {"store <32 x float> zeroinitializer, ptr %p",
        "store <8 x float> zeroinitializer, ptr %p, !heddle.stream !0",
        "store volatile <32 x float> zeroinitializer, ptr %p, !heddle.stream !0",
        "store <32 x float> zeroinitializer, ptr %p, !heddle.stream !1"}) {
    Counts counts = countsAfter(streamStores, std::string("  ") + store + "\n  ret void\n");
    EXPECT_EQ(counts.streaming, 0u) << store;
    EXPECT_EQ(counts.plain, 1u) << store;
    EXPECT_EQ(counts.fences, 0u) << store;
  }
  Counts counts = countsAfter(
      streamStores, "  store <32 x float> zeroinitializer, ptr %p, !heddle.stream !0\n  ret void\n",
      "resume");
  EXPECT_EQ(counts.streaming, 0u);
}

TEST(StreamStores, LoopsTellTheirSizeByTheirBound) {
  Counts counts = countsAfter(
      streamStores, inLoop("  %to = getelementptr float, ptr %p, i32 %i\n"
                           "  store <32 x float> zeroinitializer, ptr %to, !heddle.stream !1\n"));
  EXPECT_EQ(counts.streaming, 1u);
  EXPECT_EQ(counts.plain, 1u);
}

TEST(StreamStores, NeighboursShareATest) {
  std::string stores;
  for (int i = 0; i < 4; ++i)
    stores += "  %s" + std::to_string(i) + " = getelementptr i8, ptr %p, i64 " +
              std::to_string(i * 4096) + "\n  store <16 x float> zeroinitializer, ptr %s" +
              std::to_string(i) + ", !heddle.stream !0\n";
  Counts counts = countsAfter(streamStores, stores + "  ret void\n");
  EXPECT_EQ(counts.streaming, 4u);
  EXPECT_EQ(counts.plain, 4u);
  EXPECT_EQ(counts.tests, 1u);
  // What a load between them sees must have been stored.
  stores.insert(stores.find("  %s2"), "  %seen = load float, ptr %q\n");
  counts = countsAfter(streamStores, stores + "  ret void\n");
  EXPECT_EQ(counts.streaming, 4u);
  EXPECT_EQ(counts.tests, 2u);
}

TEST(StreamStores, HalvesOfALineMakeOne) {
  auto halves = [](const char *second) {
    return std::string("  %next = getelementptr i8, ptr %p, i64 ") + second +
           "\n  store <8 x float> zeroinitializer, ptr %p, !heddle.stream !0\n"
           "  store <8 x float> zeroinitializer, ptr %next, !heddle.stream !0\n  ret void\n";
  };
  EXPECT_EQ(countsAfter(streamStores, halves("32")).streaming, 2u);
  EXPECT_EQ(countsAfter(streamStores, halves("-32")).streaming, 2u);
  EXPECT_EQ(countsAfter(streamStores, halves("64")).streaming, 0u);
}

/// For a machine of four registers.
void chooseFirst(Module &module) {
  simt::streamStores(module, simt::VectorRegisters{256, 4});
  EXPECT_TRUE(module.getFunction("heddle.choose"));
  runPass<simt::MakeChoices>(module);
  EXPECT_FALSE(module.getFunction("heddle.choose"));
  EXPECT_FALSE(module.getFunction("heddle.choose.end"));
}

TEST(StreamStores, ChoosesBeforeWhatFillsTheRegisters) {
  Counts counts = countsAfter(chooseFirst, "  br label %body\n"
                                           "body:\n"
                                           "  %v = load <32 x float>, ptr %q\n"
                                           "  store <32 x float> %v, ptr %p, !heddle.stream !0\n"
                                           "  %more = getelementptr i8, ptr %p, i64 4096\n"
                                           "  %w = load <32 x float>, ptr %more\n"
                                           "  %s = fadd <32 x float> %v, %w\n"
                                           "  store <32 x float> %s, ptr %more, !heddle.stream !0\n"
                                           "  ret void\n");
  EXPECT_EQ(counts.streaming, 2u);
  EXPECT_EQ(counts.plain, 2u);
  EXPECT_EQ(counts.tests, 1u);
}

TEST(StreamStores, StoresInTheBlocksThatCompute) {
  Counts counts = countsAfter(chooseFirst, "  %c = icmp slt i32 %n, 0\n"
                                           "  br i1 %c, label %a, label %b\n"
                                           "a:\n"
                                           "  %v = load <32 x float>, ptr %q\n"
                                           "  br label %end\n"
                                           "b:\n"
                                           "  %w = load <32 x float>, ptr %p\n"
                                           "  br label %end\n"
                                           "end:\n"
                                           "  %s = phi <32 x float> [ %v, %a ], [ %w, %b ]\n"
                                           "  store <32 x float> %s, ptr %p, !heddle.stream !0\n"
                                           "  %lane = extractelement <32 x float> %s, i32 3\n"
                                           "  store float %lane, ptr %q\n"
                                           "  ret void\n");
  EXPECT_EQ(counts.streaming, 2u);
  EXPECT_EQ(counts.plain, 3u);
  EXPECT_EQ(counts.tests, 3u);
}

TEST(StreamStores, MaskedStoresWhereNoLaneIsIdle) {
  auto masked = [](const char *mask, const char *metadata) {
    return std::string("  call void @llvm.masked.store.v32f32.p0(<32 x float> zeroinitializer, ptr "
                       "%p, <32 x i1> ") +
           mask + ")" + metadata + "\n";
  };
  const std::string mask = "  %mask = insertelement <32 x i1> splat (i1 true), i1 false, i32 %n\n";
  Counts counts =
      countsAfter(streamStores, mask + masked("%mask", ", !heddle.stream !0") + "  ret void\n");
  EXPECT_EQ(counts.streaming, 1u);
  EXPECT_EQ(counts.masked, 1u);
  EXPECT_EQ(counts.plain, 0u);
  EXPECT_EQ(counts.fences, 1u);
  EXPECT_EQ(counts.reductions, 1u); // of the mask, in the test
  EXPECT_EQ(countsAfter(streamStores, mask + masked("%mask", "") + "  ret void\n").streaming, 0u);
}

/// Loads of `rows` rows, then a store of each.
std::string rows(unsigned count) {
  std::string loads, stores;
  for (unsigned i = 0; i < count; ++i) {
    std::string number = std::to_string(i), distance = std::to_string(i * 100);
    loads += "  %at" + number + " = mul i32 %n, " + distance + "\n  %from" + number +
             " = getelementptr float, ptr %p, i32 %at" + number + "\n  %v" + number +
             " = load <16 x float>, ptr %from" + number + ", !heddle.stream !0\n";
    stores += "  %to" + number + " = getelementptr float, ptr %q, i32 %at" + number +
              "\n  store <16 x float> %v" + number + ", ptr %to" + number + "\n";
  }
  return loads + stores + "  ret void\n";
}

TEST(PrefetchLaterBlocks, ManyRowsAmongTheStores) {
  Counts few = countsAfter(runPass<PrefetchLoads>, rows(4)),
         many = countsAfter(runPass<PrefetchLoads>, rows(8));
  EXPECT_EQ(few.prefetches, 4u);
  EXPECT_FALSE(few.storesBeforeFetches);
  EXPECT_EQ(many.prefetches, 8u);
  EXPECT_TRUE(many.storesBeforeFetches);
}

TEST(PrefetchLaterBlocks, LinesOfNeighboursOnce) {
  Counts counts = countsAfter(runPass<PrefetchLoads>,
                              "  %left = getelementptr i8, ptr %p, i64 -4\n"
                              "  %right = getelementptr i8, ptr %p, i64 4\n"
                              "  %a = load <32 x float>, ptr %left, !heddle.stream !0\n"
                              "  %b = load <32 x float>, ptr %p, !heddle.stream !0\n"
                              "  %c = load <32 x float>, ptr %right, !heddle.stream !0\n"
                              "  %d = load <32 x float>, ptr %q, !heddle.stream !0\n"
                              "  %e = load <32 x float>, ptr %launch\n"
                              "  %f = load <4 x float>, ptr %launch, !heddle.stream !0\n"
                              "  ret void\n");
  EXPECT_EQ(counts.prefetches, 4u);
}

/// As they are cut to registers of half a line, all of one stream: a page ahead.
TEST(PrefetchLaterBlocks, LinesOfHalvesOnce) {
  std::string loads;
  for (int i = 0; i < 32; ++i) {
    std::string number = std::to_string(i);
    loads += "  %p" + number + " = getelementptr i8, ptr %p, i64 " + std::to_string(i * 32) +
             "\n  %v" + number + " = load <8 x float>, ptr %p" + number + ", !heddle.stream !0\n";
  }
  const std::string store = "  store <32 x float> zeroinitializer, ptr %q\n  ret void\n";
  EXPECT_EQ(countsAfter(runPass<PrefetchLoads>, loads + store).prefetches, 16u);
  const std::string lone = "  %v = load <8 x float>, ptr %p, !heddle.stream !0\n";
  EXPECT_EQ(countsAfter(runPass<PrefetchLoads>, lone + store).prefetches, 0u);
}

/// As LLVM leaves a load that it has made of two.
TEST(PrefetchLaterBlocks, LoadsOfMarkedArraysToo) {
  Counts counts =
      countsAfter(runPass<PrefetchLoads>, "  %right = getelementptr i8, ptr %p, i64 4096\n"
                                          "  %a = load <32 x float>, ptr %p, !heddle.stream !0\n"
                                          "  %b = load <32 x float>, ptr %right\n"
                                          "  %c = load <32 x float>, ptr %q, !heddle.stream !0\n"
                                          "  %d = load <32 x float>, ptr %launch\n"
                                          "  ret void\n");
  EXPECT_EQ(counts.prefetches, 6u);
}

TEST(PrefetchLaterBlocks, MaskedLoadsToo) {
  auto masked = [](const std::string &name, const std::string &from, const std::string &metadata) {
    return "  %" + name + " = call <32 x float> @llvm.masked.load.v32f32.p0(ptr " + from +
           ", <32 x i1> %mask, <32 x float> zeroinitializer)" + metadata + "\n";
  };
  const std::string mask = "  %some = insertelement <32 x i1> zeroinitializer, i1 true, i32 %n\n"
                           "  %mask = xor <32 x i1> %some, splat (i1 true)\n";
  const std::string both = masked("a", "%p", ", !heddle.stream !0") +
                           masked("b", "%q", ", !heddle.stream !0") + "  ret void\n";
  EXPECT_EQ(countsAfter(runPass<PrefetchLoads>, mask + both).prefetches, 4u);
  const std::string none =
      masked("a", "%p", "") + masked("b", "%q", ", !heddle.stream !1") + "  ret void\n";
  EXPECT_EQ(countsAfter(runPass<PrefetchLoads>, mask + none).prefetches, 0u);
}

TEST(PrefetchLaterBlocks, NotWhereOneArrayIsReadAndNoneWritten) {
  const std::string load = "  %far = getelementptr i8, ptr %p, i64 1024\n"
                           "  %a = load <32 x float>, ptr %p, !heddle.stream !0\n"
                           "  %b = load <32 x float>, ptr %far, !heddle.stream !0\n";
  const std::string one = "  store float 1.0, ptr %q\n  ret void\n";
  EXPECT_EQ(countsAfter(runPass<PrefetchLoads>, load + one).prefetches, 0u);
  EXPECT_EQ(countsAfter(runPass<PrefetchLoads>, load + "  store <32 x float> %a, ptr %q\n" + one)
                .prefetches,
            4u);
  EXPECT_EQ(countsAfter(runPass<PrefetchLoads>,
                        load + "  store <8 x float> zeroinitializer, ptr %q\n" + one)
                .prefetches,
            4u)
      << "a register of AVX2";
  EXPECT_EQ(countsAfter(runPass<PrefetchLoads>,
                        load + "  %c = load <32 x float>, ptr %q, !heddle.stream !0\n" + one)
                .prefetches,
            6u);
}

TEST(PrefetchLaterBlocks, WhatProgramsReadBeforeTheyWait) {
  const std::string loads = "  %a = load <32 x float>, ptr %p, !heddle.stream !0\n"
                            "  %b = load <32 x float>, ptr %q, !heddle.stream !0\n"
                            "  ret void\n";
  EXPECT_EQ(countsAfter(runPass<PrefetchLoads>, loads, "start").prefetches, 4u);
  EXPECT_EQ(countsAfter(runPass<PrefetchLoads>, loads, "start.resume").prefetches, 0u);
}

TEST(PrefetchLaterBlocks, NotInLoops) {
  Counts counts = countsAfter(runPass<PrefetchLoads>,
                              inLoop("  %at = getelementptr float, ptr %q, i32 %i\n"
                                     "  %v = load <32 x float>, ptr %at, !heddle.stream !1\n"));
  EXPECT_EQ(counts.prefetches, 0u);
}

TEST(PrefetchLaterBlocks, NotMoreThanTheNearestCacheHolds) {
  std::string loads; // 16 arrays, of which each may be fetched a kilobyte ahead
  for (int i = 0; i < 16; ++i) {
    std::string number = std::to_string(i);
    loads += "  %n" + number + " = mul i32 %n, " + number + "\n  %p" + number +
             " = getelementptr i8, ptr %p, i32 %n" + number + "\n  %v" + number +
             " = load <256 x float>, ptr %p" + number + ", !heddle.stream !0\n";
  }
  const std::string store = "  store <256 x float> zeroinitializer, ptr %q\n  ret void\n";
  EXPECT_EQ(countsAfter(runPass<PrefetchLoads>, loads + store).prefetches, 0u);
}

} // namespace
} // namespace heddle::jit
