// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers and scatters of all lanes, whose indices come from another block, are chosen there, are
// negative, or are written over while they are still needed; for machines with and without
// instructions for them.
#include "jit/memory/narrow_indices.h"

#include "jit/memory/lower_masked.h"
#include "jit/test_module.h"
#include "jit/test_object.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace heddle::jit {
namespace {

using namespace llvm;

constexpr unsigned Lanes = 32, Cells = 256;

/// void run(memory, indices, far, chooses): memory[far[i]] is added to all that indices name, and
/// read again at the end. `far` is part of the memory, and written to.
using Run = void (*)(void *, int32_t *, const void *, int64_t);

constexpr const char *Text = R"(
  @heddle_kernel = constant ptr @run
  define internal void @run(ptr %memory, ptr %indices, ptr %far, i64 %chooses) {
  entry:
    %x = load <32 x i32>, ptr %indices, align 4
    %f = load <32 x i64>, ptr %far, align 8
    %low = and <32 x i32> %x, splat (i32 127)
    %wide = zext nneg <32 x i32> %low to <32 x i64>
    %more = add <32 x i64> %wide, splat (i64 3)
    %c = icmp ne i64 %chooses, 0
    %chosen = select i1 %c, <32 x i64> %more, <32 x i64> splat (i64 7)
    %p = getelementptr i32, ptr %memory, <32 x i64> %wide
    %p4 = getelementptr i8, <32 x ptr> %p, i64 16
    %q = getelementptr i32, ptr %memory, <32 x i64> %chosen
    %r = getelementptr i32, ptr %memory, <32 x i64> %f
    %end = getelementptr i32, ptr %memory, i64 128
    %negative = or <32 x i32> %x, splat (i32 -128)
    %signed = sext <32 x i32> %negative to <32 x i64>
    %n = getelementptr i32, ptr %end, <32 x i64> %signed
    %any = icmp sgt i64 %chooses, -1
    br i1 %any, label %next, label %none
  next:
    %g = load <32 x i64>, ptr %far, align 8
    %t = getelementptr i32, ptr %memory, <32 x i64> %g
    %a = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %p4, <32 x i1> splat (i1 true), <32 x i32> poison)
    %b = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %q, <32 x i1> splat (i1 true), <32 x i32> poison)
    %d = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %r, <32 x i1> splat (i1 true), <32 x i32> poison)
    %ab = add <32 x i32> %a, %b
    %abd = add <32 x i32> %ab, %d
    store <32 x i32> %abd, ptr %indices, align 4
    call void @llvm.masked.scatter.v32i32.v32p0(<32 x i32> %abd, <32 x ptr> align 4 %n, <32 x i1> splat (i1 true))
    %again = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %t, <32 x i1> splat (i1 true), <32 x i32> poison)
    %all = xor <32 x i32> %abd, %again
    store <32 x i32> %all, ptr %indices, align 4
    br label %none
  none:
    ret void
  }
  declare <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr>, <32 x i1>, <32 x i32>)
  declare void @llvm.masked.scatter.v32i32.v32p0(<32 x i32>, <32 x ptr>, <32 x i1>)
)";

void expected(std::vector<int64_t> &words, std::vector<int32_t> &indices, int64_t chooses) {
  if (chooses < 0)
    return;
  uint32_t memory[Cells], sums[Lanes]; // sums wrap around
  std::memcpy(memory, words.data(), sizeof(memory));
  for (unsigned i = 0; i < Lanes; ++i) {
    int32_t low = indices[i] & 127;
    sums[i] = memory[low + 4] + memory[chooses ? low + 3 : 7] + memory[words[i]];
  }
  for (unsigned i = 0; i < Lanes; ++i)
    memory[128 + (indices[i] | -128)] = sums[i];
  for (unsigned i = 0; i < Lanes; ++i)
    indices[i] = static_cast<int32_t>(sums[i] ^ memory[words[i]]);
  std::memcpy(words.data(), memory, sizeof(memory));
}

/// Accesses whose index is an extension, next to them, of 32 bits with the sign.
unsigned narrow(const Module &module) {
  unsigned count = 0;
  for (const Function &function : module)
    for (const Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<IntrinsicInst>(&instruction)) {
        auto *gep =
            dyn_cast<GetElementPtrInst>(call->getArgOperand(call->getType()->isVoidTy() ? 1 : 0));
        auto *index = gep ? dyn_cast<SExtInst>(gep->getOperand(1)) : nullptr;
        count += index && index->getParent() == call->getParent() &&
                 index->getSrcTy()->getScalarSizeInBits() == 32;
      }
  return count;
}

