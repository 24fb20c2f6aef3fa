// RUN: %heddle cc -g %s -lcublas -lcufft -lcusolver -o %t
// RUN: %check --tool memcheck %s %t | FileCheck %s
// CHECK: Access of 256 bytes runs over the end of device memory of 252 bytes{{$}}
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of libraries on memory that is too short, or gone; each error beside its correct twin.
#include <cublas_v2.h>
#include <cusolverDn.h>

template <typename T> T *make(int n) {
  T *p;
  cudaMalloc(&p, n * sizeof(T));
  cudaMemset(p, 0, n * sizeof(T));
  return p;
}

static void solve() {
  constexpr int n = 8;
  cusolverDnHandle_t handle;
  cusolverDnCreate(&handle);
  float *a = make<float>(n * n), *shortA = make<float>(n * n - 1), *w = make<float>(n), *b = make<float>(n);
  int *pivots = make<int>(n), *fewPivots = make<int>(n - 1), *info = make<int>(1), size = 0;
  cusolverDnSgetrf_bufferSize(handle, n, n, a, n, &size);
  float *work = make<float>(size + 1);
  cusolverDnSgetrf(handle, n, n, a, n, work, pivots, info);
  cusolverDnSgetrf(handle, n, n, shortA, n, work, pivots, info); // error: api-out-of-bounds
  cusolverDnSgetrf(handle, n, n, a, n, work, fewPivots, info);   // error: api-out-of-bounds
  cusolverDnSgetrs(handle, CUBLAS_OP_N, n, 1, a, n, pivots, b, n, info);
  cusolverDnSgetrs(handle, CUBLAS_OP_N, n, 2, a, n, pivots, b, n, info); // error: api-out-of-bounds
  cusolverDnSpotrf(handle, CUBLAS_FILL_MODE_LOWER, n - 1, shortA, n, work, size, info);
  cusolverDnSpotrf(handle, CUBLAS_FILL_MODE_LOWER, n, shortA, n, work, size, info); // error: api-out-of-bounds
  cusolverDnSsyevd_bufferSize(handle, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_LOWER, n, a, n, w, &size);
  work = make<float>(size + 1);
  cusolverDnSsyevd(handle, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_LOWER, n, a, n, w, work, size, info);
  cusolverDnXpotrf(handle, nullptr, CUBLAS_FILL_MODE_LOWER, n - 1, CUDA_R_32F, shortA, n, CUDA_R_32F, work, 0, nullptr, 0, info);
  cusolverDnXpotrf(handle, nullptr, CUBLAS_FILL_MODE_LOWER, n, CUDA_R_32F, shortA, n, CUDA_R_32F, work, 0, nullptr, 0, info); // error: api-out-of-bounds
  cudaDeviceSynchronize();
  cudaFree(w);
  cusolverDnSsyevd(handle, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_LOWER, n, a, n, w, work, size, info); // error: api-use-after-free
  cusolverDnDestroy(handle);
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
  solve();
}
