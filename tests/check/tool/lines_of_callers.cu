// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters, fields of vectors, and lines of the program where a library's header has the access.
// RUN: %heddle cc -g %s -o %t && %check --tool memcheck,racecheck %s %t | FileCheck %s
#include <cub/cub.cuh>

struct Vec {
  float d[3];
};
// CHECK: Invalid param read of 4 bytes, in kernel ofParam
// CHECK: is 0 bytes behind a parameter of 12 bytes
// CHECK-NOT: host memory
// CHECK: launched by
__global__ void ofParam(Vec v, float *to, int n) {
  to[threadIdx.x] = v.d[threadIdx.x % n]; // error: out-of-bounds-access
}
// CHECK: Misaligned global read of {{[48]}} bytes, in kernel ofFields
// CHECK: is no multiple of 16, the alignment of the object that it is a part of
__global__ void ofFields(const float *a, float *to) {
  float4 v = *reinterpret_cast<const float4 *>(a + 1); // error: misaligned-access
  to[threadIdx.x] = v.x + v.y + v.z + v.w;
}
// CHECK: Race between write and read of shared memory
// CHECK-NEXT: at {{.*}}/cub/
// CHECK: called at {{.*}}lines_of_callers.cu
// CHECK-NEXT: int second = Reduce(room).Sum(2);
template <int Threads> __global__ void twoSums(int *to) {
  using Reduce = cub::BlockReduce<int, Threads>;
  __shared__ typename Reduce::TempStorage room;
  int first = Reduce(room).Sum(1);
  int second = Reduce(room).Sum(2); // error: race-read-write
  if (threadIdx.x == 0)
    *to = first + second;
}

int main() {
  float *a;
  cudaMalloc(&a, 1024);
  cudaMemset(a, 0, 1024);
  ofParam<<<1, 32>>>({{1, 2, 3}}, a, 4);
  cudaDeviceSynchronize();
  ofFields<<<1, 32>>>(a, a + 64);
  cudaDeviceSynchronize();
  twoSums<128><<<1, 128>>>(reinterpret_cast<int *>(a));
  return cudaDeviceSynchronize();
}
