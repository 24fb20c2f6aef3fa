// RUN: %heddle cc %s -o %t -lcusolver_static -lcusparse_static -lcublas_static -lcublasLt_static -lcurand_static -lcufft_static_nocallback -lcufftw_static -lcusolver_lapack_static -lcusolver_metis_static -lmetis_static -lculibos && %t
// RUN: ldd %t | not grep -E "libcu(blas|fft|rand|sparse|solver)"
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All static libraries in one program, a call of each.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cufft.h>
#include <cufftw.h>
#include <curand.h>
#include <cusolverDn.h>
#include <cusolverSp.h>
#include <cusparse.h>

#include <cmath>
#include <cstdio>

#define CHECK(condition)                                                                           \
  if (!(condition))                                                                                \
  return std::printf("line %d: %s\n", __LINE__, #condition), 1

int main() {
  float *data;
  int *info;
  cudaMallocManaged(&data, 64 * sizeof(float));
  cudaMallocManaged(&info, sizeof(int));
  for (int i = 0; i < 64; i++)
    data[i] = 2;

  cublasHandle_t blas;
  float sum = 0;
  CHECK(cublasCreate(&blas) == CUBLAS_STATUS_SUCCESS);
  CHECK(cublasSdot(blas, 64, data, 1, data, 1, &sum) == CUBLAS_STATUS_SUCCESS && sum == 256);
  CHECK(cublasDestroy(blas) == CUBLAS_STATUS_SUCCESS);
  CHECK(cublasLtGetVersion() > 0);

  cufftHandle plan;
  CHECK(cufftPlan1d(&plan, 16, CUFFT_C2C, 1) == CUFFT_SUCCESS);
  CHECK(cufftExecC2C(plan, (cufftComplex *)data, (cufftComplex *)data, CUFFT_FORWARD) ==
        CUFFT_SUCCESS);
  cudaDeviceSynchronize();
  CHECK(data[0] == 32 && data[2] == 0);
  CHECK(cufftDestroy(plan) == CUFFT_SUCCESS);
  fftwf_complex host[4] = {{1, 0}, {1, 0}, {1, 0}, {1, 0}};
  fftwf_plan hostPlan = fftwf_plan_dft_1d(4, host, host, FFTW_FORWARD, FFTW_ESTIMATE);
  fftwf_execute(hostPlan);
  fftwf_destroy_plan(hostPlan);
  CHECK(host[0][0] == 4);

  curandGenerator_t generator;
  CHECK(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_XORWOW) == CURAND_STATUS_SUCCESS);
  CHECK(curandGenerateUniform(generator, data, 64) == CURAND_STATUS_SUCCESS);
  cudaDeviceSynchronize();
  CHECK(data[0] > 0 && data[0] <= 1 && data[0] != data[1]);
  CHECK(curandDestroyGenerator(generator) == CURAND_STATUS_SUCCESS);

  cusolverDnHandle_t dense;
  float matrix[] = {4, 2, 2, 5}; // L is 2, 1, 2
  cudaMemcpy(data, matrix, sizeof matrix, cudaMemcpyDefault);
  CHECK(cusolverDnCreate(&dense) == CUSOLVER_STATUS_SUCCESS);
  CHECK(cusolverDnSpotrf(dense, CUBLAS_FILL_MODE_LOWER, 2, data, 2, data + 8, 8, info) ==
        CUSOLVER_STATUS_SUCCESS);
  cudaDeviceSynchronize();
  CHECK(*info == 0 && data[0] == 2 && data[1] == 1 && data[3] == 2);
  CHECK(cusolverDnDestroy(dense) == CUSOLVER_STATUS_SUCCESS);

  cusolverSpHandle_t solver;
  cusparseMatDescr_t descr;
  int offsets[] = {0, 1, 2}, columns[] = {0, 1}, singularity = 0;
  float values[] = {2, 4}, right[] = {2, 2}, x[2];
  CHECK(cusparseCreateMatDescr(&descr) == CUSPARSE_STATUS_SUCCESS);
  CHECK(cusolverSpCreate(&solver) == CUSOLVER_STATUS_SUCCESS);
  CHECK(cusolverSpScsrlsvluHost(solver, 2, 2, descr, values, offsets, columns, right, 1e-6f, 0, x,
                                &singularity) == CUSOLVER_STATUS_SUCCESS);
  CHECK(singularity == -1 && x[0] == 1 && x[1] == 0.5f);
  CHECK(cusolverSpDestroy(solver) == CUSOLVER_STATUS_SUCCESS);
  cusparseDestroyMatDescr(descr);
}
