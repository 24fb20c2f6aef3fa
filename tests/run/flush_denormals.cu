// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Denormal floats are kept by default and taken for zero under -ftz=true; denormal doubles are always kept, also in a kernel that computes
// in both (CUDA guide, "nvcc -ftz").
// RUN: %heddle cc %s -o %t && %t
// RUN: %heddle cc -ftz=true -DFLUSHES %s -o %t.ftz && %t.ftz && env HEDDLE_WIDTH=1 %t.ftz && env HEDDLE_WIDTH=8 %t.ftz
#include <cmath>
#include <cstdio>

#ifdef FLUSHES
constexpr bool Flushes = true;
#else
constexpr bool Flushes = false;
#endif

__global__ void floats(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * 0.5f;
}

__global__ void both(const float *in, const double *ind, float *out, double *outd, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float sum = 0;
    for (int k = 0; k < 3; ++k)
      sum += in[i] * 0.25f;
    out[i] = sum;
    outd[i] = ind[i] * 0.5;
  }
}

static float flushed(float x) {
  return Flushes && std::fabs(x) < 1.17549435e-38f ? std::copysign(0.0f, x) : x;
}

int main() {
  const int n = 77;
  float *in, *out;
  double *ind, *outd;
  cudaMallocManaged(&in, n * sizeof(float));
  cudaMallocManaged(&out, n * sizeof(float));
  cudaMallocManaged(&ind, n * sizeof(double));
  cudaMallocManaged(&outd, n * sizeof(double));
  for (int i = 0; i < n; ++i) {
    in[i] = (i % 2 ? -1.0f : 1.0f) * std::ldexp(1.0f + i / 100.0f, -130 + i % 10);
    ind[i] = std::ldexp(1.0 + i / 100.0, -1026 + i % 8);
  }
  int bad = 0;
  floats<<<3, 32>>>(in, out, n);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i)
    if (out[i] != flushed(flushed(in[i]) * 0.5f) && ++bad < 5)
      printf("float %d: %g\n", i, out[i]);
  both<<<3, 32>>>(in, ind, out, outd, n);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int k = 0; k < 3; ++k)
      sum = flushed(std::fma(flushed(in[i]), 0.25f, sum));
    if ((out[i] != sum || outd[i] != ind[i] * 0.5) && ++bad < 10)
      printf("both %d: %g instead of %g, %g instead of %g\n", i, out[i], sum, outd[i], ind[i] * 0.5);
  }
  printf("%s\n", bad ? "FAILED" : "ok");
  return bad != 0;
}
