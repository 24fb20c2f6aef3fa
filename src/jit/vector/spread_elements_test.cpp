// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of vectors, each in a register of its own: the values stay, and which take the way
// through memory.
#include "jit/vector/spread_elements.h"

#include "base/kernel_abi.h"
#include "jit/test_module.h"
#include "jit/test_object.h"

#include "llvm/IR/InstIterator.h"

#include <gtest/gtest.h>

namespace heddle::jit {
namespace {

using namespace llvm;

using Run = void (*)(const float *, const float *, float *);

std::string mask(unsigned element) {
  std::string lanes;
  for (unsigned i = 0; i < 16; ++i)
    lanes += (i ? ", i32 " : "i32 ") + std::to_string(element);
  return "<" + lanes + ">";
}

/// void run(a, b, out): 3 turns of out[k] = a * element k of (b + turn), for `elements`.
std::string spreadText(ArrayRef<unsigned> elements) {
  std::string text = "@heddle_kernel = constant ptr @run\n"
                     "define internal void @run(ptr %a, ptr %b, ptr %out) {\n"
                     "entry:\n"
                     "  %x = load <16 x float>, ptr %a, align 4\n"
                     "  %y = load <16 x float>, ptr %b, align 4\n"
                     "  br label %turn\n"
                     "turn:\n"
                     "  %v = phi <16 x float> [ %y, %entry ], [ %w, %turn ]\n"
                     "  %n = phi i32 [ 0, %entry ], [ %next, %turn ]\n"
                     "  %w = fadd <16 x float> %v, splat (float 1.0)\n";
  for (unsigned element : elements) {
    std::string k = std::to_string(element);
    text += "  %s" + k + " = shufflevector <16 x float> %w, <16 x float> poison, <16 x i32> " +
            mask(element) + "\n  %p" + k + " = fmul <16 x float> %x, %s" + k + "\n  %o" + k +
            " = getelementptr <16 x float>, ptr %out, i64 " + k + "\n  store <16 x float> %p" + k +
            ", ptr %o" + k + ", align 4\n";
  }
  return text + "  %next = add i32 %n, 1\n"
                "  %goes = icmp ult i32 %next, 3\n"
                "  br i1 %goes, label %turn, label %end\n"
                "end:\n"
                "  ret void\n}\n";
}

/// Loads of single elements after the pass.
unsigned check(ArrayRef<unsigned> elements, const char *cpu, bool runs) {
  unsigned loads = 0;
  LoadedObject object(
      cantFail(buildObject(spreadText(elements), cpu, [&](Module &module, TargetMachine &machine) {
        runPass<SpreadElements>(module, machine);
        for (Function &function : module)
          for (Instruction &instruction : instructions(function))
            loads += isa<LoadInst>(instruction) && !instruction.getType()->isVectorTy();
      })));
  if (!runs)
    return loads;
  float a[16], b[16], out[256] = {};
  for (int i = 0; i < 16; ++i)
    a[i] = float(i + 2), b[i] = float(3 * i - 7);
  (*object.symbol<Run>(KernelSymbol))(a, b, out);
  for (unsigned element : elements)
    for (int i = 0; i < 16; ++i)
      EXPECT_EQ(out[element * 16 + i], a[i] * (b[element] + 3)) << element << ", " << i;
  return loads;
}

TEST(SpreadElements, GoThroughMemory) {
  EXPECT_EQ(check({1, 2, 5, 15}, "x86-64-v4", /*runs=*/false), 4u);
  check({0, 1, 2, 5, 7, 15}, nullptr, /*runs=*/true);
}

TEST(SpreadElements, FewStayInRegisters) {
  EXPECT_EQ(check({1, 2, 15}, "x86-64-v4", /*runs=*/false), 0u);
}

TEST(SpreadElements, RegistersOfOneLaneKind) { // whose arithmetic has no such operands
  EXPECT_EQ(check({1, 2, 5, 15}, "x86-64-v3", /*runs=*/false), 0u);
}

} // namespace
} // namespace heddle::jit
