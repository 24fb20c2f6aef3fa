// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches (runtime API, "Execution Control"). The configurations and attributes of both APIs have
// the same layout.
#include "runtime/symbols.h"
#include "runtime/unread.h"

#include <algorithm>
#include <climits>
#include <span>
#include <utility>
#include <vector>

using namespace heddle::runtime;

namespace {

bool exceeds(CUdevice device, CUdevice_attribute limit, uint64_t value) {
  int most = 0;
  return cu().cuDeviceGetAttribute(&most, limit, device) == CUDA_SUCCESS &&
         (value == 0 || value > static_cast<unsigned>(most));
}

/// Whether no kernel can be launched in such a shape on the current device.
bool isImpossible(const dim3 &grid, const dim3 &block) {
  CUdevice d;
  return cu().cuCtxGetDevice(&d) == CUDA_SUCCESS &&
         (exceeds(d, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, grid.x) ||
          exceeds(d, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, grid.y) ||
          exceeds(d, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, grid.z) ||
          exceeds(d, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, block.x) ||
          exceeds(d, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, block.y) ||
          exceeds(d, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, block.z) ||
          exceeds(d, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                  uint64_t(block.x) * block.y * block.z));
}

/// An error of a launch. The runtime has a code for impossible shapes, but not for those of nodes,
/// which a launch in a captured stream makes.
CUresult errorOf(bool is13, CUresult error, const dim3 &grid, const dim3 &block,
                 cudaStream_t stream) {
  if (error != CUDA_ERROR_INVALID_VALUE || is13) [[likely]]
    return error;
  CUstreamCaptureStatus status;
  const bool isCaptured = ask<&Cu::cuStreamIsCapturing>(stream, &status) == CUDA_SUCCESS &&
                          status != CU_STREAM_CAPTURE_STATUS_NONE;
  return !isCaptured && isImpossible(grid, block) ? CUresult(cudaErrorInvalidConfiguration) : error;
}

CUresult kernelOf(bool is13, const void *func, CUfunction &kernel) {
  const CUresult error = heddle::runtime::kernelOf(func, kernel);
  return is13 ? as(error, CUresult(cudaErrorInvalidDeviceFunction), cudaErrorInvalidResourceHandle)
              : error;
}

/// What is too much is so as an unsigned, too.
unsigned sharedBytes(size_t bytes) {
  return static_cast<unsigned>(std::min<size_t>(bytes, UINT_MAX));
}

/// `start(kernel)` launches it; `name` is the API's function.
template <typename F>
cudaError_t launchBy(F &&start, const char *name, bool is13, const void *func, const dim3 &grid,
                     const dim3 &block, cudaStream_t stream) {
  return translate(
      [&] {
        CUfunction kernel;
        if (CUresult error = kernelOf(is13, func, kernel))
          return error;
        return errorOf(is13, start(kernel), grid, block, stream);
      },
      name);
}

cudaError_t launch(bool is13, const void *func, dim3 grid, dim3 block, void **args, size_t shared,
                   cudaStream_t stream) {
  auto start = [&](CUfunction kernel) {
    return ask<&Cu::cuLaunchKernel>(kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                    sharedBytes(shared), stream, args, nullptr);
  };
  return launchBy(start, "cudaLaunchKernel", is13, func, grid, block, stream);
}

cudaError_t launchCooperative(bool is13, const void *func, dim3 grid, dim3 block, void **args,
                              size_t shared, cudaStream_t stream) {
  auto start = [&](CUfunction kernel) {
    return ask<&Cu::cuLaunchCooperativeKernel>(kernel, grid.x, grid.y, grid.z, block.x, block.y,
                                               block.z, sharedBytes(shared), stream, args);
  };
  return launchBy(start, "cudaLaunchCooperativeKernel", is13, func, grid, block, stream);
}

cudaError_t launchEx(bool is13, const cudaLaunchConfig_t *config, const void *func, void **args) {
  constexpr char Name[] = "cudaLaunchKernelExC";
  if (!config)
    return translate([] { return CUDA_ERROR_INVALID_VALUE; }, Name);
  auto start = [&](CUfunction kernel) {
    return ask<&Cu::cuLaunchKernelEx>(reinterpret_cast<const CUlaunchConfig *>(config), kernel,
                                      args, nullptr);
  };
  return launchBy(start, Name, is13, func, config->gridDim, config->blockDim, config->stream);
}

} // namespace

HEDDLE_API cudaError_t cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args,
                                        size_t shared, cudaStream_t stream) {
  const Arrows arrows = std::exchange(launchesBy, Arrows::None);
  if (arrows == Arrows::None)
    return launch(false, func, grid, block, args, shared, stream);
  heddle_arrows_launch(func);
  const cudaError_t error = launch(arrows == Arrows::Of13, func, grid, block, args, shared, stream);
  if (error != cudaSuccess)
    heddle_launch_refused(error);
  return error;
}
HEDDLE_API cudaError_t heddle_13_cudaLaunchKernel(const void *func, dim3 grid, dim3 block,
                                                  void **args, size_t shared, cudaStream_t stream) {
  return launchesBy == Arrows::None ? launch(true, func, grid, block, args, shared, stream)
                                    : cudaLaunchKernel(func, grid, block, args, shared, stream);
}

HEDDLE_API cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 grid, dim3 block,
                                                   void **args, size_t shared,
                                                   cudaStream_t stream) {
  return launchCooperative(false, func, grid, block, args, shared, stream);
}
HEDDLE_API cudaError_t heddle_13_cudaLaunchCooperativeKernel(const void *func, dim3 grid,
                                                             dim3 block, void **args, size_t shared,
                                                             cudaStream_t stream) {
  return launchCooperative(true, func, grid, block, args, shared, stream);
}

HEDDLE_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func,
                                           void **args) {
  return launchEx(false, config, func, args);
}
HEDDLE_API cudaError_t heddle_13_cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
                                                     const void *func, void **args) {
  return launchEx(true, config, func, args);
}

HEDDLE_API cudaError_t cudaLaunchCooperativeKernelMultiDevice(cudaLaunchParams *launches,
                                                              unsigned count, unsigned flags) {
  return translate([&] {
    int devices = 0;
    if (CUresult error = ask<&Cu::cuDeviceGetCount>(&devices))
      return error;
    if (!launches || count == 0 || count > static_cast<unsigned>(devices))
      return CUDA_ERROR_INVALID_VALUE;
    std::vector<CUDA_LAUNCH_PARAMS> grids;
    for (const cudaLaunchParams &l : std::span(launches, count)) {
      CUfunction kernel;
      if (CUresult error = kernelOf(l.func, kernel))
        return error;
      grids.push_back({kernel, l.gridDim.x, l.gridDim.y, l.gridDim.z, l.blockDim.x, l.blockDim.y,
                       l.blockDim.z, sharedBytes(l.sharedMem), l.stream, l.args});
    }
    return errorOf(false,
                   ask<&Cu::cuLaunchCooperativeKernelMultiDevice>(grids.data(), count, flags),
                   launches->gridDim, launches->blockDim, launches->stream);
  });
}
