// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang's builtins for C's math functions in device code give what the device's functions give, but for the
// last digits where clang makes something simpler of them.
#include "support.h"

__global__ void compare(const float *in, double *differences, int count) {
  const int i = int(threadInGrid());
  if (i >= count)
    return;
  const float x = in[i];
  const double y = x;
  int left = 0, right = 0;
  double sum = 0;
  auto same = [&](double a, double b) { sum += fabs(a - b) <= 5e-7 * fabs(b) ? 0 : 1; };
  same(__builtin_log1pf(x), log1pf(x));
  same(__builtin_log1p(y), log1p(y));
  same(__builtin_expm1f(x), expm1f(x));
  same(__builtin_sinf(x), sinf(x));
  same(__builtin_cos(y), cos(y));
  same(__builtin_exp2f(x), exp2f(x));
  same(__builtin_pow(y, 1.5), pow(y, 1.5));
  same(__builtin_cbrtf(x), cbrtf(x));
  same(__builtin_hypot(y, 3.0), hypot(y, 3.0));
  same(__builtin_erff(x), erff(x));
  same(__builtin_tgamma(y), tgamma(y));
  same(__builtin_lgammaf(x), lgammaf(x));
  same(__builtin_atan2f(x, 2.0f), atan2f(x, 2.0f));
  same(__builtin_fmod(y, 0.3), fmod(y, 0.3));
  same(__builtin_remquof(x, 0.3f, &left), remquof(x, 0.3f, &right));
  same(left, right);
  same(__builtin_frexp(y, &left), frexp(y, &right));
  same(left, right);
  same(__builtin_ldexpf(x, 3), ldexpf(x, 3));
  same(__builtin_nearbyintf(x), nearbyintf(x));
  same(double(__builtin_lround(y)), double(lround(y)));
  same(double(__builtin_llrintf(x)), double(llrintf(x)));
  same(__builtin_ilogbf(x), ilogbf(x));
  same(__builtin_nextafter(y, 9.0), nextafter(y, 9.0));
  differences[i] = sum;
}

int main() {
  Random random(8);
  std::vector<float> in(333);
  for (float &x : in)
    x = float(random.between(0.01, 20));
  Buffer<float> source(in);
  Buffer<double> differences(in.size());
  compare<<<4, 96>>>(source, differences, int(in.size()));
  checkLaunch();
  expectAll("builtins that differ", differences.get(), std::vector<double>(in.size()));
  return finish();
}
