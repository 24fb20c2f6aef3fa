// RUN: %heddle cc -g %s -o %t
// RUN: %check --exit 139 %s %t | FileCheck %s
// CHECK: Copy to 64 bytes of the host at 0x{{[0-9a-f]*}}, where it has no such memory, in cudaMemcpy
// CHECK-NEXT: at {{.*}}bad_host_pointer.cu:[[#@LINE+20]]:3 in main
// CHECK: was ended by a signal: Segmentation fault
// CHECK: ERROR SUMMARY: 1 error
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy crashes that is given a pointer to nothing: the call is told of before.
#include <sys/mman.h>

int main() {
  char *device, *host;
  cudaMalloc(&device, 4096);
  cudaMemset(device, 0, 4096);
  host = static_cast<char *>(mmap(nullptr, 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  munmap(host + 4096, 4096);
  cudaMemcpy(host, device, 4096, cudaMemcpyDeviceToHost);
  cudaMemcpy2D(host + 4096 - 80, 40, device, 40, 40, 2, cudaMemcpyDeviceToHost);
  munmap(host, 4096);

  cudaMemcpy(host, device, 64, cudaMemcpyDeviceToHost); // error: api-invalid-pointer
}
