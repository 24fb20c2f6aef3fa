// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/load/simplify_powers.h"

#include "jit/test_names.h"

#include <gtest/gtest.h>

namespace heddle::jit {
namespace {

/// What `function`(base, exponent) becomes.
std::string lowered(const std::string &function, const std::string &base,
                    const std::string &exponent) {
  std::string type = function == "__nv_pow" ? "double" : "float";
  return namesAfter(simplifyPowers, "declare " + type + " @" + function + "(" + type + ", " + type +
                                        ")\ndefine " + type + " @run(" + type + " %x, " + type +
                                        " %y) {\n  %p = call " + type + " @" + function + "(" +
                                        type + " " + base + ", " + type + " " + exponent +
                                        ")\n  ret " + type + " %p\n}\n");
}

TEST(SimplifyPowers, ProductsAndRoots) {
  EXPECT_EQ(lowered("__nv_powf", "%x", "1.0"), "");
  EXPECT_EQ(lowered("__nv_powf", "%x", "2.0"), "fmul ");
  EXPECT_EQ(lowered("__nv_pow", "%x", "2.0"), "fmul ");
  EXPECT_EQ(lowered("__nv_fast_powf", "%x", "2.0"), "fmul ");
  EXPECT_EQ(lowered("__nv_pow", "%x", "3.0"), "fmul fmul ");
  EXPECT_EQ(lowered("__nv_powf", "%x", "4.0"), "fmul fmul ");
  EXPECT_EQ(lowered("__nv_pow", "%x", "-1.0"), "fdiv ");
  EXPECT_EQ(lowered("__nv_powf", "%x", "0.5"), "llvm.sqrt.f32 fcmp fadd select ");
}

TEST(SimplifyPowers, Exponentials) {
  EXPECT_EQ(lowered("__nv_powf", "2.0", "%y"), "__nv_exp2f ");
  EXPECT_EQ(lowered("__nv_pow", "2.0", "%y"), "__nv_exp2 ");
  EXPECT_EQ(lowered("__nv_pow", "10.0", "%y"), "__nv_exp10 ");
}

// LEGAL simplify-powers: exponent
// LEGAL simplify-powers: base
TEST(SimplifyPowers, NotOthers) {
  for (const char *exponent : {"%y", "5.0", "-2.0", "2.5", "0x7FF0000000000000"})
    EXPECT_EQ(lowered("__nv_powf", "%x", exponent), "__nv_powf ") << exponent;
  EXPECT_EQ(lowered("__nv_pow", "3.0", "%y"), "__nv_pow ");
}

/// Somebody else may call it with other numbers.
// LEGAL simplify-powers: call
TEST(SimplifyPowers, NotOtherUsesOfTheFunction) {
  std::string text = "declare float @__nv_powf(float, float)\n"
                     "declare float @apply(ptr, float, float)\n"
                     "define float @run(float %x, ptr %p) {\n"
                     "  store ptr @__nv_powf, ptr %p\n"
                     "  %r = call float @apply(ptr @__nv_powf, float %x, float 2.0)\n"
                     "  ret float %r\n}\n";
  EXPECT_EQ(namesAfter(simplifyPowers, text), "store apply ");
}

} // namespace
} // namespace heddle::jit
