// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: chapter "General Purpose GPU Programming", section 7.5, figure 7.10 (matrix product
// without tiling).
//
// One thread per element, blocks of 32 x 32 threads, all data in global memory. The figure's N is a
// multiple of 32; the check on row and column makes other sizes possible.
#include "matrix.h"

typedef float *Matrix;

__global__ void matrixProduct(const Matrix A, const Matrix B, Matrix C, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || column >= n)
    return;
  float sum = 0;
  for (int e = 0; e < n; ++e)
    sum += A[row * n + e] * B[e * n + column];
  C[row * n + column] = sum;
}

/// The host's part: matrices in host memory in, product in host memory out.
static void multiply(const Matrix A, const Matrix B, Matrix C, int n) {
  size_t bytes = size_t(n) * n * sizeof(float);
  Matrix Ad, Bd, Cd;
  CUDA_CHECK(cudaMalloc(&Ad, bytes));
  CUDA_CHECK(cudaMalloc(&Bd, bytes));
  CUDA_CHECK(cudaMalloc(&Cd, bytes));
  CUDA_CHECK(cudaMemcpy(Ad, A, bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(Bd, B, bytes, cudaMemcpyHostToDevice));
  dim3 block(32, 32);
  dim3 grid((n + 31) / 32, (n + 31) / 32);
  matrixProduct<<<grid, block>>>(Ad, Bd, Cd, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(C, Cd, bytes, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(Ad));
  CUDA_CHECK(cudaFree(Bd));
  CUDA_CHECK(cudaFree(Cd));
}

int main(int argc, char **argv) {
  std::vector<int> sizes = {12, 32, 33, 64, 95, 256};
  if (argc > 1)
    sizes = {std::atoi(argv[1])};
  for (int n : sizes) {
    std::vector<float> a = wholeNumbers<float>(n * n, 8, 17), b = wholeNumbers<float>(n * n, 8, 18);
    std::vector<float> c(n * n);
    multiply(a.data(), b.data(), c.data(), n);
    check(same(c, multiplyOnHost(a, b, n)), "product without tiling, %d x %d", n, n);
  }
  return exitCode();
}
