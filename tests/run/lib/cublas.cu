// RUN: %heddle cc %s -o %t -lcublas
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products by cuBLAS between kernels of the program: with device scalars, in two streams, and as a captured graph.
#include <cublas_v2.h>

#include <cstdio>
#include <vector>

#define CHECK(call)                                                                                \
  if (int code = int(call)) {                                                                      \
    std::printf("line %d: " #call " gives %d\n", __LINE__, code);                                  \
    return 1;                                                                                      \
  }

constexpr int N = 97, Blocks = (N * N + 127) / 128;

__global__ void fill(float *A, float *B, int seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N * N) {
    A[i] = (i * 7 + seed) % 5 - 2;
    B[i] = (i * 3 + seed) % 7 - 3;
  }
}

__global__ void addOne(float *C, float *alpha) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N * N)
    C[i] += 1;
  if (i == 0)
    *alpha = 2;
}

// C = 2 A B^T + 1 with small whole numbers, which are exact.
int compare(const float *device, int seed) {
  std::vector<float> C(N * N);
  CHECK(cudaMemcpy(C.data(), device, N * N * sizeof(float), cudaMemcpyDeviceToHost));
  for (int j = 0; j < N; ++j)
    for (int i = 0; i < N; ++i) {
      int sum = 0;
      for (int p = 0; p < N; ++p)
        sum += (((i + p * N) * 7 + seed) % 5 - 2) * (((j + p * N) * 3 + seed) % 7 - 3);
      if (C[i + j * N] != 2 * sum + 1) {
        std::printf("C(%d, %d) is %g, expected %d\n", i, j, C[i + j * N], 2 * sum + 1);
        return 1;
      }
    }
  return 0;
}

int main() {
  cublasHandle_t handle;
  CHECK(cublasCreate(&handle));
  cudaStream_t streams[2];
  float *memory[2], *scalars;
  CHECK(cudaMalloc(&scalars, 4 * sizeof(float)));
  CHECK(cudaMemset(scalars, 0, 4 * sizeof(float)));
  for (int s = 0; s < 2; ++s) {
    CHECK(cudaStreamCreate(&streams[s]));
    CHECK(cudaMalloc(&memory[s], 3 * N * N * sizeof(float)));
  }
  CHECK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
  // alpha is written by a kernel before the product reads it; beta is 0, so that C need not be set.
  auto work = [&](int s, int seed) {
    float *A = memory[s], *B = A + N * N, *C = B + N * N;
    fill<<<Blocks, 128, 0, streams[s]>>>(A, B, seed);
    addOne<<<Blocks, 128, 0, streams[s]>>>(C, scalars + s);
    CHECK(cublasSetStream(handle, streams[s]));
    CHECK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, N, N, N, scalars + s, A, N, B, N,
                      scalars + 2, C, N));
    addOne<<<Blocks, 128, 0, streams[s]>>>(C, scalars + s);
    return 0;
  };
  for (int s = 0; s < 2; ++s)
    CHECK(work(s, s));
  CHECK(cudaDeviceSynchronize());
  for (int s = 0; s < 2; ++s)
    CHECK(compare(memory[s] + 2 * N * N, s));

  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
  CHECK(work(0, 4));
  CHECK(cudaStreamEndCapture(streams[0], &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaMemset(memory[0], 0xff, 3 * N * N * sizeof(float)));
    CHECK(cudaGraphLaunch(executable, streams[0]));
    CHECK(cudaStreamSynchronize(streams[0]));
    CHECK(compare(memory[0] + 2 * N * N, 4));
  }
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cublasDestroy(handle));
}
