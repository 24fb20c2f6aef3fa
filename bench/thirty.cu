// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of 30 lines, as they are in daily life, for the time that its compilation takes
// (goals.py).
#include <cuda_runtime.h>

__global__ void smooth(int width, int height, const float *in, float *out, float strength) {
  __shared__ float tile[18][34];
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int tileX = threadIdx.x + 1;
  int tileY = threadIdx.y + 1;
  int column = min(x, width - 1);
  int row = min(y, height - 1);
  tile[tileY][tileX] = in[row * width + column];
  if (threadIdx.x == 0)
    tile[tileY][0] = in[row * width + max(column - 1, 0)];
  if (threadIdx.x == blockDim.x - 1)
    tile[tileY][tileX + 1] = in[row * width + min(column + 1, width - 1)];
  if (threadIdx.y == 0)
    tile[0][tileX] = in[max(row - 1, 0) * width + column];
  if (threadIdx.y == blockDim.y - 1)
    tile[tileY + 1][tileX] = in[min(row + 1, height - 1) * width + column];
  __syncthreads();
  if (x >= width || y >= height)
    return;
  float here = tile[tileY][tileX];
  float sum = 0, weights = 0;
  const float values[4] = {tile[tileY][tileX - 1], tile[tileY][tileX + 1], tile[tileY - 1][tileX], tile[tileY + 1][tileX]};
  for (int i = 0; i < 4; ++i) {
    float weight = expf(-strength * (values[i] - here) * (values[i] - here));
    sum += weight * values[i];
    weights += weight;
  }
  out[y * width + x] = (here + sum) / (1 + weights);
}

int main() {
  float *in, *out;
  if (cudaMallocManaged(&in, 64 * 64 * 4) != cudaSuccess || cudaMallocManaged(&out, 64 * 64 * 4) != cudaSuccess)
    return 1;
  for (int i = 0; i < 64 * 64; ++i)
    in[i] = 3;
  smooth<<<dim3(2, 4), dim3(32, 16)>>>(64, 64, in, out, 1.0f);
  return cudaDeviceSynchronize() != cudaSuccess || out[100] != 3;
}
