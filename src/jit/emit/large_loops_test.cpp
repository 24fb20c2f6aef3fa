// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/emit/large_loops.h"

#include "jit/test_module.h"

#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

namespace heddle::jit {
namespace {

using namespace llvm;

/// Two rounds of a loop of so many additions.
std::string loopOf(unsigned additions) {
  std::string text = R"(
    define double @sum(double %x) {
      br label %loop
    loop:
      %i = phi i32 [ 0, %0 ], [ %next, %loop ]
      %s0 = phi double [ 0.0, %0 ], [ %last, %loop ]
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

std::string unrolled(unsigned additions) {
  LLVMContext context;
  auto module = moduleAfter(
      context, loopOf(additions), "x86-64-v3",
      [](Module &module, TargetMachine &machine) { runPass<UnrollSmallLoops>(module, machine); });
  std::string text;
  raw_string_ostream(text) << *module;
  return text;
}

TEST(LargeLoops, SmallOnesAreUnrolled) { EXPECT_EQ(count(unrolled(10), "fadd"), 20u); }

TEST(LargeLoops, LargeOnesStayAsTheyAre) {
  std::string text = unrolled(1100);
  EXPECT_EQ(count(text, "fadd"), 1100u);
  EXPECT_EQ(count(text, "llvm.loop.mustprogress"), 1u);
  EXPECT_EQ(count(text, "llvm.loop.unroll"), 0u);
}

} // namespace
} // namespace heddle::jit
