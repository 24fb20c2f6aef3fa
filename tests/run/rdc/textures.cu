// RUN: %heddle cc -w -rdc=true -c %s -o %t.main.o
// RUN: %heddle cc -w -dc %S/textures_other.cu_ -x cu -o %t.other.o
// RUN: %heddle cc %t.main.o %t.other.o -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture references across two files: one that both read, and a static one in each, of the same name. So is a static
// variable.
#include "../support.h"

extern texture<float, 1, cudaReadModeElementType> common;
static texture<unsigned char, 1, cudaReadModeNormalizedFloat> own;
static __device__ int number;

__device__ float fromOther(int i);
void bindOther(const float *memory, int n);

__global__ void read(float *out, int n) {
  const int i = threadInGrid();
  if (i < n)
    out[i] = tex1Dfetch(common, i) + 10 * tex1Dfetch(own, i) + 100 * fromOther(i) + number;
}

int main() {
  const int n = 301;
  Random random(4);
  std::vector<float> a(n), b(n);
  std::vector<unsigned char> c(n);
  for (int i = 0; i < n; ++i)
    a[i] = float(random.below(100)), b[i] = float(random.below(100)), c[i] = i % 2 ? 255 : 0;
  Buffer<float> shared(a), other(b), out(n);
  Buffer<unsigned char> bytes(c);
  CUDA_OK(cudaBindTexture(nullptr, common, shared.data, n * sizeof(float)));
  CUDA_OK(cudaBindTexture(nullptr, own, bytes.data, n));
  const int thousands = 1000;
  CUDA_OK(cudaMemcpyToSymbol(number, &thousands, sizeof thousands));
  bindOther(other, n);
  read<<<4, 96>>>(out, n);
  checkLaunch();
  auto got = out.get();
  for (int i = 0; i < n; ++i)
    expect("sum", i, got[i], a[i] + (i % 2 ? 10 : 0) + 100 * (a[i] + b[i] + 2000) + 1000);
  return finish();
}
