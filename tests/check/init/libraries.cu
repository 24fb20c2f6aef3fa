// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What CUDA's libraries read and write.
// RUN: %heddle cc -g -arch=sm_90 %s -o %t -lcublas -lcufft -lcurand
// RUN: %check --tool initcheck %s %t | FileCheck %s
// CHECK: Read of 16384 bytes that nothing has written, by cublasSgemm
// CHECK: allocated by cudaMalloc
#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>

constexpr int N = 64;

template <class T> T *array(int count) {
  T *p;
  cudaMalloc(&p, count * sizeof(T));
  return p;
}
__global__ void ones(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void sum(const float *a, float *to) {
  if (a[blockIdx.x * blockDim.x + threadIdx.x] > 3) // error: uninitialized-read
    atomicAdd(to, 1);
}
__global__ void right(const float *a, float *to) {
  if (a[blockIdx.x * blockDim.x + threadIdx.x] > 3)
    atomicAdd(to, 1);
}

int main() {
  float *a = array<float>(N * N), *b = array<float>(N * N), *c = array<float>(N * N), *d = array<float>(N);
  float one = 1, zero = 0, *never = array<float>(N * N), *numbers = array<float>(N);
  cudaMemset(d, 0, sizeof(float));
  cublasHandle_t blas;
  cublasCreate(&blas);
  ones<<<N, N>>>(a);
  ones<<<N, N>>>(b);
  cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, a, N, b, N, &zero, c, N);
  right<<<N, N>>>(c, d);
  cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, a, N, never, N, &zero, c, N); // error: uninitialized-read
  cublasSaxpy(blas, N, &one, a, 1, c, 1);
  sum<<<1, N>>>(never, d); // what a library has written says nothing of other memory
  curandGenerator_t generator;
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
  curandGenerateUniform(generator, numbers, N);
  right<<<1, N>>>(numbers, d);
  cufftHandle plan;
  cufftPlan1d(&plan, N, CUFFT_R2C, 1);
  cufftComplex *wave = array<cufftComplex>(N / 2 + 1);
  cufftExecR2C(plan, numbers, wave);
  right<<<1, N>>>(reinterpret_cast<float *>(wave), d);
  return cudaDeviceSynchronize();
}
