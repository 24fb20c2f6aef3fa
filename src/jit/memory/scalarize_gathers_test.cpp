// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers of lanes at fixed and at unknown distances, under known and unknown masks, run; the
// elements that no lane asks for lie where nothing may be read.
#include "jit/memory/scalarize_gathers.h"

#include "jit/test_module.h"
#include "jit/test_object.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

#include <gtest/gtest.h>

#include <sys/mman.h>

namespace heddle::jit {
namespace {

using namespace llvm;

/// void run(in a, first, unknown offsets, out): see `expected`.
using Run = void (*)(const float *, int64_t, const int64_t *, float *);

constexpr const char *Text = R"(
  @heddle_kernel = constant ptr @run
  define internal void @run(ptr %a, i64 %first, ptr %unknown, ptr %out) {
    %columns = getelementptr [8 x i8], ptr %a, <4 x i64> <i64 0, i64 3, i64 -2, i64 5>
    %column = getelementptr float, <4 x ptr> %columns, i64 %first
    %x = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> align 4 %column,
           <4 x i1> splat (i1 true), <4 x float> poison)
    store <4 x float> %x, ptr %out
    %f = insertelement <4 x i64> poison, i64 %first, i64 0
    %firsts = shufflevector <4 x i64> %f, <4 x i64> poison, <4 x i32> zeroinitializer
    %shifted = getelementptr float, ptr %a, <4 x i64> %firsts
    %far = getelementptr i8, <4 x ptr> %shifted, <4 x i64> <i64 4, i64 1048576, i64 8, i64 -1048576>
    %y = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> align 4 %far,
           <4 x i1> <i1 true, i1 false, i1 true, i1 false>,
           <4 x float> <float 1.0, float 2.0, float 3.0, float 4.0>)
    %second = getelementptr float, ptr %out, i64 4
    store <4 x float> %y, ptr %second
    %distances = load <4 x i64>, ptr %unknown
    %places = getelementptr float, ptr %a, <4 x i64> %distances
    %z = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> align 4 %places,
           <4 x i1> splat (i1 true), <4 x float> poison)
    %third = getelementptr float, ptr %out, i64 8
    store <4 x float> %z, ptr %third
    ret void
  })";

void check(const char *cpu, unsigned left) {
  auto bytes = buildObject(Text, cpu, [&](Module &module, TargetMachine &machine) {
    runPass<ScalarizeGathers>(module, machine);
    unsigned gathers = 0;
    for (Instruction &instruction : instructions(*module.getFunction("run")))
      if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
        gathers += call->getIntrinsicID() == Intrinsic::masked_gather;
    EXPECT_EQ(gathers, left) << cpu;
  });
  ASSERT_TRUE(bool(bytes)) << toString(bytes.takeError());
  LoadedObject object(*bytes);
  Run *run = object.symbol<Run>("heddle_kernel");
  ASSERT_TRUE(run);
  auto *page = static_cast<float *>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  for (int i = 0; i < 1024; ++i)
    page[i] = float(i) * 3;
  const float *a = page + 100;
  alignas(64) int64_t unknown[] = {7, -9, 0, 11};
  for (int64_t first : {0, 5, -3}) {
    alignas(64) float out[12];
    (*run)(a, first, unknown, out);
    const float expected[] = {
        a[first], a[6 + first], a[-4 + first], a[10 + first], a[first + 1], 2, a[first + 2],
        4,        a[7],         a[-9],         a[0],          a[11]};
    for (int i = 0; i < 12; ++i)
      EXPECT_EQ(out[i], expected[i]) << cpu << ", first " << first << ", element " << i;
  }
  munmap(page, 4096);
}

/// Whether a gather from `addresses` under `mask` stays one.
bool isLeft(const std::string &addresses, const std::string &mask) {
  std::string text = R"(
  @heddle_kernel = constant ptr @run
  define internal void @run(ptr %a, <4 x i64> %unknown, <4 x ptr> %pointers, <4 x i1> %mask, ptr %out) {
    %columns = getelementptr float, ADDRESSES
    %x = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> align 4 %columns,
           <4 x i1> MASK, <4 x float> poison)
    store <4 x float> %x, ptr %out
    ret void
  })";
  text = filledIn(text, {{"ADDRESSES", addresses}, {"MASK", mask}});
  bool isLeft = false;
  auto bytes = buildObject(text, "x86-64", [&](Module &module, TargetMachine &machine) {
    runPass<ScalarizeGathers>(module, machine);
    for (Instruction &instruction : instructions(*module.getFunction("run")))
      isLeft |= isa<IntrinsicInst>(instruction);
  });
  EXPECT_TRUE(bool(bytes)) << toString(bytes.takeError());
  return isLeft;
}

