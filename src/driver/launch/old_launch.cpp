// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches as they were before cuLaunchKernel (driver API, "Execution Control [DEPRECATED]"): what a
// launch needs is set on the function.
#include "driver/boards/board.h"
#include "driver/functions.h"
#include "driver/launch/launch.h"
#include "driver/modules/handles.h"

#include <climits>
#include <cstring>

namespace heddle::driver {

namespace {

/// Runs `change(settings)` for a function.
template <typename F> CUresult withOldLaunch(CUfunction function, F &&change) {
  return withKernel(function, currentContext(), [&](Function &found) {
    std::lock_guard guard(found.mutex);
    return change(found.oldLaunch);
  });
}

CUresult setParams(CUfunction function, int offset, const void *data, size_t bytes) {
  if (offset < 0 || (!data && bytes))
    return CUDA_ERROR_INVALID_VALUE;
  const size_t end = static_cast<size_t>(offset) + bytes;
  if (end > MaxParamBytes)
    return CUDA_ERROR_INVALID_VALUE;
  return withOldLaunch(function, [&](OldLaunch &launch) {
    if (launch.params.size() < end)
      launch.params.resize(end);
    std::memcpy(launch.params.data() + offset, data, bytes);
    return CUDA_SUCCESS;
  });
}

CUresult launchGrid(CUfunction function, int width, int height, CUstream stream) {
  if (!kernelOf(function))
    return CUDA_ERROR_INVALID_HANDLE;
  if (width <= 0 || height <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  OldLaunch launch;
  CUresult error = withOldLaunch(function, [&](const OldLaunch &set) {
    launch = set;
    return set.block[0] ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
  if (error != CUDA_SUCCESS)
    return error;
  size_t bytes = launch.params.size();
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, launch.params.data(),
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  const LaunchShape shape = {{static_cast<unsigned>(width), static_cast<unsigned>(height)},
                             {launch.block[0], launch.block[1], launch.block[2]},
                             launch.sharedBytes};
  return driver::launch(function, shape, stream, {nullptr, extra});
}

} // namespace

CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z) {
  if (!kernelOf(function))
    return CUDA_ERROR_INVALID_HANDLE;
  if (x <= 0 || y <= 0 || z <= 0 ||
      int64_t(x) * y * z > currentContext().board->properties.maxThreadsPerBlock)
    return CUDA_ERROR_INVALID_VALUE;
  return withOldLaunch(function, [&](OldLaunch &launch) {
    launch.block = {static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z)};
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncSetSharedSize(CUfunction function, unsigned bytes) {
  if (bytes > INT_MAX)
    return CUDA_ERROR_INVALID_VALUE;
  return withOldLaunch(function, [&](OldLaunch &launch) {
    launch.sharedBytes = bytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuParamSetSize(CUfunction function, unsigned bytes) {
  if (bytes > MaxParamBytes)
    return CUDA_ERROR_INVALID_VALUE;
  return withOldLaunch(function, [&](OldLaunch &launch) {
    launch.params.resize(bytes);
    return CUDA_SUCCESS;
  });
}

CUresult cuParamSeti(CUfunction function, int offset, unsigned value) {
  return setParams(function, offset, &value, sizeof value);
}

CUresult cuParamSetf(CUfunction function, int offset, float value) {
  return setParams(function, offset, &value, sizeof value);
}

CUresult cuParamSetv(CUfunction function, int offset, void *data, unsigned bytes) {
  return setParams(function, offset, data, bytes);
}

CUresult cuLaunch(CUfunction function) { return launchGrid(function, 1, 1, nullptr); }

CUresult cuLaunchGrid(CUfunction function, int width, int height) {
  return launchGrid(function, width, height, nullptr);
}

CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream) {
  return launchGrid(function, width, height, stream);
}

} // namespace heddle::driver
