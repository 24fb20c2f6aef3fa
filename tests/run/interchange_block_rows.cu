// RUN: %heddle cc %s -o %t
// RUN: %widths(64) %t
// RUN: %all env HEDDLE_DISABLE=interchange-block-rows %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Straight kernels with blocks of several rows, which may run row by row over many blocks: each thread runs once, with
// its own indices, for all shapes of blocks and grids, with parts of rows at the rims.
#include "support.h"

struct Sizes {
  unsigned x, y, z; ///< cells
};

/// Adds to each cell, so that a thread that runs twice is seen; the grid may be larger than the cells.
__global__ static void step(Sizes n, const unsigned *in, unsigned *out, unsigned *who) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= n.x || y >= n.y || z >= n.z)
    return;
  unsigned i = (z * n.y + y) * n.x + x;
  if (x > 0 && x < n.x - 1 && y > 0 && y < n.y - 1)
    out[i] += in[i] * 5 + in[i - 1] + 3 * in[i + 1] + in[i - n.x] + in[i + n.x];
  else
    out[i] += in[i];
  who[i] = (blockIdx.z << 24 | blockIdx.y << 12 | blockIdx.x) * 7 + (threadIdx.z * blockDim.y + threadIdx.y) * 1024 +
           threadIdx.x;
}

static void check(dim3 block, Sizes n, Random &random) {
  unsigned cells = n.x * n.y * n.z;
  std::vector<unsigned> in(cells), out(cells, 1), want(cells, 1), who(cells), wantWho(cells);
  for (unsigned &v : in)
    v = random.bits();
  for (unsigned z = 0; z < n.z; ++z)
    for (unsigned y = 0; y < n.y; ++y)
      for (unsigned x = 0; x < n.x; ++x) {
        unsigned i = (z * n.y + y) * n.x + x;
        if (x > 0 && x < n.x - 1 && y > 0 && y < n.y - 1)
          want[i] += in[i] * 5 + in[i - 1] + 3 * in[i + 1] + in[i - n.x] + in[i + n.x];
        else
          want[i] += in[i];
        wantWho[i] = (z / block.z << 24 | y / block.y << 12 | x / block.x) * 7 +
                     (z % block.z * block.y + y % block.y) * 1024 + x % block.x;
      }
  unsigned *device;
  size_t bytes = cells * sizeof(unsigned);
  CUDA_OK(cudaMalloc(&device, 3 * bytes));
  CUDA_OK(cudaMemcpy(device, in.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemcpy(device + cells, out.data(), bytes, cudaMemcpyHostToDevice));
  dim3 grid((n.x + block.x - 1) / block.x, (n.y + block.y - 1) / block.y, (n.z + block.z - 1) / block.z);
  step<<<grid, block>>>(n, device, device + cells, device + 2 * cells);
  CUDA_OK(cudaMemcpy(out.data(), device + cells, bytes, cudaMemcpyDeviceToHost));
  CUDA_OK(cudaMemcpy(who.data(), device + 2 * cells, bytes, cudaMemcpyDeviceToHost));
  CUDA_OK(cudaFree(device));
  std::string what = "block " + std::to_string(block.x) + "x" + std::to_string(block.y) + "x" + std::to_string(block.z) +
                     " cells " + std::to_string(n.x) + "x" + std::to_string(n.y) + "x" + std::to_string(n.z);
  expectAll(what, out, want);
  expectAll(what + " who", who, wantWho);
}

int main() {
  Random random(7);
  for (dim3 block : {dim3(32, 8), dim3(16, 16), dim3(8, 4, 2), dim3(64, 4), dim3(96, 3), dim3(128, 2), dim3(32, 1, 4),
                     dim3(4, 16), dim3(2, 32, 2), dim3(48, 4), dim3(33, 2), dim3(32, 3), dim3(1, 64), dim3(256)})
    for (Sizes n : {Sizes{1, 1, 1}, Sizes{32, 8, 1}, Sizes{500, 37, 1}, Sizes{513, 16, 3}, Sizes{67, 129, 2},
                    Sizes{unsigned(random.below(300) + 1), unsigned(random.below(60) + 1), 5}})
      check(block, n, random);
  return finish();
}
