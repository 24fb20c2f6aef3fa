// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that carries two masks which change places, compiled for machines without and with mask
// registers, and run.
#include "jit/vector/legalize_masks.h"

#include "jit/test_module.h"
#include "jit/test_object.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#include <gtest/gtest.h>

#include <random>

namespace heddle::jit {
namespace {

using namespace llvm;

/// void run(rounds, in a, in b, out): out = the a after so many rounds of a, b = b & m, a | ~b.
using Run = void (*)(int64_t, const uint64_t *, const uint64_t *, uint64_t *);

constexpr const char *Text = R"(
  @heddle_kernel = constant ptr @run
  define internal void @run(i64 %rounds, ptr %first, ptr %second, ptr %out) {
  entry:
    %x = load i64, ptr %first
    %y = load i64, ptr %second
    %m = bitcast i64 %x to <64 x i1>
    %n = bitcast i64 %y to <64 x i1>
    %isNone = icmp eq i64 %rounds, 0
    br i1 %isNone, label %end, label %loop
  loop:
    %i = phi i64 [0, %entry], [%next, %back]
    %a = phi <64 x i1> [%m, %entry], [%c, %back]
    %b = phi <64 x i1> [splat (i1 true), %entry], [%d, %back]
    %c = and <64 x i1> %b, %n
    %odd = trunc i64 %i to i1
    br i1 %odd, label %other, label %back
  other:
    %not = xor <64 x i1> %b, splat (i1 true)
    %or = or <64 x i1> %a, %not
    br label %back
  back:
    %d = phi <64 x i1> [%a, %loop], [%or, %other]
    %next = add i64 %i, 1
    %more = icmp ult i64 %next, %rounds
    br i1 %more, label %loop, label %end
  end:
    %last = phi <64 x i1> [%m, %entry], [%c, %back]
    %both = xor <64 x i1> %last, %n
    %bits = bitcast <64 x i1> %both to i64
    store i64 %bits, ptr %out
    ret void
  })";

uint64_t expected(int64_t rounds, uint64_t m, uint64_t n) {
  uint64_t a = m, b = ~uint64_t(0);
  for (int64_t i = 0; i < rounds; ++i) {
    uint64_t c = b & n, d = i % 2 ? a | ~b : a;
    a = c;
    b = d;
  }
  return a ^ n;
}

/// Masks that one block computes and another uses.
unsigned crossing(const Module &module) {
  unsigned count = 0;
  for (const Function &function : module)
    for (const Instruction &mask : instructions(function))
      count +=
          mask.getType()->isIntOrIntVectorTy(1) && mask.getType()->isVectorTy() &&
          any_of(mask.users(), [&](const User *user) {
            return isa<PHINode>(user) || cast<Instruction>(user)->getParent() != mask.getParent();
          });
  return count;
}

void check(const char *cpu, bool isCarriedAsBytes) {
  auto bytes = buildObject(Text, cpu, [&](Module &module, TargetMachine &machine) {
    unsigned before = crossing(module);
    runPass<LegalizeMasks>(module, machine);
    EXPECT_EQ(crossing(module), isCarriedAsBytes ? 0 : before);
  });
  ASSERT_TRUE(bool(bytes)) << toString(bytes.takeError());
  LoadedObject object(*bytes);
  Run *run = object.symbol<Run>("heddle_kernel");
  ASSERT_TRUE(run);
  std::mt19937_64 random(1);
  for (int64_t rounds = 0; rounds < 7; ++rounds) {
    uint64_t m = random(), n = random() | random(), got = 0;
    (*run)(rounds, &m, &n, &got);
    EXPECT_EQ(got, expected(rounds, m, n)) << rounds << " rounds, " << cpu;
  }
}

#ifdef __x86_64__
TEST(LegalizeMasks, AsBytesWithoutMaskRegisters) {
  check("x86-64", true);
  if (__builtin_cpu_supports("avx2"))
    check("x86-64-v3", true);
}

TEST(LegalizeMasks, StayMasksWhereThereAreRegisters) {
  if (!__builtin_cpu_supports("avx512bw"))
    GTEST_SKIP() << "this CPU has no AVX-512";
  check("x86-64-v4", false);
}
#endif

} // namespace
} // namespace heddle::jit
