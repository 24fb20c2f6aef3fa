// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries without symbols, as packages have them: reports name the public function.
// RUN: rm -rf %t.lib && mkdir %t.lib && cp -P %build/lib/*.so* %t.lib
// RUN: strip --strip-all %t.lib/libcurand.so.10 %t.lib/libcublas.so.12 && %heddle cc -g %s -o %t -lcurand -lcublas
// RUN: env LD_LIBRARY_PATH=%t.lib HEDDLE_CHECK=memcheck %t 2>&1 | FileCheck %s
#include <cublas_v2.h>
#include <curand.h>

int main() {
  float *numbers, one = 1;
  cudaMalloc(&numbers, 4096);
  curandGenerator_t generator;
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
  curandGenerateUniform(generator, numbers, 1024);
  // CHECK: Access of 8000 bytes runs over the end of device memory of 4096 bytes
  // CHECK-NEXT: in curandGenerateUniform
  // CHECK-NEXT: called at {{.*}}stripped_library.cu:[[#@LINE+1]]:
  curandGenerateUniform(generator, numbers, 2000);
  cudaDeviceSynchronize();
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasSscal(handle, 1024, &one, numbers, 1);
  // CHECK: Access of 4100 bytes runs over the end of device memory of 4096 bytes
  // CHECK-NEXT: in cublasSscal_v2
  // CHECK-NEXT: called at {{.*}}stripped_library.cu:[[#@LINE+1]]:
  cublasSscal(handle, 1025, &one, numbers, 1);
  // CHECK: ERROR SUMMARY: 2 errors
}