void check(const char *cpu) {
  auto bytes = buildObject(Text, cpu, [&](Module &module, TargetMachine &machine) {
    runPass<NarrowIndices>(module);
    EXPECT_EQ(narrow(module), 3u); // not the one whose index has 64 bits
    runPass<LowerMasked>(module, machine);
  });
  ASSERT_TRUE(bool(bytes)) << toString(bytes.takeError());
  LoadedObject object(*bytes);
  Run *run = object.symbol<Run>("heddle_kernel");
  ASSERT_TRUE(run);
  std::mt19937 random(3);
  for (int64_t chooses : {-1, 0, 1, 0, 1}) {
    std::vector<int64_t> words(Cells / 2);
    std::vector<int32_t> indices(Lanes);
    for (int32_t &index : indices)
      index = int32_t(random());
    for (int64_t &word : words)
      word = int64_t(random()) << 32 | random();
    for (unsigned i = 0; i < Lanes; ++i)
      words[i] = random() % Cells;
    std::vector<int64_t> wantWords = words;
    std::vector<int32_t> wantIndices = indices;
    expected(wantWords, wantIndices, chooses);
    (*run)(words.data(), indices.data(), words.data(), chooses);
    EXPECT_EQ(words, wantWords) << chooses;
    EXPECT_EQ(indices, wantIndices) << chooses;
  }
}

/// void permute(memory): memory[x] = x for each x in it, which it is read from.
constexpr const char *InPlace = R"(
  @heddle_kernel = constant ptr @permute
  define internal void @permute(ptr %memory) {
    %x = load <32 x i32>, ptr %memory, align 4
    %wide = sext <32 x i32> %x to <32 x i64>
    %p = getelementptr i32, ptr %memory, <32 x i64> %wide
    call void @llvm.masked.scatter.v32i32.v32p0(<32 x i32> %x, <32 x ptr> align 4 %p, <32 x i1> splat (i1 true))
    ret void
  }
  declare void @llvm.masked.scatter.v32i32.v32p0(<32 x i32>, <32 x ptr>, <32 x i1>)
)";

void checkInPlace(const char *cpu) {
  auto bytes = buildObject(InPlace, cpu, [&](Module &module, TargetMachine &machine) {
    runPass<NarrowIndices>(module);
    runPass<LowerMasked>(module, machine);
  });
  ASSERT_TRUE(bool(bytes)) << toString(bytes.takeError());
  LoadedObject object(*bytes);
  auto *permute = object.symbol<void (*)(int32_t *)>("heddle_kernel");
  ASSERT_TRUE(permute);
  std::vector<int32_t> memory(Lanes), want(Lanes);
  for (unsigned i = 0; i < Lanes; ++i) {
    memory[i] = int32_t(i * 13 + 5) % int32_t(Lanes);
    want[i] = int32_t(i);
  }
  (*permute)(memory.data());
  EXPECT_EQ(memory, want);
}

#ifdef __x86_64__
TEST(NarrowIndices, ScattersOverItsIndices) {
  checkInPlace(nullptr);
  checkInPlace("x86-64");
  if (__builtin_cpu_supports("avx2"))
    checkInPlace("x86-64-v3");
}

TEST(NarrowIndices, GivesTheSame) {
  check(nullptr);
  check("x86-64");
  if (__builtin_cpu_supports("avx2"))
    check("x86-64-v3");
}
#endif

/// Whether a gather of elements `index` from `base`, a vector of either, gets an index of its own.
bool isNarrowed(const std::string &index, const std::string &base = "ptr %memory") {
  LLVMContext context;
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(
      "define <8 x i32> @run(ptr %memory, <8 x ptr> %bases, <8 x i32> %x, <8 x i64> %w) {\n"
      "  %i = " +
          index + "\n  br label %next\nnext:\n  %p = getelementptr i32, " + base +
          ", <8 x i64> %i\n  %r = call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> align 4 "
          "%p, "
          "<8 x i1> splat (i1 true), <8 x i32> poison)\n  ret <8 x i32> %r\n}\n",
      error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  if (!module)
    return false;
  runPass<NarrowIndices>(*module);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  return narrow(*module) == 1;
}

// LEGAL narrow-indices: fits
TEST(NarrowIndices, LeavesWhatMayNotFit) {
  EXPECT_TRUE(isNarrowed("sext <8 x i32> %x to <8 x i64>"));
  EXPECT_TRUE(isNarrowed("zext nneg <8 x i32> %x to <8 x i64>"));
  EXPECT_TRUE(isNarrowed("ashr <8 x i64> %w, splat (i64 32)"));
  EXPECT_FALSE(isNarrowed("zext <8 x i32> %x to <8 x i64>")) << "from 2^31 on";
  EXPECT_FALSE(isNarrowed("ashr <8 x i64> %w, splat (i64 31)"));
  EXPECT_FALSE(isNarrowed("lshr <8 x i64> %w, splat (i64 32)"));
}

// LEGAL narrow-indices: one base
TEST(NarrowIndices, LeavesSeveralBases) {
  EXPECT_FALSE(isNarrowed("sext <8 x i32> %x to <8 x i64>", "<8 x ptr> %bases"));
}

} // namespace
} // namespace heddle::jit
