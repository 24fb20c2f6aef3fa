// RUN: %heddle cc -rdc=true -arch=sm_90 %s -o %t
// RUN: %widths %t
// NVCC: -rdc=true -arch=sm_90
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels with a cluster size of their own, launched by device code: the one attribute of a launch that device code has.
#include "../support.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

/// Each block writes what the next one of its cluster has.
__global__ void __cluster_dims__(2, 2, 1) child(int *out, int factor) {
  __shared__ int own;
  auto cluster = cg::this_cluster();
  unsigned block = blockIdx.x + gridDim.x * blockIdx.y;
  if (threadIdx.x == 0)
    own = factor * int(block + 1);
  cluster.sync();
  int other = *cluster.map_shared_rank(&own, (cluster.block_rank() + 1) % cluster.num_blocks());
  cluster.sync();
  if (threadIdx.x == 0)
    out[block] = other;
}

__global__ void parent(int *out, dim3 grid, int *errors) {
  child<<<grid, 48>>>(out, 1);
  errors[0] = cudaGetLastError();
  child<<<grid, 48, 0, cudaStreamTailLaunch>>>(out + 64, 7);
  errors[1] = cudaGetLastError();
}

int main() {
  Buffer<int> out(128), errors(2);
  parent<<<1, 1>>>(out, dim3(6, 4), errors);
  checkLaunch();
  std::vector<int> got = out.get();
  for (int i = 0; i < 24; ++i) {
    int x = i % 6, y = i / 6, rank = (x % 2 + 2 * (y % 2) + 1) % 4;
    int other = (x / 2 * 2 + rank % 2) + 6 * (y / 2 * 2 + rank / 2) + 1;
    expect("child", i, got[i], other);
    expect("tail", i, got[64 + i], 7 * other);
  }
  expectAll("errors", errors.get(), {0, 0});
  // No whole number of clusters.
  parent<<<1, 1>>>(out, dim3(6, 3), errors);
  checkLaunch();
  expectAll("refused", errors.get(), {cudaErrorInvalidClusterSize, cudaErrorInvalidClusterSize});
  return finish();
}
