// RUN: env HEDDLE_DEVICE=a100 %heddle run %s
// HARDWARE: not tried
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A board before compute capability 9.0 has no clusters: a launch that wants one of several blocks is refused.
#include "../run/support.h"

#include <cooperative_groups.h>

__global__ void plain(int *out) {
  if (threadIdx.x == 0)
    atomicAdd(out, int(cooperative_groups::this_cluster().num_blocks()));
}

int main() {
  int has = -1, count = -1;
  CUDA_OK(cudaDeviceGetAttribute(&has, cudaDevAttrClusterLaunch, 0));
  expect("attribute", 0, has, 0);
  Buffer<int> out(1);
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 2;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(4);
  config.blockDim = dim3(32);
  config.attrs = &attribute;
  config.numAttrs = 1;
  expectError("two blocks", cudaLaunchKernelEx(&config, plain, out.data), cudaErrorNotSupported);
  expectError("active", cudaOccupancyMaxActiveClusters(&count, plain, &config), cudaErrorNotSupported);
  expectError("largest", cudaOccupancyMaxPotentialClusterSize(&count, plain, &config), cudaErrorNotSupported);
  cudaGetLastError();
  expect("nothing ran", 0, out.get()[0], 0);
  attribute.val.clusterDim.x = 1;
  CUDA_OK(cudaLaunchKernelEx(&config, plain, out.data));
  checkLaunch();
  expect("one block", 0, out.get()[0], 4);
  return finish();
}
