// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's math functions give the same on the device and on the host, within a few ulps: for lanes
// of a warp (vector functions) and for uniform arguments (scalar ones). Accuracy itself is the
// matter of devlib_accuracy_test. RUN: %heddle run %s
#include <cmath>
#include <cstdio>

// clang-format off
#define FUNCTIONS(F) \
  F(sin, x) F(cos, x) F(tan, x) F(asin, u) F(acos, u) F(atan, x) F(sinh, x) F(cosh, x) F(tanh, x) F(asinh, x) \
  F(acosh, x + 1) F(atanh, u) F(exp, x) F(exp2, x) F(exp10, x) F(expm1, x) F(log, x) F(log2, x) F(log10, x) \
  F(log1p, x) F(sqrt, x) F(rsqrt, x) F(cbrt, x) F(rcbrt, x) F(erf, x) F(erfc, x) F(erfinv, u) F(erfcinv, u) \
  F(erfcx, x) F(normcdf, -x) F(normcdfinv, u) F(tgamma, x) F(lgamma, x) F(sinpi, x) F(cospi, x) F(j0, u) F(j1, x / 9) \
  F(y0, u / 3) F(y1, u) F(cyl_bessel_i0, x) F(cyl_bessel_i1, x) F(floor, x) F(ceil, x) F(trunc, x) F(round, x) \
  F(rint, x) F(fabs, -x) F(logb, x)
#define PAIRS(F) F(pow) F(atan2) F(hypot) F(fmod) F(remainder) F(fmax) F(fmin) F(fdim) F(copysign) F(rhypot) F(nextafter)
// clang-format on

enum {
#define F(name, argument) Id_##name,
  FUNCTIONS(F)
#undef F
#define F(name) Id_##name,
      PAIRS(F)
#undef F
          Count
};

/// Function `id` of double x in [0.1, 9]; the arguments are exact, so that contraction does not
/// matter, u = x / 10; and the same in float.
__host__ __device__ double inDouble(int id, double x) {
  double u = x / 10;
  switch (id) {
#define F(name, argument)                                                                          \
  case Id_##name:                                                                                  \
    return name(argument);
    FUNCTIONS(F)
#undef F
#define F(name)                                                                                    \
  case Id_##name:                                                                                  \
    return name(x, 1.7);
    PAIRS(F)
#undef F
  }
  return u;
}
__host__ __device__ float inFloat(int id, float x) {
  float u = x / 10;
  switch (id) {
#define F(name, argument)                                                                          \
  case Id_##name:                                                                                  \
    return name##f(argument);
    FUNCTIONS(F)
#undef F
#define F(name)                                                                                    \
  case Id_##name:                                                                                  \
    return name##f(x, 1.7f);
    PAIRS(F)
#undef F
  }
  return u;
}
__host__ __device__ double argument(int i) { return 0.125 + 0.171875 * (i % 50); }

__global__ void run(double *d, float *f, double *uniform) {
  int i = threadIdx.x;
  double x = argument(i);
  for (int id = 0; id < Count; id++) {
    d[id * 64 + i] = inDouble(id, x);
    f[id * 64 + i] = inFloat(id, (float)x);
    uniform[id * 64 + i] = inDouble(id, argument(blockIdx.x + 7));
  }
}

bool close(double a, double b, double epsilon) {
  return fabs(a - b) <= 16 * epsilon * fabs(b) || (a != a && b != b);
}

int main() {
  double *d, *uniform;
  float *f;
  cudaMallocManaged(&d, Count * 64 * sizeof(double));
  cudaMallocManaged(&uniform, Count * 64 * sizeof(double));
  cudaMallocManaged(&f, Count * 64 * sizeof(float));
  run<<<1, 64>>>(d, f, uniform);
  int bad = cudaDeviceSynchronize() != cudaSuccess;
  for (int id = 0; id < Count; id++)
    for (int i = 0; i < 64; i++) {
      double x = argument(i), expected = inDouble(id, x), expectedFloat = inFloat(id, (float)x);
      bool ok = close(d[id * 64 + i], expected, 2.3e-16) &&
                close(f[id * 64 + i], expectedFloat, 1.2e-7) &&
                close(uniform[id * 64 + i], inDouble(id, argument(7)), 2.3e-16);
      if (!ok && bad++ < 10)
        printf("function %d at %g: %.17g %.17g, float %.9g %.9g, uniform %.17g\n", id, x,
               d[id * 64 + i], expected, f[id * 64 + i], expectedFloat, uniform[id * 64 + i]);
    }
  printf("%d functions, %d bad\n", (int)Count, bad);
  return bad != 0;
}
