// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What CUDA's libraries say where the library below them is missing.
#include <cstdio>
#include <cublas_v2.h>
#include <cufft.h>
#include <cusolverDn.h>
#include <cusolverSp.h>

int main() {
  cublasHandle_t blas;
  cusolverDnHandle_t dense;
  cusolverSpHandle_t sparse;
  cufftHandle plan;
  printf("cublasCreate: %d\n", cublasCreate(&blas));
  printf("cusolverDnCreate: %d\n", cusolverDnCreate(&dense));
  printf("cufftPlan1d, C2C: %d\n", cufftPlan1d(&plan, 64, CUFFT_C2C, 1));
  printf("cufftPlan1d, Z2Z: %d\n", cufftPlan1d(&plan, 64, CUFFT_Z2Z, 1));

  printf("cusolverSpCreate: %d\n", cusolverSpCreate(&sparse));
  cusparseMatDescr_t matrix;
  cusparseCreateMatDescr(&matrix);
  int offsets[] = {0, 1, 2}, columns[] = {0, 1}, singular;
  double values[] = {2, 4}, b[] = {2, 4}, x[2] = {};
  int lu = cusolverSpDcsrlsvluHost(sparse, 2, 2, matrix, values, offsets, columns, b, 0, 0, x,
                                   &singular);
  printf("cusolverSpDcsrlsvluHost: %d\n", lu);
}
