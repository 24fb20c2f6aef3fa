// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thread indices, dimensions and partial warps and blocks, for many block and grid shapes.
#include "support.h"

struct Place {
  unsigned tx, ty, tz, bx, by, bz, lane, warp;
};

__global__ void places(Place *out, unsigned *dims) {
  unsigned linear = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  unsigned lane = linear & (warpSize - 1), i = threadInGrid();
  out[i] = {threadIdx.x, threadIdx.y, threadIdx.z, blockIdx.x, blockIdx.y, blockIdx.z, lane, linear / warpSize};
  if (i == 0) {
    dims[0] = gridDim.x, dims[1] = gridDim.y, dims[2] = gridDim.z;
    dims[3] = blockDim.x, dims[4] = blockDim.y, dims[5] = blockDim.z;
  }
}

static void check(dim3 grid, dim3 block) {
  unsigned perBlock = block.x * block.y * block.z, total = perBlock * grid.x * grid.y * grid.z;
  Buffer<Place> out(total);
  Buffer<unsigned> dims(6);
  places<<<grid, block>>>(out, dims);
  checkLaunch();
  std::vector<Place> want;
  for (unsigned b = 0; b < grid.x * grid.y * grid.z; b++)
    for (unsigned t = 0; t < perBlock; t++)
      want.push_back({t % block.x, t / block.x % block.y, t / block.x / block.y, b % grid.x, b / grid.x % grid.y,
                      b / grid.x / grid.y, t % 32, t / 32});
  std::string name = "block " + std::to_string(block.x) + "x" + std::to_string(block.y) + "x" + std::to_string(block.z);
  expectAll(name, out.get(), want);
  expectAll(name + " dims", dims.get(), {grid.x, grid.y, grid.z, block.x, block.y, block.z});
}

int main() {
  for (unsigned n : {1u, 7u, 31u, 32u, 33u, 100u, 1000u, 1024u})
    check(dim3(3), dim3(n));
  check(dim3(2, 3), dim3(16, 16));
  check(dim3(5, 1, 2), dim3(8, 4));
  check(dim3(1, 7), dim3(5, 7));
  check(dim3(2, 2, 2), dim3(3, 3, 3));
  check(dim3(3), dim3(1, 1, 64));
  check(dim3(3), dim3(1, 33));
  check(dim3(2), dim3(32, 4, 2));
  return finish();
}
