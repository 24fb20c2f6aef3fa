// RUN: %heddle cc -g -std=c++17 %s -o %t
// RUN: %check --tool memcheck --leak-check full %s %t | FileCheck %s
// CHECK: it is pageable host memory: the kernel was given a host pointer
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host memory in kernels, and memory of the device in calls of the API; each error beside its correct twin.
#include <cstdlib>
#include <cstring>

__device__ int symbol[8];

__global__ void fill(int *p, int n) {
  if (threadIdx.x < n)
    p[threadIdx.x] = 1; // error: out-of-bounds-access
}
__global__ void fillGood(int *p, int n) {
  if (threadIdx.x < n)
    p[threadIdx.x] = 1;
}
struct Arrays {
  const int *in;
  int *out;
};
__global__ void copy(Arrays a) {
  a.out[threadIdx.x] = a.in[threadIdx.x]; // error: out-of-bounds-access
}
__global__ void copyGood(Arrays a) { a.out[threadIdx.x] = a.in[threadIdx.x]; }

template <typename T> T *make(int n) {
  T *p;
  cudaMalloc(&p, n * sizeof(T));
  return p;
}

void hostPointers() {
  int onStack[32], *onHeap = (int *)malloc(128), *device = make<int>(32), *pinned, *managed, *mapped;
  static int registered[1024];
  fill<<<1, 32>>>(onStack, 32);
  copy<<<1, 32>>>({onHeap, device});
  cudaMallocHost(&pinned, 128), cudaMallocManaged(&managed, 128);
  fillGood<<<1, 32>>>(pinned, 32), fillGood<<<1, 32>>>(managed, 32);
  fill<<<1, 64>>>(pinned, 33), fill<<<1, 64>>>(managed, 40);
  cudaHostRegister(registered, sizeof(registered), cudaHostRegisterMapped);
  cudaHostGetDevicePointer(&mapped, registered, 0);
  fillGood<<<1, 32>>>(mapped, 32);
  copyGood<<<1, 32>>>({managed, device});
  cudaDeviceSynchronize();
  cudaHostUnregister(registered);
  free(onHeap), cudaFree(device), cudaFreeHost(pinned), cudaFree(managed);
}

void pitched() {
  char *rows, host[8 * 64] = {};
  size_t pitch;
  cudaMallocPitch(&rows, &pitch, 50, 8);
  cudaMemcpy2D(rows, pitch, host, 64, 50, 8, cudaMemcpyHostToDevice);
  cudaMemcpy2D(rows, pitch, host, 64, 50, 9, cudaMemcpyHostToDevice); // error: api-out-of-bounds
  cudaMemset2D(rows, pitch, 0, 50, 8);
  cudaMemset2D(rows, pitch, 0, 50, 9); // error: api-out-of-bounds
  cudaFree(rows);
  cudaPitchedPtr box;
  cudaExtent extent = make_cudaExtent(16, 4, 3);
  cudaMalloc3D(&box, extent);
  cudaMemset3D(box, 0, extent);
  cudaMemset3D(box, 0, make_cudaExtent(16, 4, 4)); // error: api-out-of-bounds
  cudaMemcpy3DParms parms = {};
  char cube[16 * 4 * 4] = {};
  parms.srcPtr = make_cudaPitchedPtr(cube, 16, 16, 4);
  parms.dstPtr = box;
  parms.extent = extent;
  parms.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&parms);
  parms.extent.depth = 4;
  cudaMemcpy3D(&parms); // error: api-out-of-bounds
  cudaFree(box.ptr);
}

void linear() {
  int host[32] = {}, *p = make<int>(32), *q = make<int>(16), value;
  cudaMemcpyAsync(p, host, 128, cudaMemcpyHostToDevice);
  cudaMemcpyAsync(q, host, 128, cudaMemcpyHostToDevice); // error: api-out-of-bounds
  cudaMemcpy(q, p, 64, cudaMemcpyDefault);
  cudaMemcpy(q, p, 65, cudaMemcpyDefault); // error: api-out-of-bounds
  cudaMemsetAsync(p + 16, 0, 64);
  cudaMemsetAsync(p + 16, 0, 68); // error: api-out-of-bounds
  cudaMemcpyFromSymbol(&value, symbol, 4, 28);
  cudaMemcpyFromSymbol(&value, symbol, 4, 32); // error: api-out-of-bounds
  cudaMemcpy(host, p, 128, cudaMemcpyDeviceToHost);
  cudaMemcpy(host, p, 128, cudaMemcpyHostToDevice); // error: api-invalid-pointer
  cudaMemcpy(p, host, 128, cudaMemcpyDeviceToHost); // error: api-invalid-pointer
  cudaMemcpyPeer(q, 0, p, 0, 64);
  cudaMemcpyPeer(q, 0, p, 0, 128); // error: api-out-of-bounds
  cudaDeviceSynchronize();
  cudaFree(p), cudaFree(q);
}

int *leaks() {
  int *kept, *pinned, *managed;
  cudaMalloc(&kept, 40);           // error: leak
  cudaMallocHost(&pinned, 41);     // error: leak
  cudaMallocManaged(&managed, 42); // error: leak
  cudaMalloc(&kept, 43);
  return kept;
}

int main() {
  hostPointers();
  pitched();
  linear();
  cudaFree(leaks());
}
