// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For nvcc_shared.test.
#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>
#include <cusolverDn.h>
#include <cusparse.h>

#include <cstdio>

__managed__ float numbers[8] = {1, 2, 3, 0, 0, 0, 0, 0};

static const char *word(bool isRight) { return isRight ? "ok" : "wrong"; }

int main() {
  int version = 0;
  cudaDeviceProp properties;
  cudaRuntimeGetVersion(&version);
  cudaGetDeviceProperties(&properties, 0);
  std::printf("runtime %d, compute %d.%d\n", version, properties.major, properties.minor);

  cublasHandle_t blas;
  float dot = 0;
  cublasCreate(&blas);
  cublasSdot(blas, 3, numbers, 1, numbers, 1, &dot);
  cublasDestroy(blas);

  cufftHandle plan;
  cufftComplex *values;
  cudaMallocManaged(&values, 4 * sizeof *values);
  for (int i = 0; i < 4; ++i)
    values[i] = {1, 0};
  cufftPlan1d(&plan, 4, CUFFT_C2C, 1);
  cufftExecC2C(plan, values, values, CUFFT_FORWARD);
  cudaDeviceSynchronize();
  cufftDestroy(plan);

  curandGenerator_t generator;
  bool isRandom = curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT) == CURAND_STATUS_SUCCESS;
  curandDestroyGenerator(generator);
  cusparseHandle_t sparse;
  bool isSparse = cusparseCreate(&sparse) == CUSPARSE_STATUS_SUCCESS;
  cusparseDestroy(sparse);
  cusolverDnHandle_t solver;
  bool isSolver = cusolverDnCreate(&solver) == CUSOLVER_STATUS_SUCCESS;
  cusolverDnDestroy(solver);
  std::printf("cublas %g, cufft %g, curand %s, cusparse %s, cusolver %s\n", dot, values[0].x, word(isRandom),
              word(isSparse), word(isSolver));
}
