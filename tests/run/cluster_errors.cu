// RUN: %heddle run -arch=sm_90 %s
// NVCC: -std=c++17 -arch=sm_90
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clusters that a launch cannot have: CUDA's codes, and nothing runs. What kernels require, allow, and are asked.
#include "support.h"

#include <cooperative_groups.h>
#include <tuple>

__device__ void count(int *out) {
  if (threadIdx.x == 0)
    atomicAdd(out, int(cooperative_groups::this_cluster().num_blocks()));
}
__global__ void plain(int *out) { count(out); }
__global__ void other(int *out) { count(out); }
__global__ void __cluster_dims__(2, 1, 1) pairs(int *out) { count(out); }
__global__ void __launch_bounds__(128, 1, 2) bounded(int *out) { count(out); }

using Kernel = void (*)(int *);

/// `sum`: the sizes of all blocks' clusters, 0 if nothing may run.
void launch(const char *what, Kernel kernel, dim3 grid, const dim3 *cluster, cudaError_t want, int sum) {
  Buffer<int> out(1);
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  if (cluster)
    std::tie(attribute.val.clusterDim.x, attribute.val.clusterDim.y, attribute.val.clusterDim.z) =
        std::make_tuple(cluster->x, cluster->y, cluster->z);
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = dim3(32);
  config.attrs = &attribute;
  config.numAttrs = cluster ? 1 : 0;
  expectError(what, cudaLaunchKernelEx(&config, kernel, out.data), want);
  cudaGetLastError();
  CUDA_OK(cudaDeviceSynchronize());
  expect(what, 0, out.get()[0], sum);
}

void launch(const char *what, Kernel kernel, dim3 grid, dim3 cluster, cudaError_t want, int sum = 0) {
  launch(what, kernel, grid, &cluster, want, sum);
}
void launch(const char *what, Kernel kernel, dim3 grid, cudaError_t want, int sum = 0) {
  launch(what, kernel, grid, nullptr, want, sum);
}

cudaFuncAttributes attributesOf(Kernel kernel) {
  cudaFuncAttributes a;
  CUDA_OK(cudaFuncGetAttributes(&a, kernel));
  return a;
}

/// Clusters that run at once, or the error as a number below zero.
int activeClusters(Kernel kernel, dim3 cluster) {
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster.x;
  attribute.val.clusterDim.y = cluster.y;
  attribute.val.clusterDim.z = cluster.z;
  cudaLaunchConfig_t config = {};
  config.gridDim = cluster;
  config.blockDim = dim3(32);
  config.attrs = &attribute;
  config.numAttrs = 1;
  int count = -1;
  cudaError_t error = cudaOccupancyMaxActiveClusters(&count, kernel, &config);
  cudaGetLastError();
  return error == cudaSuccess ? count : -int(error);
}
int largestCluster(Kernel kernel) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(16);
  config.blockDim = dim3(32);
  int size = -1;
  CUDA_OK(cudaOccupancyMaxPotentialClusterSize(&size, kernel, &config));
  return size;
}

int main() {
  const cudaError_t Bad = cudaErrorInvalidClusterSize;
  launch("none", plain, dim3(3), cudaSuccess, 3);
  launch("one block", plain, dim3(3), dim3(1), cudaSuccess, 3);
  launch("eight", plain, dim3(4, 2, 2), dim3(2, 2, 2), cudaSuccess, 128);
  launch("odd grid", plain, dim3(3), dim3(2), Bad);
  launch("odd in y", plain, dim3(4, 3), dim3(2, 2), Bad);
  launch("nine", plain, dim3(18), dim3(9), Bad);
  launch("sixteen", plain, dim3(16), dim3(16), Bad);
  launch("no width", plain, dim3(4), dim3(0, 1, 1), Bad);
  launch("no height", plain, dim3(4), dim3(2, 0, 1), Bad);
  launch("bound", bounded, dim3(4), dim3(2), cudaSuccess, 8);
  launch("above the bound", bounded, dim3(4), dim3(4), Bad);

  launch("required", pairs, dim3(4), cudaSuccess, 8);
  launch("required, odd grid", pairs, dim3(3), Bad);
  launch("the same", pairs, dim3(4), dim3(2), cudaSuccess, 8);
  launch("another", pairs, dim3(4), dim3(4), Bad);
  launch("another of that size", pairs, dim3(2, 2), dim3(1, 2), Bad);
  cudaFuncAttributes a = attributesOf(pairs);
  expect("pairs", 0, a.clusterDimMustBeSet, 1);
  expect("pairs", 1, a.requiredClusterWidth, 2);
  expect("pairs", 2, a.requiredClusterHeight, 1);
  expect("pairs", 3, a.requiredClusterDepth, 1);
  expectError("pairs stay", cudaFuncSetAttribute(pairs, cudaFuncAttributeRequiredClusterWidth, 4),
              cudaErrorInvalidValue);
  cudaGetLastError();

  expectError("negative", cudaFuncSetAttribute(other, cudaFuncAttributeRequiredClusterWidth, -1),
              cudaErrorInvalidValue);
  expectError("policy", cudaFuncSetAttribute(other, cudaFuncAttributeClusterSchedulingPolicyPreference, 7),
              cudaErrorInvalidValue);
  cudaGetLastError();
  CUDA_OK(cudaFuncSetAttribute(other, cudaFuncAttributeClusterSchedulingPolicyPreference,
                               cudaClusterSchedulingPolicySpread));
  a = attributesOf(other);
  expect("other", 0, a.clusterDimMustBeSet, 0);
  expect("other", 1, a.requiredClusterWidth, 0);
  expect("other", 2, a.nonPortableClusterSizeAllowed, 0);
  expect("other", 3, a.clusterSchedulingPolicyPreference, int(cudaClusterSchedulingPolicySpread));
  expectError("read only", cudaFuncSetAttribute(other, cudaFuncAttributeClusterDimMustBeSet, 1), cudaErrorInvalidValue);
  cudaGetLastError();
  CUDA_OK(cudaFuncSetAttribute(other, cudaFuncAttributeRequiredClusterWidth, 2));
  CUDA_OK(cudaFuncSetAttribute(other, cudaFuncAttributeRequiredClusterHeight, 1));
  CUDA_OK(cudaFuncSetAttribute(other, cudaFuncAttributeRequiredClusterDepth, 1));
  a = attributesOf(other);
  expect("required", 0, a.clusterDimMustBeSet, 0);
  expect("required", 1, a.requiredClusterWidth, 2);
  expect("required", 2, a.requiredClusterHeight, 1);
  expect("required", 3, a.requiredClusterDepth, 1);
  launch("required now", other, dim3(4), cudaSuccess, 8);

  expect("largest", 0, largestCluster(plain), 8);
  expect("no cluster of 16", 0, activeClusters(plain, dim3(16)), -int(Bad));
  CUDA_OK(cudaFuncSetAttribute(plain, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  expect("allowed", 0, attributesOf(plain).nonPortableClusterSizeAllowed, 1);
  expect("largest", 1, largestCluster(plain), 16);
  expectTrue("clusters of 16", activeClusters(plain, dim3(16)) > 0);
  expectTrue("clusters of 2", activeClusters(plain, dim3(2)) >= 8 * activeClusters(plain, dim3(16)));
  launch("sixteen, allowed", plain, dim3(16), dim3(4, 1, 1), cudaSuccess, 64);
  launch("sixteen, allowed", plain, dim3(32), dim3(16), cudaSuccess, 512);
  launch("seventeen", plain, dim3(17), dim3(17), Bad);
  launch("thirty-two", plain, dim3(32), dim3(32), Bad);
  return finish();
}
