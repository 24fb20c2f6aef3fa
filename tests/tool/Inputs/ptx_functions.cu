// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

#define BOTH(name) y[i] += name(x[i]), z[i] += name##f(w[i]);
#define BOTH2(name) y[i] += name(x[i], y[i]), z[i] += name##f(w[i], z[i]);
extern "C" __global__ void functions(double *y, const double *x, float *z, const float *w,
                                     cudaTextureObject_t texture) {
  int i = threadIdx.x;
  BOTH(sin) BOTH(cos) BOTH(tan) BOTH(asin) BOTH(acos) BOTH(atan) BOTH(sinpi) BOTH(cospi)
  BOTH(sinh) BOTH(cosh) BOTH(tanh) BOTH(asinh) BOTH(acosh) BOTH(atanh)
  BOTH(exp) BOTH(exp2) BOTH(exp10) BOTH(expm1) BOTH(log) BOTH(log2) BOTH(log10) BOTH(log1p)
  BOTH(cbrt) BOTH(erf) BOTH(erfc) BOTH(tgamma) BOTH(lgamma) BOTH(erfcx) BOTH(normcdf) BOTH(j0)
  BOTH2(pow) BOTH2(atan2) BOTH2(hypot) BOTH2(fmod)
  sincos(x[i], &y[i], &y[i + 1]);
  z[i] += tex2D<float>(texture, w[i], z[i]);
  if (i == 0)
    printf("%g\n", y[i]);
}
