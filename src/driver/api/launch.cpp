// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches (driver API, "Execution Control"). Parameters come one by one, or packed as the kernel
// reads them.
#include "driver/api/handles.h"
#include "driver/api/packed_params.h"
#include "driver/bodies.h"
#include "driver/functions.h"

#include <span>

namespace heddle::driver {

namespace {

/// The bytes that `extra` names.
CUresult readExtra(void **extra, PackedParams &packed) {
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
      packed.data = static_cast<uint8_t *>(extra[1]);
    else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1])
      packed.bytes = *static_cast<const size_t *>(extra[1]);
    else
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

/// Calls `launch(parameters)` with the parameters one by one.
template <typename F>
CUresult withParams(CUfunction function, void **params, void **extra, F &&launch) {
  if (!extra)
    return functionCode(launch(params));
  if (params)
    return CUDA_ERROR_INVALID_VALUE;
  PackedParams packed;
  if (CUresult error = readExtra(extra, packed))
    return error;
  return withPacked(function, packed, launch);
}

} // namespace

CUresult withPacked(CUfunction function, const PackedParams &packed,
                    const std::function<CUresult(void **)> &launch) {
  std::vector<void *> params;
  CUresult error = withKernel(function, currentContext(), [&](Function &found) {
    auto places = found.module->image.params(*found.kernel);
    for (const ImageParam &place : places) {
      if (!packed.data || packed.bytes < size_t(place.offset) + place.size)
        return CUDA_ERROR_INVALID_VALUE;
      params.push_back(packed.data + place.offset);
    }
    return CUDA_SUCCESS;
  });
  return error == CUDA_SUCCESS ? functionCode(launch(params.data())) : error;
}

CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,
                        unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                        CUstream stream, void **params, void **extra) {
  return withParams(function, params, extra, [&](void **each) {
    return cudaLaunchKernel(function, {gridX, gridY, gridZ}, {blockX, blockY, blockZ}, each,
                            sharedBytes, stream);
  });
}

/// The configurations and attributes of both APIs have the same layout.
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params,
                          void **extra) {
  return withParams(function, params, extra, [&](void **each) {
    return cudaLaunchKernelExC(reinterpret_cast<const cudaLaunchConfig_t *>(config), function,
                               each);
  });
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned gridX, unsigned gridY,
                                   unsigned gridZ, unsigned blockX, unsigned blockY,
                                   unsigned blockZ, unsigned sharedBytes, CUstream stream,
                                   void **params) {
  return functionCode(cudaLaunchCooperativeKernel(
      function, {gridX, gridY, gridZ}, {blockX, blockY, blockZ}, params, sharedBytes, stream));
}

CUresult cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *launches, unsigned count,
                                              unsigned flags) {
  if (!launches || count == 0 || count > state().devices.size())
    return CUDA_ERROR_INVALID_VALUE;
  std::vector<cudaLaunchParams> grids;
  for (const CUDA_LAUNCH_PARAMS &l : std::span(launches, count))
    grids.push_back({l.function,
                     {l.gridDimX, l.gridDimY, l.gridDimZ},
                     {l.blockDimX, l.blockDimY, l.blockDimZ},
                     l.kernelParams,
                     l.sharedMemBytes,
                     l.hStream});
  return functionCode(cudaLaunchCooperativeKernelMultiDevice(grids.data(), count, flags));
}

} // namespace heddle::driver
