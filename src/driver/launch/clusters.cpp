// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clusters (CUDA guide, "Thread Block Clusters"): how many blocks of a launch make one. The kernel
// says it (__cluster_dims__, or attributes that were set later), or the launch does; a launch of a
// kernel that says it has to say the same or nothing. What a board runs in one cluster is portable
// up to 8 blocks; 16 must be allowed kernel by kernel. How many clusters fit at once is taken from
// how many blocks do: how a GPU's multiprocessors are grouped is not known of all boards.
#include "driver/launch/clusters.h"
#include "driver/functions.h"

#include "driver/boards/board.h"
#include "driver/launch/launch.h"
#include "driver/launch/occupancy.h"
#include "driver/modules/handles.h"

#include <algorithm>

namespace heddle::driver {

namespace {

/// What the kernel requires: by its source, or by cudaFuncSetAttribute; zeros if it does not.
std::array<uint32_t, 3> requiredClusters(Function &function, Context &device) {
  const uint32_t *dim = function.kernel->clusterDim;
  if (dim[0])
    return {dim[0], dim[1], dim[2]};
  return function.settingsOn(device).requiredCluster;
}

uint32_t largestCluster(Function &function, Context &device) {
  uint32_t portable = static_cast<uint32_t>(device.board->architecture->maxCluster);
  bool allowed = function.settingsOn(device).allowsLargeClusters;
  uint32_t most = allowed ? std::max(portable, MostClusterBlocks) : portable;
  uint32_t bound = function.kernel->maxClusterRank; // __launch_bounds__
  return bound ? std::min(bound, most) : most;
}

int threadsOf(const CUlaunchConfig &config) {
  return static_cast<int>(config.blockDimX * config.blockDimY * config.blockDimZ);
}

/// Clusters of the size that the configuration or the kernel names; none if neither does.
CUresult activeClusters(Function &function, Context &device, const CUlaunchConfig &config,
                        int &count) {
  std::array<uint32_t, 3> required = requiredClusters(function, device);
  std::optional<dim3> asked = askedClusters(config);
  if (!asked && required[0])
    asked = dim3(required[0], required[1], required[2]);
  count = 0;
  if (!asked)
    return CUDA_SUCCESS;
  const uint64_t size = uint64_t(asked->x) * asked->y * asked->z;
  if (size == 0 || size > largestCluster(function, device) || config.gridDimX % asked->x ||
      config.gridDimY % asked->y || config.gridDimZ % asked->z)
    return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  const int blocks = activeBlocks(function, device, threadsOf(config), config.sharedMemBytes);
  count = blocks * device.board->properties.multiProcessorCount / static_cast<int>(size);
  return CUDA_SUCCESS;
}

/// For cudaOccupancyMax*Cluster*: boards before compute capability 9.0 have no clusters.
template <typename F>
CUresult withClusters(int *out, CUfunction handle, const CUlaunchConfig *config, F &&body) {
  Context &device = currentContext();
  return withKernel(handle, device, [&](Function &function) {
    if (!out || !config || (config->numAttrs && !config->attrs) || threadsOf(*config) <= 0)
      return CUDA_ERROR_INVALID_VALUE;
    if (!device.board->properties.clusterLaunch)
      return CUDA_ERROR_NOT_SUPPORTED;
    return body(function);
  });
}

} // namespace

std::optional<dim3> askedClusters(const CUlaunchConfig &config) {
  for (unsigned i = 0; i < config.numAttrs; ++i)
    if (config.attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      const auto &dim = config.attrs[i].value.clusterDim;
      if (dim.x || dim.y || dim.z) // else it asks for none
        return dim3(dim.x, dim.y, dim.z);
    }
  return {};
}

CUresult chooseClusters(Function &function, Context &device, std::optional<dim3> asked,
                        const dim3 &grid, ClusterShape &shape) {
  const bool isNeeded = function.kernel->flags & ImageKernelNeedsCluster;
  if (!asked && !function.kernel->clusterDim[0] && !function.hasSettings.load() && !isNeeded)
    return CUDA_SUCCESS;
  std::array<uint32_t, 3> required = requiredClusters(function, device);
  if (!asked && !required[0])
    return isNeeded ? CUDA_ERROR_INVALID_CLUSTER_SIZE : CUDA_SUCCESS;
  if (asked) {
    std::array<uint32_t, 3> dim = {asked->x, asked->y, asked->z};
    if (required[0] && required != dim)
      return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    required = dim;
  }
  const unsigned blocks[3] = {grid.x, grid.y, grid.z};
  for (int i = 0; i < 3; ++i)
    if (required[i] == 0 || required[i] > MostClusterBlocks || blocks[i] % required[i])
      return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  std::copy(required.begin(), required.end(), shape.dim);
  shape.isNamed = true;
  if (shape.size() > 1 && !device.board->properties.clusterLaunch)
    return CUDA_ERROR_NOT_SUPPORTED;
  return shape.size() > largestCluster(function, device) && shape.size() > 1
             ? CUDA_ERROR_INVALID_CLUSTER_SIZE
             : CUDA_SUCCESS;
}

void fillClusterAttributes(Function &function, Context &device, cudaFuncAttributes &a) {
  FunctionSettings settings = function.settingsOn(device);
  std::array<uint32_t, 3> required = requiredClusters(function, device);
  a.clusterDimMustBeSet = function.kernel->clusterDim[0] != 0;
  a.requiredClusterWidth = static_cast<int>(required[0]);
  a.requiredClusterHeight = static_cast<int>(required[1]);
  a.requiredClusterDepth = static_cast<int>(required[2]);
  a.clusterSchedulingPolicyPreference = settings.clusterScheduling;
  a.nonPortableClusterSizeAllowed = settings.allowsLargeClusters;
}

CUresult setClusterAttribute(Function &function, Context &device, cudaFuncAttribute attribute,
                             int value) {
  auto change = [&](auto &&body) {
    function.changeSettings(device, body);
    return CUDA_SUCCESS;
  };
  switch (attribute) {
  case cudaFuncAttributeRequiredClusterWidth:
  case cudaFuncAttributeRequiredClusterHeight:
  case cudaFuncAttributeRequiredClusterDepth:
    if (value < 0 || function.kernel->clusterDim[0]) // what the source says stays
      return CUDA_ERROR_INVALID_VALUE;
    return change([&](FunctionSettings &s) {
      s.requiredCluster[attribute - cudaFuncAttributeRequiredClusterWidth] =
          static_cast<uint32_t>(value);
    });
  case cudaFuncAttributeNonPortableClusterSizeAllowed:
    return change([&](FunctionSettings &s) { s.allowsLargeClusters = value != 0; });
  case cudaFuncAttributeClusterSchedulingPolicyPreference: // of no consequence here
    if (value < 0 || value > cudaClusterSchedulingPolicyLoadBalancing)
      return CUDA_ERROR_INVALID_VALUE;
    return change([&](FunctionSettings &s) { s.clusterScheduling = value; });
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction handle,
                                      const CUlaunchConfig *config) {
  return withClusters(clusters, handle, config, [&](Function &function) {
    if (!config->gridDimX || !config->gridDimY || !config->gridDimZ)
      return CUDA_ERROR_INVALID_VALUE;
    return activeClusters(function, currentContext(), *config, *clusters);
  });
}

/// The largest cluster that the kernel may have, as long as its blocks can run at all.
CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction handle,
                                            const CUlaunchConfig *config) {
  return withClusters(size, handle, config, [&](Function &function) {
    Context &device = currentContext();
    const int blocks = activeBlocks(function, device, threadsOf(*config), config->sharedMemBytes);
    *size = blocks ? static_cast<int>(largestCluster(function, device)) : 0;
    return CUDA_SUCCESS;
  });
}

} // namespace heddle::driver
