// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: Nickolls & Kirk, appendix B, section B.3, figures B.3.3 and B.3.6 (a 2D grid of 2D
// blocks, then a 1D grid that depends on it).
//
// Each launch has the number of threads that its step needs: 3 x 2 blocks of 5 x 3 threads make a
// matrix of results, then four blocks of six threads use it. Between the two grids lies an implicit
// barrier: all of the first is done before any of the second begins.
#include "common.h"

__global__ void stepF(int *matrix, int width) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  matrix[row * width + column] = (row + 1) * 100 + column;
}

__global__ void stepG(const int *matrix, int n, int *sums) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int i = thread; i < n; i += blockDim.x * gridDim.x)
    sum += matrix[i];
  sums[thread] = sum;
}

static void run(dim3 gridF, dim3 blockF, int blocksG, int threadsG) {
  int width = gridF.x * blockF.x, height = gridF.y * blockF.y, n = width * height;
  std::vector<int> matrix(n), sums(blocksG * threadsG);
  for (int i = 0; i < n; ++i) {
    matrix[i] = (i / width + 1) * 100 + i % width;
    sums[i % sums.size()] += matrix[i];
  }
  int *dMatrix = zerosOnDevice<int>(n), *dSums = zerosOnDevice<int>(sums.size());
  stepF<<<gridF, blockF>>>(dMatrix, width);
  stepG<<<blocksG, threadsG>>>(dMatrix, n, dSums);
  check(same(toHost(dMatrix, n), matrix), "F: %d results of %u x %u blocks", n, gridF.x, gridF.y);
  check(same(toHost(dSums, sums.size()), sums), "G: %d sums of %d blocks", int(sums.size()),
        blocksG);
  CUDA_CHECK(cudaFree(dMatrix));
  CUDA_CHECK(cudaFree(dSums));
}

int main() {
  run(dim3(3, 2), dim3(5, 3), 4, 6);
  run(dim3(17, 9), dim3(16, 16), 5, 100);
  return exitCode();
}
