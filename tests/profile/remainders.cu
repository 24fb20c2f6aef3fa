// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A remainder by a variable that doubles is a division to nvcc, though LLVM knows a power of two; the program's own mask
// is a mask.
// RUN: %heddle cc %s -o %t
// RUN: env HEDDLE_DEVICE=k20 HEDDLE_COUNT=/dev/null HEDDLE_PRINT_AFTER=count CUDA_CACHE_DISABLE=1 %t 2>&1 | FileCheck %s

// CHECK-LABEL: .entry ofUnsigned
// CHECK: rem.u32
extern "C" __global__ void ofUnsigned(int *sums) {
  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    if (threadIdx.x % (2 * step) == 0)
      sums[threadIdx.x] += sums[threadIdx.x + step];
    __syncthreads();
  }
}

// CHECK-LABEL: .entry ofSigned
// CHECK: rem.{{[su]}}32
extern "C" __global__ void ofSigned(int *sums) {
  const int thread = threadIdx.x;
  for (int step = 1; step < int(blockDim.x); step *= 2) {
    if (thread % (2 * step) == 0)
      sums[thread] += sums[thread + step];
    __syncthreads();
  }
}

// CHECK-LABEL: .entry masked
// CHECK-NOT: rem.
extern "C" __global__ void masked(int *sums) {
  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    if ((threadIdx.x & (2 * step - 1)) == 0)
      sums[threadIdx.x] += sums[threadIdx.x + step];
    __syncthreads();
  }
}

int main() {
  int *sums;
  cudaMalloc(&sums, 64 * sizeof(int));
  cudaMemset(sums, 0, 64 * sizeof(int));
  ofUnsigned<<<1, 64>>>(sums);
  ofSigned<<<1, 64>>>(sums);
  masked<<<1, 64>>>(sums);
  return cudaDeviceSynchronize();
}
