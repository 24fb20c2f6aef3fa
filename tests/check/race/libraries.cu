// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work of CUDA's libraries beside kernels, copies, host code and one another.
// RUN: %heddle cc -g -arch=sm_90 %s -o %t -lcublas -lcufft -lcurand
// RUN: %check --tool racecheck,memcheck %s %t | FileCheck %s
// CHECK: Race between two writes of global memory, here by cudaMemsetAsync
// CHECK: the other write by cublasSscal
// CHECK: Race between read and write of memory, here by host code
// CHECK: the other write by cublasSaxpy
#include <cstdio>
#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>

constexpr int N = 64;

template <class T> T *array(int count) {
  T *p;
  cudaMalloc(&p, count * sizeof(T));
  cudaMemset(p, 0, count * sizeof(T));
  return p;
}
cudaStream_t stream() {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  return stream;
}

__global__ void fill(float *a, float value) { a[blockIdx.x * blockDim.x + threadIdx.x] = value; }
__global__ void ordered(float *a, float value) { a[blockIdx.x * blockDim.x + threadIdx.x] = value; }
__global__ void before(float *a, float value) {
  a[blockIdx.x * blockDim.x + threadIdx.x] = value; // error: race-read-write
}
__global__ void behind(float *a, float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = b[i]; // error: race-read-write
}
__global__ void doubled(cufftComplex *a) { a[threadIdx.x].x *= 2; } // error: race-read-write
__global__ void counted(unsigned *a) { a[threadIdx.x] = 1; }        // error: race-write-write
__global__ void inGraph(float *a) { a[threadIdx.x] = 1; }           // error: race-read-write
__global__ void inOrderOfGraph(float *a) { a[threadIdx.x] = 1; }

int main() {
  cudaStream_t first = stream(), second = stream();
  cublasHandle_t blas;
  cublasCreate(&blas);
  cublasSetStream(blas, first);
  float *a = array<float>(N * N), *b = array<float>(N * N), *c = array<float>(N * N),
        *d = array<float>(N * N);
  float one = 1, zero = 0;
  cudaDeviceSynchronize();

  // A product on one stream, what makes a factor on another.
  before<<<N, N, 0, second>>>(a, 1);
  cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, a, N, b, N, &zero, c, N);
  cudaDeviceSynchronize();
  cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, a, N, b, N, &zero, c, N);
  behind<<<N, N, 0, second>>>(d, c);
  cudaDeviceSynchronize();

  // In order: an event, the same stream, reads of both, another matrix, waits of the host.
  cudaEvent_t event;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  ordered<<<N, N, 0, second>>>(a, 1);
  cudaEventRecord(event, second);
  cudaStreamWaitEvent(first, event);
  cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, a, N, b, N, &zero, c, N);
  ordered<<<N, N, 0, first>>>(c, 2);
  ordered<<<N, N, 0, second>>>(d, 2);
  cudaDeviceSynchronize();
  // Blocks of a matrix: the columns of one, and those beside it.
  cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, N / 2, N, N, &one, a, N, b, N, &zero, c, N);
  cudaMemset2DAsync(c + N / 2, N * sizeof(float), 0, N / 2 * sizeof(float), N, second);
  cudaDeviceSynchronize();
  // A result on the host: the call waits.
  ordered<<<N, N, 0, first>>>(a, 3);
  float result;
  cublasSdot(blas, N, a, 1, a, 1, &result);
  ordered<<<N, N, 0, second>>>(a, 3);
  cudaDeviceSynchronize();

  // Against a fill, and against host code.
  cublasSscal(blas, N, &one, a, 2);
  cudaMemsetAsync(a, 0, 4 * N, second); // error: race-write-write
  cudaDeviceSynchronize();
  float *shared;
  cudaMallocManaged(&shared, N * sizeof(float));
  for (int i = 0; i < N; ++i)
    shared[i] = i;
  cublasSaxpy(blas, N, &one, a, 1, shared, 1);
  printf("%g\n", shared[5]); // error: race-read-write
  cudaStreamSynchronize(first);
  printf("%g\n", shared[5]);

  cufftHandle plan;
  cufftPlan1d(&plan, N, CUFFT_C2C, 1);
  cufftSetStream(plan, first);
  cufftComplex *wave = array<cufftComplex>(N);
  cudaDeviceSynchronize();
  cufftExecC2C(plan, wave, wave, CUFFT_FORWARD);
  doubled<<<1, N, 0, second>>>(wave);
  cudaDeviceSynchronize();

  curandGenerator_t generator;
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
  curandSetStream(generator, first);
  unsigned *numbers = array<unsigned>(N);
  cudaDeviceSynchronize();
  curandGenerate(generator, numbers, N);
  counted<<<1, N, 0, second>>>(numbers);
  cudaDeviceSynchronize();

  // Two branches of a graph.
  for (bool isOrdered : {false, true}) {
    cudaGraph_t graph;
    cudaGraphExec_t run;
    cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
    cudaEventRecord(event, first);
    cudaStreamWaitEvent(second, event);
    if (!isOrdered)
      inGraph<<<1, N, 0, second>>>(a);
    else
      inOrderOfGraph<<<1, N, 0, first>>>(a);
    cublasScopy(blas, N, a, 1, b, 1);
    cudaEventRecord(event, second);
    cudaStreamWaitEvent(first, event);
    cudaStreamEndCapture(first, &graph);
    cudaGraphInstantiate(&run, graph, 0);
    cudaGraphLaunch(run, first);
    cudaDeviceSynchronize();
  }
  return cudaDeviceSynchronize();
}
