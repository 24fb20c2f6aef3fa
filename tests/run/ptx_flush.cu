// RUN: %heddle cc %s -o %t -lcuda
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .ftz in modules where all instructions of floats have it, which the processor's mode does, and in one where some have.
#include "ptx_module.h"

static std::string kernel(const std::string &code) {
  return ".visible .entry k(.param .u64 p) {" + ptxElement + "\t.reg .f32 f, g, h; .reg .pred q; .reg .f64 d;\n\tmov.b32 f, %v;\n" + code +
         "\tst.global.f32 [%a], f;\n\tret;\n}\n";
}

static void check(const char *what, const std::string &code, const std::vector<int> &want) {
  const std::vector<int> given = {0x00000001, int(0x807fffff), 0x00800000, 0x3f800000, int(0x80000000), 0x7f800000};
  expectAll(what, runPtx(loadPtx(kernel(code)), "k", given), want);
}

int main() {
  CUDA_OK(cudaFree(nullptr));
  const int least = 0x00800000, one = 0x3f800000, minusZero = int(0x80000000), infinity = 0x7f800000;
  check("a product", "mul.ftz.f32 f, f, 0f3f800000;", {0, minusZero, least, one, minusZero, infinity});
  check("a small product", "mul.ftz.f32 f, f, 0f3f000000;", {0, minusZero, 0, 0x3f000000, minusZero, infinity});
  check("a sign", "mul.ftz.f32 g, f, f; neg.ftz.f32 f, f;", {minusZero, 0, int(0x80800000), int(0xbf800000), 0, int(0xff800000)});
  check("of a result", "mul.ftz.f32 f, f, 0f3f000000; abs.ftz.f32 f, f;", {0, 0, 0, 0x3f000000, 0, infinity});
  check("a comparison", "mul.ftz.f32 g, f, f; setp.gt.ftz.f32 q, f, 0f00000000; selp.f32 f, 0f3f800000, 0f00000000, q;",
        {0, 0, one, one, 0, one});
  check("with doubles", "mul.ftz.f32 f, f, 0f3f800000; mov.b64 d, 1; add.f64 d, d, d; mov.b64 {%v, %t}, d; mov.b32 g, %v; mul.ftz.f32 g, g, 0f3f800000; "
                        "add.ftz.f32 f, f, g;",
        {0, 0, least, one, 0, infinity});
  check("not all", "mul.ftz.f32 g, f, 0f3f800000; add.f32 f, f, g;", {1, int(0x807fffff), 0x01000000, 0x40000000, minusZero, infinity});
  return finish();
}
