// RUN: %heddle cc -rdc=true %s -o %t
// RUN: %widths %t
// NVCC: -rdc=true -fmad=false
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Mandelbrot set by rectangles (Mariani and Silver): a block computes the border of a square; if all of it has the
// same number of rounds, so has the inside, and a child grid fills it; else a child grid of four blocks goes on with
// the quarters, down to squares whose pixels a child grid computes. The same recursion on the host is the reference.
// `mandelbrot N` computes N x N pixels and prints how many grids there were.
#include "../support.h"

constexpr int MostRounds = 256, Smallest = 16, Threads = 64;

__device__ unsigned grids;

__host__ __device__ inline int rounds(int size, int px, int py) {
  // In integers of 16.16, so that the host and every device give the same.
  long long cx = -131072 + 196608ll * px / size, cy = -98304 + 196608ll * py / size, x = 0, y = 0;
  int n = 0;
  for (; n < MostRounds && x * x + y * y < (4ll << 32); n++) {
    long long next = (x * x - y * y) / 65536 + cx;
    y = 2 * x * y / 65536 + cy;
    x = next;
  }
  return n;
}

/// Pixel i of the border of a square.
__host__ __device__ inline void borderPixel(int i, int side, int &x, int &y) {
  int edge = i / side, at = i % side;
  x = edge == 0 ? at : edge == 1 ? side - 1 : edge == 2 ? at : 0;
  y = edge == 0 ? 0 : edge == 1 ? at : edge == 2 ? side - 1 : at;
}

__global__ void fill(int *image, int size, int x0, int y0, int side, int value) {
  if (threadIdx.x == 0 && blockIdx.x == 0)
    atomicAdd(&grids, 1);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < side * side; i += gridDim.x * blockDim.x)
    image[(y0 + i / side) * size + x0 + i % side] = value;
}

__global__ void pixels(int *image, int size, int x0, int y0, int side) {
  if (threadIdx.x == 0 && blockIdx.x == 0)
    atomicAdd(&grids, 1);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < side * side; i += gridDim.x * blockDim.x)
    image[(y0 + i / side) * size + x0 + i % side] = rounds(size, x0 + i % side, y0 + i / side);
}

__global__ void squares(int *image, int size, int x0, int y0, int side) {
  __shared__ int least, most;
  if (threadIdx.x == 0) {
    least = MostRounds, most = 0;
    if (blockIdx.x == 0 && blockIdx.y == 0)
      atomicAdd(&grids, 1);
  }
  __syncthreads();
  x0 += blockIdx.x * side;
  y0 += blockIdx.y * side;
  for (int i = threadIdx.x; i < 4 * side; i += blockDim.x) {
    int x, y;
    borderPixel(i, side, x, y);
    int n = rounds(size, x0 + x, y0 + y);
    atomicMin(&least, n);
    atomicMax(&most, n);
  }
  __syncthreads();
  if (threadIdx.x != 0)
    return;
  if (least == most)
    fill<<<(side * side + Threads - 1) / Threads, Threads>>>(image, size, x0, y0, side, least);
  else if (side / 2 < Smallest)
    pixels<<<(side * side + Threads - 1) / Threads, Threads>>>(image, size, x0, y0, side);
  else
    squares<<<dim3(2, 2), Threads>>>(image, size, x0, y0, side / 2);
}

void reference(std::vector<int> &image, int size, int x0, int y0, int side) {
  int least = MostRounds, most = 0;
  for (int i = 0; i < 4 * side; i++) {
    int x, y;
    borderPixel(i, side, x, y);
    least = std::min(least, rounds(size, x0 + x, y0 + y));
    most = std::max(most, rounds(size, x0 + x, y0 + y));
  }
  if (least != most && side / 2 >= Smallest) {
    for (int quarter = 0; quarter < 4; quarter++)
      reference(image, size, x0 + quarter % 2 * (side / 2), y0 + quarter / 2 * (side / 2), side / 2);
    return;
  }
  for (int i = 0; i < side * side; i++) {
    int x = x0 + i % side, y = y0 + i / side;
    image[y * size + x] = least == most ? least : rounds(size, x, y);
  }
}

int main(int argc, char **argv) {
  int size = argc > 1 ? std::atoi(argv[1]) : 256, first = size / 4;
  Buffer<int> image(std::vector<int>(size * size, -1));
  squares<<<dim3(4, 4), Threads>>>(image, size, 0, 0, first);
  checkLaunch();
  std::vector<int> want(size * size, -1);
  for (int i = 0; i < 16; i++)
    reference(want, size, i % 4 * first, i / 4 * first, first);
  expectAll("image", image.get(), want);
  if (argc > 1) {
    unsigned count;
    CUDA_OK(cudaMemcpyFromSymbol(&count, grids, sizeof count));
    std::printf("%u grids\n", count);
  }
  return finish();
}
