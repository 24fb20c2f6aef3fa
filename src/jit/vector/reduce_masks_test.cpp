// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks of 64 lanes out of three vectors and of 32 out of one, asked for any and all lanes in both
// ways, for machines without and with mask registers.
#include "jit/vector/reduce_masks.h"

#include "jit/test_module.h"
#include "jit/test_object.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace heddle::jit {
namespace {

using namespace llvm;

/// The answers to eight questions as bits of a number, for the lanes of `in` that are negative.
using Run = int32_t (*)(const int32_t *);

constexpr const char *Text = R"(
  @heddle_kernel = constant ptr @run
  define internal i32 @run(ptr %in) {
    %a = load <16 x i32>, ptr %in, align 4
    %second = getelementptr i8, ptr %in, i64 64
    %b = load <16 x i32>, ptr %second, align 4
    %third = getelementptr i8, ptr %in, i64 128
    %c = load <32 x i32>, ptr %third, align 4
    %m = icmp slt <16 x i32> %a, zeroinitializer
    %n = icmp slt <16 x i32> %b, zeroinitializer
    %o = icmp slt <32 x i32> %c, zeroinitializer
    %mn = shufflevector <16 x i1> %m, <16 x i1> %n, <32 x i32> <LANES32>
    %all = shufflevector <32 x i1> %mn, <32 x i1> %o, <64 x i32> <LANES64>
    %bits = bitcast <64 x i1> %all to i64
    %half = bitcast <32 x i1> %o to i32
    %q0 = icmp eq i64 %bits, 0
    %q1 = icmp ne i64 %bits, 0
    %q2 = icmp eq i64 %bits, -1
    %q3 = icmp ne i64 %bits, -1
    %q4 = icmp eq i32 %half, 0
    %q5 = icmp ne i32 %half, 0
    %q6 = icmp eq i32 %half, -1
    %q7 = icmp ne i32 %half, -1
    %v0 = insertelement <8 x i1> poison, i1 %q0, i32 0
    %v1 = insertelement <8 x i1> %v0, i1 %q1, i32 1
    %v2 = insertelement <8 x i1> %v1, i1 %q2, i32 2
    %v3 = insertelement <8 x i1> %v2, i1 %q3, i32 3
    %v4 = insertelement <8 x i1> %v3, i1 %q4, i32 4
    %v5 = insertelement <8 x i1> %v4, i1 %q5, i32 5
    %v6 = insertelement <8 x i1> %v5, i1 %q6, i32 6
    %v7 = insertelement <8 x i1> %v6, i1 %q7, i32 7
    %byte = bitcast <8 x i1> %v7 to i8
    %answer = zext i8 %byte to i32
    ret i32 %answer
  })";

std::string lanes(unsigned count) {
  std::string text;
  for (unsigned lane = 0; lane < count; ++lane)
    text += (lane ? ", i32 " : "i32 ") + std::to_string(lane);
  return text;
}

int32_t expected(const int32_t *in) {
  auto answers = [](const int32_t *first, const int32_t *end) {
    bool any = std::any_of(first, end, [](int32_t i) { return i < 0; });
    bool all = std::all_of(first, end, [](int32_t i) { return i < 0; });
    return int32_t(!any) | any << 1 | all << 2 | int32_t(!all) << 3;
  };
  return answers(in, in + 64) | answers(in + 32, in + 64) << 4;
}

void check(const char *cpu) {
  std::string text = filledIn(Text, {{"LANES32", lanes(32)}, {"LANES64", lanes(64)}});
  auto bytes = buildObject(text, cpu, [&](Module &module, TargetMachine &machine) {
    runPass<ReduceMasks>(module, machine);
    Function &function = *module.getFunction("run");
    EXPECT_EQ(
        count_if(instructions(function), [](const Instruction &i) { return isa<ICmpInst>(i); }), 3);
  });
  ASSERT_TRUE(bool(bytes)) << toString(bytes.takeError());
  LoadedObject object(*bytes);
  Run *run = object.symbol<Run>("heddle_kernel");
  ASSERT_TRUE(run);
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    int32_t in[64], usual = round % 2 ? -1 : 0;
    std::fill(in, in + 64, usual);
    for (int other = round % 3; other > 0; --other)
      in[random() % 64] = ~usual;
    EXPECT_EQ((*run)(in), expected(in)) << cpu;
  }
}

#ifdef __x86_64__
TEST(ReduceMasks, WithoutMaskRegisters) {
  check("x86-64");
  if (__builtin_cpu_supports("avx2"))
    check("x86-64-v3");
}

TEST(ReduceMasks, WithMaskRegisters) {
  if (!__builtin_cpu_supports("avx512bw"))
    GTEST_SKIP() << "this CPU has no AVX-512";
  check("x86-64-v4");
}
#endif

} // namespace
} // namespace heddle::jit
