// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is wrong with calls of the API: memory, sizes, directions, frees, leaks; with call stacks of host code.
// RUN: %heddle cc -g %s -o %t
// RUN: %check --leak-check full %s %t | FileCheck %s
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

struct Freer { // frees behind main: no leak
  void *p = nullptr;
  ~Freer() { cudaFree(p); }
} late;

__device__ int symbol[4];

int *make(int n) {
  int *p;
  cudaMalloc(&p, n * sizeof(int));
  return p;
}

void copies() {
  int host[16] = {}, *p = make(4), *q = make(16);
  cudaMemcpy(p, host, 16, cudaMemcpyHostToDevice);
  cudaMemcpy(p, host, 20, cudaMemcpyHostToDevice);   // error: api-out-of-bounds
  cudaMemset(p + 1, 0, 16);                          // error: api-out-of-bounds
  cudaMemcpy2D(q, 16, host, 16, 16, 4, cudaMemcpyHostToDevice);
  cudaMemcpy2D(q, 20, host, 16, 16, 4, cudaMemcpyHostToDevice); // error: api-out-of-bounds
  cudaMemcpy(p, q, 16, cudaMemcpyDeviceToDevice);
  cudaMemcpy(p, q, 16, cudaMemcpyHostToDevice);      // error: wrong-copy-direction
  cudaMemcpy(host, host, 16, cudaMemcpyDeviceToHost); // error: api-invalid-pointer
  cudaMemcpy(p, nullptr, 16, cudaMemcpyHostToDevice); // error: api-invalid-pointer
  cudaMemcpyToSymbol(symbol, host, 16);
  cudaMemcpyToSymbol(symbol, host, 20);              // error: api-out-of-bounds
  cudaFree(q);
  cudaMemcpy(q, host, 16, cudaMemcpyHostToDevice);   // error: api-use-after-free
  cudaFree(p);
}

void frees() {
  int *p = make(4), *pinned, onStack;
  cudaMallocHost(&pinned, 64);
  cudaFree(p + 1);     // error: invalid-free
  cudaFreeHost(p);     // error: mismatched-free
  cudaFree(pinned);    // error: mismatched-free
  cudaFree(&onStack);  // error: invalid-free
  cudaFree(p);
  cudaFree(p);         // error: double-free
  cudaFreeHost(pinned);
  cudaFree(nullptr);
}

void others() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaSetDevice(1000);  // error: api-error
  cudaStreamQuery(stream);
  cudaStreamDestroy(stream);
  cudaGetLastError();
}

int main() {
  copies();
  frees();
  others();
  late.p = make(8);
  void *kept, *async;
  cudaMalloc(&kept, 100);        // error: leak
  cudaMallocHost(&kept, 101);    // error: leak
  cudaMallocAsync(&async, 102, 0);
  cudaFreeAsync(async, 0);
  cudaMallocAsync(&async, 103, 0); // error: leak
  cudaDeviceSynchronize();
}
// CHECK: Access of 20 bytes runs 4 bytes over the end of device memory of 16 bytes: cudaMemcpy returned cudaErrorInvalidValue (1)
// CHECK-NEXT: at {{.*}}api.cu:26:3 in copies
// CHECK-NEXT: cudaMemcpy(p, host, 20, cudaMemcpyHostToDevice);
// CHECK-NEXT: called at {{.*}}api.cu:[[#]]:3 in main
// CHECK-NEXT: allocated by cudaMalloc
// CHECK-NEXT: at {{.*}}api.cu:19:3 in make
// CHECK-NEXT: cudaMalloc(&p, n * sizeof(int));
// CHECK-NEXT: called at {{.*}}api.cu:24:{{[0-9]+}} in copies
// CHECK-NEXT: called at {{.*}}api.cu:[[#]]:3 in main
// CHECK-NEXT: Access of
// CHECK: Copy from the host, whose source is device memory of 64 bytes, in cudaMemcpy
// CHECK: Free of freed device memory of 16 bytes: cudaFree returned cudaErrorInvalidValue
// CHECK: freed by cudaFree
// CHECK-NEXT: api.cu:48:3 in frees
// CHECK: Leaked 100 bytes of device memory
// CHECK-NEXT: api.cu:[[#]]:3 in main
