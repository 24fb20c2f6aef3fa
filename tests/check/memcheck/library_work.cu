// RUN: %heddle cc -g %s -o %t -lcufft -lcurand -lcusparse
// RUN: %check --tool memcheck --report-api-errors no %s %t | FileCheck %s
// CHECK: Access of 8000 bytes runs over the end of device memory of 4096 bytes
// CHECK-NEXT: curandGenerateUniform
// CHECK: Access of 32768 bytes runs over the end of device memory of 8192 bytes
// CHECK: 'cusparseSpMV' reads outside of device memory
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of libraries whose arrays are too short.
#include <cstdio>
#include <cufft.h>
#include <curand.h>
#include <cusparse.h>

template <class T> T *array(int count) {
  T *p;
  cudaMalloc(&p, count * sizeof(T));
  cudaMemset(p, 0, count * sizeof(T));
  return p;
}

int main() {
  curandGenerator_t generator;
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
  float *numbers = array<float>(1024);
  curandGenerateUniform(generator, numbers, 1024);
  curandGenerateUniform(generator, numbers, 2000); // error: api-out-of-bounds
  cudaDeviceSynchronize();

  cufftHandle plan;
  cufftPlan1d(&plan, 4096, CUFFT_C2C, 1);
  cufftComplex *wave = array<cufftComplex>(4096), *part = array<cufftComplex>(1024);
  cufftExecC2C(plan, wave, wave, CUFFT_FORWARD);
  cufftExecC2C(plan, part, wave, CUFFT_FORWARD); // error: api-out-of-bounds
  cudaDeviceSynchronize();
  cufftHandle small;
  cufftPlan1d(&small, 64, CUFFT_R2C, 1);
  float *real = array<float>(66); // in place an R2C has one complex number more
  cufftComplex *result = array<cufftComplex>(33);
  cufftExecR2C(small, real, result);
  cufftExecR2C(small, real, reinterpret_cast<cufftComplex *>(real));
  cufftExecR2C(small, real, result + 1); // error: api-out-of-bounds
  cudaFree(real);
  cufftExecR2C(small, real, result); // error: api-use-after-free
  cudaDeviceSynchronize();

  cusparseHandle_t handle;
  cusparseCreate(&handle);
  int starts[5] = {0, 1, 2, 3, 2048}, *rows = array<int>(5), *columns = array<int>(1024);
  cudaMemcpy(rows, starts, sizeof(starts), cudaMemcpyHostToDevice);
  float *values = array<float>(2048), *x = array<float>(4), *y = array<float>(4), one = 1, zero = 0;
  cusparseSpMatDescr_t matrix;
  cusparseDnVecDescr_t in, out;
  cusparseCreateCsr(&matrix, 4, 4, 2048, rows, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                    CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  cusparseCreateDnVec(&in, 4, x, CUDA_R_32F);
  cusparseCreateDnVec(&out, 4, y, CUDA_R_32F);
  cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, in, // error: library-out-of-bounds
               &zero, out, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
  cudaDeviceSynchronize();
  return 0;
}
