// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/emit/large_loops.h"

#include "jit/test_module.h"

#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

namespace heddle::jit {
namespace {

using namespace llvm;

/// Two rounds of a loop of so many additions, behind some multiplications.
std::string loopOf(unsigned additions, unsigned multiplications = 0) {
  std::string text = "define double @sum(double %x) {\nentry:\n%p0 = fadd double %x, 1.0\n";
  for (unsigned i = 0; i < multiplications; ++i)
    text += "%p" + std::to_string(i + 1) + " = fmul double %p" + std::to_string(i) + ", %x\n";
  text += R"(
      br label %loop
    loop:
      %i = phi i32 [ 0, %entry ], [ %next, %loop ]
      %s0 = phi double [ %p)" +
          std::to_string(multiplications) + R"(, %entry ], [ %last, %loop ]
)";
  for (unsigned i = 0; i + 1 < additions; ++i)
    text += "%s" + std::to_string(i + 1) + " = fadd double %s" + std::to_string(i) + ", %x\n";
  text += "%last = fadd double %s" + std::to_string(additions - 1) + ", %x\n";
  return text + R"(
      %next = add i32 %i, 1
      %more = icmp ult i32 %next, 2
      br i1 %more, label %loop, label %done, !llvm.loop !0
    done:
      ret double %last
    }
    !0 = distinct !{!0, !1}
    !1 = !{!"llvm.loop.mustprogress"}
  )";
}

std::string unrolled(unsigned additions, unsigned multiplications = 0) {
  LLVMContext context;
  auto module = moduleAfter(
      context, loopOf(additions, multiplications), "x86-64-v3",
      [](Module &module, TargetMachine &machine) { runPass<UnrollSmallLoops>(module, machine); });
  std::string text;
  raw_string_ostream(text) << *module;
  return text;
}

TEST(LargeLoops, SmallOnesAreUnrolled) { EXPECT_EQ(count(unrolled(10), "fadd"), 21u); }

TEST(LargeLoops, LargeOnesStayAsTheyAre) {
  std::string text = unrolled(1100);
  EXPECT_EQ(count(text, "fadd"), 1101u);
  EXPECT_EQ(count(text, "llvm.loop.mustprogress"), 1u);
  EXPECT_EQ(count(text, "llvm.loop.unroll"), 0u);
}

TEST(LargeLoops, LargeFunctionsGrowNoMore) {
  EXPECT_EQ(count(unrolled(10, 15'000), "fadd"), 21u);
  EXPECT_EQ(count(unrolled(10, 16'000), "fadd"), 11u);
}

} // namespace
} // namespace heddle::jit
