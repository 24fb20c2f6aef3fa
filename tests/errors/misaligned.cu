// RUN: %heddle cc -o %t %s
// RUN: %t 0 4 2>&1 | FileCheck %s --check-prefixes=REPORT,WHOLE
// RUN: %t 1 1 2>&1 | FileCheck %s --check-prefixes=REPORT,WHOLE
// RUN: %t 2 2 2>&1 | FileCheck %s --check-prefixes=REPORT,WHOLE
// RUN: %widths %t 3 3 2>&1 | FileCheck %s --check-prefixes=REPORT,ODD
// RUN: %t 4 4 2>&1 | FileCheck %s --check-prefixes=REPORT,LOADED
// RUN: env HEDDLE_WIDTH=16 %t 4 4 2>&1 | FileCheck %s --check-prefixes=REPORT,LOADED
// RUN: %t 5 2 2>&1 | FileCheck %s --check-prefixes=REPORT,SHARED
// RUN: %t 7 1 2>&1 | FileCheck %s --check-prefixes=REPORT,WHOLE
// RUN: %t 8 1 2>&1 | FileCheck %s --check-prefixes=REPORT,WHOLE
// RUN: %t 0 16
// RUN: %t 0 0
// RUN: %t 1 4
// RUN: %t 2 4
// RUN: %t 3 4
// RUN: %t 4 16
// RUN: %t 5 4
// RUN: %widths %t 6 1
// REPORT: misaligned address: 0x{{[0-9a-f]+}} is no multiple of {{4|8|16}} in kernel
// REPORT-NEXT: misaligned.cu:
// WHOLE-NEXT: by thread ({{[0-9]+}},0,0) in block ({{[0-9]+}},0,0)
// ODD-NEXT: by thread (37,0,0) in block (0,0,0)
// LOADED-NEXT: by thread ({{[0-9]+}},0,0) in block ({{[0-9]+}},0,0)
// SHARED-NEXT: by thread (9,0,0) in block (0,0,0)
// REPORT: the host goes on
// REPORT-NOT: got
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and atomics at addresses that are no multiple of their size: a parameter that is, an index that makes
// it so in one thread, a pointer from memory. What is not accessed does not matter.
#include "lost.h"

#include <cstdlib>

__global__ void vectors(float4 *to, const float4 *from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] = from[i];
}
__global__ void words(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] = i;
}
__global__ void counts(int *p) { atomicAdd(p, 1); }
__global__ void rows(float4 *to, const float *from, const int *at) {
  to[threadIdx.x] = *reinterpret_cast<const float4 *>(from + at[threadIdx.x]);
}
struct Table {
  double2 *columns[2];
};
__global__ void loaded(Table table) {
  double2 &v = table.columns[1][threadIdx.x];
  double x = v.x;
  v.x = v.y;
  v.y = x;
}
__global__ void inShared(int *out, int step) {
  __shared__ __align__(16) char bytes[512];
  for (int i = threadIdx.x; i < 512; i += blockDim.x)
    bytes[i] = char(i);
  __syncthreads();
  const char *at = &bytes[threadIdx.x * 4 + (threadIdx.x == 9 ? step : 0)];
  out[threadIdx.x] = *reinterpret_cast<const int *>(at);
}
// Nothing is misaligned where nothing is accessed.
__global__ void never(double *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] = 1;
}

// At a constant distance, of constants.
__global__ void constants(float *p) { *reinterpret_cast<float4 *>(p + 1) = make_float4(1, 2, 3, 4); }
__global__ void zeros(float *p) { *reinterpret_cast<float4 *>(p + 1) = make_float4(0, 0, 0, 0); }

int main(int, char **argv) {
  int kind = atoi(argv[1]), offset = atoi(argv[2]);
  char *memory = nullptr;
  cudaMalloc(&memory, 1 << 16);
  cudaMemset(memory, 0, 1 << 16);
  char *p = memory + offset;
  switch (kind) {
  case 0: vectors<<<3, 64>>>(reinterpret_cast<float4 *>(memory + 32768), reinterpret_cast<float4 *>(p), 180); break;
  case 1: words<<<2, 96>>>(reinterpret_cast<int *>(p), 150); break;
  case 2: counts<<<2, 96>>>(reinterpret_cast<int *>(p)); break;
  case 3: {
    int at[64];
    for (int i = 0; i < 64; i++)
      at[i] = 4 * i + (i == 37 ? offset : 0);
    cudaMemcpy(memory + 32768, at, sizeof at, cudaMemcpyHostToDevice);
    rows<<<1, 64>>>(reinterpret_cast<float4 *>(memory + 16384), reinterpret_cast<float *>(memory),
                    reinterpret_cast<int *>(memory + 32768));
    break;
  }
  case 4: loaded<<<1, 64>>>({{nullptr, reinterpret_cast<double2 *>(p)}}); break;
  case 5: inShared<<<1, 64>>>(reinterpret_cast<int *>(memory), offset); break;
  case 7: constants<<<1, 64>>>(reinterpret_cast<float *>(memory)); break;
  case 8: zeros<<<1, 64>>>(reinterpret_cast<float *>(memory)); break;
  case 6: never<<<2, 64>>>(reinterpret_cast<double *>(p), 0); break;
  }
  if (offset % 4 == 0 && (kind != 0 || offset % 16 == 0) && (kind != 4 || offset % 16 == 0) || kind == 6)
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
  return expectLost(cudaErrorMisalignedAddress);
}
