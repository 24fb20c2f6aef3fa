// RUN: %heddle cc -o %t %s
// RUN: %widths %t used 2>&1 | FileCheck %s --check-prefixes=USED
// RUN: %t written 2>&1 | FileCheck %s --check-prefixes=WRITTEN
// RUN: %t unused 2>&1 | FileCheck %s --check-prefixes=FINE
// RUN: %t guarded 2>&1 | FileCheck %s --check-prefixes=FINE
// RUN: %t passed 2>&1 | FileCheck %s --check-prefixes=FINE
// RUN: %t null 2>&1 | FileCheck %s --check-prefixes=QUIET
// RUN: %t pinned 2>&1 | FileCheck %s --check-prefixes=QUIET
// RUN: %t end 2>&1 | FileCheck %s --check-prefixes=QUIET
// USED: heddle: kernel launch: parameter 2 of kernel 'add(int*, int const*, int)' is 0x[[AT:[0-9a-f]+]], a pointer to pageable host memory, which the kernel cannot use: copy the data with cudaMemcpy to memory from cudaMalloc
// USED: invalid global read in kernel add(int*, int const*, int)
// USED-NEXT: host_pointer.cu:[[#ADD:]]
// USED-NEXT: by thread (0,0,0) in block (0,0,0)
// USED-NEXT: address 0x[[AT]] is pageable host memory: the kernel was given a host pointer
// USED: the host goes on
// USED-NOT: got
// WRITTEN: parameter 1 of kernel 'set(int*, int)' is 0x
// WRITTEN: invalid global write in kernel set(int*, int)
// WRITTEN: is pageable host memory
// WRITTEN: the host goes on
// WRITTEN-NOT: got
// FINE: a pointer to pageable host memory
// FINE-NOT: =====
// FINE: fine
// QUIET-NOT: heddle
// QUIET: fine
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pointer to pageable host memory is reported at the launch, and faults where the kernel uses it; one that
// the kernel does not touch, or only passes on, is legal. So is the end of an allocation.
#include "lost.h"

#include <cstring>
#include <vector>

__global__ void add(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] += in[i];
}
__global__ void set(int *p, int i) { atomicAdd(p + i, 1); }
__global__ void ignore(int *, int *out) { *out = 1; }
__global__ void passOn(int *p, int **out) { *out = p; }
__global__ void maybe(int *p, int *out) {
  if (p)
    *p = 2;
  *out = 1;
}

int main(int, char **argv) {
  int pageableAttribute = 1;
  cudaDeviceGetAttribute(&pageableAttribute, cudaDevAttrPageableMemoryAccess, 0);
  if (pageableAttribute != 0)
    std::printf("got access to pageable memory\n");
  int *device = nullptr, *pinned = nullptr, *back = nullptr;
  cudaMalloc(&device, 4096);
  cudaMallocHost(&pinned, 4096);
  std::vector<int> values(1024);
  int *heap = values.data();
  auto is = [&](const char *name) { return !std::strcmp(argv[1], name); };
  if (is("used")) {
    add<<<1, 100>>>(device, heap, 100);
    return expectLost(cudaErrorIllegalAddress);
  }
  if (is("written")) {
    int local[8] = {};
    set<<<1, 1>>>(local, 3);
    return expectLost(cudaErrorIllegalAddress);
  }
  if (is("unused"))
    ignore<<<1, 1>>>(heap, device);
  if (is("guarded"))
    add<<<1, 32>>>(device, heap, 0);
  if (is("passed"))
    passOn<<<1, 1>>>(heap, reinterpret_cast<int **>(device));
  if (is("null"))
    maybe<<<1, 1>>>(nullptr, device);
  if (is("pinned"))
    add<<<1, 32>>>(device, pinned, 32);
  if (is("end")) {
    add<<<1, 32>>>(device, device + 1024, 0);
    add<<<1, 32>>>(device, pinned + 1024, 0);
  }
  cudaError_t error = cudaDeviceSynchronize();
  cudaMemcpy(&back, device, sizeof back, cudaMemcpyDeviceToHost);
  bool right = error == cudaSuccess && (!is("passed") || back == heap);
  std::printf(right ? "fine\n" : "wrong\n");
  return right ? 0 : 1;
}
