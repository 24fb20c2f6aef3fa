// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device may use another's memory when cudaDeviceEnablePeerAccess has said so, or the pool's owner.
// RUN: %heddle cc -g %s -o %t
// RUN: env HEDDLE_DEVICE=h200,h200 %check --tool memcheck %s %t | FileCheck %s
// CHECK: Invalid global write of 4 bytes, in kernel direct(int*)
// CHECK: belongs to another device, and peer access was not enabled
// CHECK: inside 128 bytes of device memory
// CHECK-NEXT: allocated by cudaMalloc
__global__ void direct(int *p) { p[threadIdx.x] = 1; }       // error: peer-access
__global__ void through(int **p) { p[0][threadIdx.x] += 1; } // error: peer-access
__global__ void allowed(int *p, int *managed, int *own, int *ofPool) {
  p[threadIdx.x] = managed[threadIdx.x] + own[threadIdx.x] + ofPool[threadIdx.x];
}

int main() {
  int *theirs, *managed, *own, *ofPool, **place;
  cudaSetDevice(1);
  cudaMalloc(&theirs, 128);
  cudaMemset(theirs, 0, 128);
  cudaMallocManaged(&managed, 128);
  cudaMemPool_t pool;
  cudaDeviceGetDefaultMemPool(&pool, 1);
  cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite};
  cudaMemPoolSetAccess(pool, &access, 1);
  cudaMallocAsync(&ofPool, 128, nullptr);
  cudaMemset(ofPool, 0, 128);
  cudaDeviceSynchronize();

  cudaSetDevice(0);
  cudaMalloc(&own, 128);
  cudaMemset(own, 0, 128);
  cudaMalloc(&place, sizeof(int *));
  cudaMemcpy(place, &theirs, sizeof(int *), cudaMemcpyHostToDevice);
  direct<<<1, 32>>>(theirs);
  through<<<1, 32>>>(place);
  cudaDeviceSynchronize();
  cudaDeviceEnablePeerAccess(1, 0);
  allowed<<<1, 32>>>(theirs, managed, own, ofPool);
  return cudaDeviceSynchronize();
}
