// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/load/fast_functions.h"

#include "jit/test_names.h"

#include <gtest/gtest.h>

namespace heddle::jit {
namespace {

/// What a thread's code becomes.
std::string chosen(const std::string &code) {
  return namesAfter(chooseFastFunctions,
                    "declare float @__nv_sqrtf(float) memory(none) nounwind willreturn\n"
                    "declare float @__nv_expf(float)\n"
                    "declare float @__nv_fast_fdividef(float, float)\n"
                    "define float @run(float %x, float %y, double %z) {\n" +
                        code + "}\n");
}

TEST(FastFunctions, Divisions) {
  EXPECT_EQ(chosen("%q = fdiv float %x, %y\n ret float %q\n"), "__nv_fast_divide ");
  EXPECT_EQ(chosen("%q = fdiv contract float 1.0, %y\n ret float %q\n"), "__nv_fast_divide ");
  EXPECT_EQ(chosen("%q = fdiv float %x, 3.0\n ret float %q\n"), "fmul ");
  EXPECT_EQ(
      chosen("%r = call float @__nv_sqrtf(float %y)\n %q = fdiv float %x, %r\n ret float %q\n"),
      "__nv_rsqrtf fmul ");
  EXPECT_EQ(chosen("%q = call float @__nv_fast_fdividef(float %x, float %y)\n ret float %q\n"),
            "__nv_fast_divide ");
}

TEST(FastFunctions, LeavesOtherDivisions) {
  EXPECT_EQ(chosen("%q = fdiv fast float %x, %y\n ret float %q\n"), "fdiv ");
  EXPECT_EQ(chosen("%q = fdiv double %z, %z\n %f = fptrunc double %q to float\n ret float %f\n"),
            "fdiv fptrunc ");
  // 1 / 0 and what would be denormal are no factors.
  EXPECT_EQ(chosen("%q = fdiv float %x, 0.0\n ret float %q\n"), "__nv_fast_divide ");
  EXPECT_EQ(chosen("%q = fdiv float %x, 0x47E8000000000000\n ret float %q\n"), "__nv_fast_divide ");
}

TEST(FastFunctions, Exponentials) {
  EXPECT_EQ(chosen("%e = call float @__nv_expf(float %x)\n ret float %e\n"), "__nv_fast_expf ");
}

} // namespace
} // namespace heddle::jit
