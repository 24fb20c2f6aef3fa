// RUN: %heddle cc -g %s -lcublas -lcufft -o %t
// RUN: %check --tool memcheck %s %t | FileCheck %s
// CHECK: Access of 256 bytes runs over the end of device memory of 252 bytes{{$}}
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of libraries on memory that is too short, or gone; each error beside its correct twin.
#include <cublas_v2.h>

template <typename T> T *make(int n) {
  T *p;
  cudaMalloc(&p, n * sizeof(T));
  cudaMemset(p, 0, n * sizeof(T));
  return p;
}

int main() {
  cublasHandle_t handle;
  cublasCreate(&handle);
  float one = 1, zero = 0, *a = make<float>(64), *b = make<float>(64), *c = make<float>(64), *shortC = make<float>(63);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, a, 8, b, 8, &zero, c, 8);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, a, 8, b, 8, &zero, shortC, 8); // error: api-out-of-bounds
  cublasSaxpy(handle, 64, &one, a, 1, b, 1);
  cublasSaxpy(handle, 64, &one, a, 1, shortC, 1); // error: api-out-of-bounds
  cublasSaxpy(handle, 32, &one, a, 2, b, 2);
  cublasSaxpy(handle, 33, &one, a, 2, b, 1); // error: api-out-of-bounds
  cudaDeviceSynchronize();
  cudaFree(b);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, a, 8, b, 8, &zero, c, 8); // error: api-use-after-free
  cublasSscal(handle, 64, &one, c, 1);
  cublasSscal(handle, 65, &one, c, 1); // error: api-out-of-bounds
  cublasSgemv(handle, CUBLAS_OP_N, 8, 8, &one, a, 8, c, 1, &zero, shortC, 1);
  cublasSgemv(handle, CUBLAS_OP_N, 8, 8, &one, a, 9, c, 1, &zero, shortC, 1); // error: api-out-of-bounds
  cudaDeviceSynchronize();
  cublasDestroy(handle);
}