/// Lanes close to each other in memory of which so many bytes are the program's, one of them `last`
/// places behind the first one; two may be idle.
void runInWindow(unsigned bytes, int last, const std::string &mask, unsigned lanesOfLoad) {
  std::string text = R"(
  @heddle_kernel = constant ptr @run
  define internal void @run(ptr noundef dereferenceable(BYTES) %frame, ptr %out) {
    %start = getelementptr i8, ptr %frame, i64 4
    %places = getelementptr float, ptr %start,
                <8 x i64> <i64 2, i64 6, i64 8, i64 LAST, i64 2, i64 3, i64 8, i64 0>
    %x = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %places,
           <8 x i1> MASK, <8 x float> splat (float 5.0))
    store <8 x float> %x, ptr %out, align 4
    ret void
  })";
  text = filledIn(
      text, {{"BYTES", std::to_string(bytes)}, {"LAST", std::to_string(last)}, {"MASK", mask}});
  auto object = buildObject(text, "x86-64", [&](Module &module, TargetMachine &machine) {
    runPass<ScalarizeGathers>(module, machine);
    for (Instruction &instruction : instructions(*module.getFunction("run"))) {
      EXPECT_FALSE(isa<IntrinsicInst>(instruction));
      if (isa<LoadInst>(instruction)) {
        auto *vector = dyn_cast<FixedVectorType>(instruction.getType());
        EXPECT_EQ(vector ? vector->getNumElements() : 1, lanesOfLoad) << bytes;
      }
    }
  });
  ASSERT_TRUE(bool(object)) << toString(object.takeError());
  LoadedObject loaded(*object);
  auto *run = loaded.symbol<void (*)(const float *, float *)>("heddle_kernel");
  ASSERT_TRUE(run);
  float frame[16], out[8];
  for (int i = 0; i < 16; ++i)
    frame[i] = float(i) * 3;
  (*run)(frame, out);
  const int places[] = {3, 7, 9, last + 1, 3, 4, 9, 1};
  bool someIdle = StringRef(mask).starts_with("<i1 0, i1 0");
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(out[i], someIdle && i < 2 ? 5 : frame[places[i]]) << bytes << ", lane " << i;
}

#ifdef __x86_64__
TEST(ScalarizeGathers, ReadsAllOfASmallVariable) {
  runInWindow(64, 13, "splat (i1 true)", 16);
  runInWindow(64, 10, "<i1 0, i1 0, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1>", 12);
}

TEST(ScalarizeGathers, ReadsFewElementsOneByOne) {
  runInWindow(64, 13, "<i1 0, i1 0, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1>", 1);
}

// LEGAL scalarize-gathers: window
TEST(ScalarizeGathers, ReadsNothingBesideAVariable) { runInWindow(63, 13, "splat (i1 true)", 1); }

const char *const Column = "ptr %a, <4 x i64> <i64 0, i64 3, i64 -2, i64 5>";

// LEGAL scalarize-gathers: known mask
TEST(ScalarizeGathers, LeavesLanesThatMayBeIdle) {
  EXPECT_FALSE(isLeft(Column, "splat (i1 true)"));
  EXPECT_TRUE(isLeft(Column, "%mask"));
}

// LEGAL scalarize-gathers: distances
TEST(ScalarizeGathers, LeavesLanesThatLieAnywhere) {
  EXPECT_TRUE(isLeft("ptr %a, <4 x i64> %unknown", "splat (i1 true)"));
  EXPECT_TRUE(
      isLeft("<4 x ptr> %pointers, <4 x i64> <i64 0, i64 3, i64 -2, i64 5>", "splat (i1 true)"));
}

TEST(ScalarizeGathers, OneByOneWithoutGathers) { check("x86-64", 1); }

TEST(ScalarizeGathers, OneByOneWhereGathersAreSlow) {
  if (!__builtin_cpu_supports("avx512vl"))
    GTEST_SKIP() << "this CPU has no AVX-512";
  check("x86-64-v4", 3);
  if (__builtin_cpu_is("znver4") || __builtin_cpu_is("znver5"))
    check("znver4", 1);
}
#endif

} // namespace
} // namespace heddle::jit
