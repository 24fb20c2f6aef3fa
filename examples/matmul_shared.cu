// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: course "GPU Programming", section 4.5 (matrix product, shared memory) and 4.5.2
// (block size and matrix size).
//
// Without checks at the edges, the block's width must divide the matrix's: 32 for 1024, but 25 for
// 1000, as the course says. So the width of the block is a template parameter here, and the host
// picks one that fits.
#include "matrix.h"

template <int Width> __global__ void multiply(const float *m, const float *n, float *p, int width) {
  __shared__ float ms[Width][Width];
  __shared__ float ns[Width][Width];
  int x = threadIdx.x + blockIdx.x * Width;
  int y = threadIdx.y + blockIdx.y * Width;
  float value = 0;
  for (int step = 0; step < width / Width; ++step) {
    ms[threadIdx.y][threadIdx.x] = m[y * width + step * Width + threadIdx.x];
    ns[threadIdx.y][threadIdx.x] = n[(step * Width + threadIdx.y) * width + x];
    __syncthreads();
    for (int k = 0; k < Width; ++k)
      value += ms[threadIdx.y][k] * ns[k][threadIdx.x];
    __syncthreads();
  }
  p[y * width + x] = value;
}

template <int Width> void run(int width) {
  checkProduct("product from shared memory", width, [](float *m, float *n, float *p, int width) {
    multiply<Width><<<dim3(width / Width, width / Width), dim3(Width, Width)>>>(m, n, p, width);
  });
}

int main(int argc, char **argv) {
  std::vector<int> widths = {32, 64, 75, 200, 256, 19};
  if (argc > 1)
    widths = {std::atoi(argv[1])};
  for (int width : widths) {
    if (width % 32 == 0)
      run<32>(width);
    else if (width % 25 == 0)
      run<25>(width);
    else
      run<1>(width); // fits always
  }
  return exitCode();
}
