// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cooperative launches on several devices (driver API, "Execution Control"; deprecated since CUDA
// 11.3). One grid for each device, all of the same kernel and shape; they may wait for each
// other, so all are checked before the first is launched. What they share lives until the last one
// is over: each stream holds a part in it behind its grid.
#include "driver/functions.h"
#include "driver/launch/launch.h"
#include "driver/streams/capture.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>
#include <span>
#include <vector>

namespace heddle::driver {

namespace {

using Grids = std::span<CUDA_LAUNCH_PARAMS>;

bool isSameShape(const CUDA_LAUNCH_PARAMS &a, const CUDA_LAUNCH_PARAMS &b) {
  return a.gridDimX == b.gridDimX && a.gridDimY == b.gridDimY && a.gridDimZ == b.gridDimZ &&
         a.blockDimX == b.blockDimX && a.blockDimY == b.blockDimY && a.blockDimZ == b.blockDimZ &&
         a.sharedMemBytes == b.sharedMemBytes;
}

/// Calls body(stream, parameters, rank) for each grid, with its device the current one, until one
/// fails.
template <typename F> CUresult forEachGrid(Grids grids, F &&body) {
  Context *before = thread().current;
  CUresult error = CUDA_SUCCESS;
  for (uint32_t rank = 0; rank < grids.size() && error == CUDA_SUCCESS; ++rank) {
    Stream *stream = streamOf(grids[rank].hStream);
    if (!stream)
      error = CUDA_ERROR_INVALID_HANDLE;
    else {
      thread().current = stream->device;
      error = body(*stream, grids[rank], rank);
    }
  }
  thread().current = before;
  return error;
}

/// Functions of modules differ from context to context.
bool isSameKernel(const Function &a, const Function &b) {
  return &a == &b ||
         (std::strcmp(a.name, b.name) == 0 && std::ranges::equal(a.image.bytes(), b.image.bytes()));
}

/// A grid that may be launched.
struct ReadyGrid {
  std::unique_ptr<uint8_t[]> packed;
  device::LaunchRequest request;
};

CUresult makeGrids(Grids grids, std::vector<ReadyGrid> &ready) {
  std::set<Context *> devices;
  const Function *firstFunction = nullptr;
  return forEachGrid(
      grids, [&](Stream &stream, const CUDA_LAUNCH_PARAMS &grid, uint32_t rank) -> CUresult {
        if (stream.isDefault || !devices.insert(stream.device).second ||
            !isSameShape(grid, grids.front()))
          return CUDA_ERROR_INVALID_VALUE;
        if (CUresult error = mayWorkIn(stream)) // no node stands for such grids
          return error;
        Function *function;
        if (CUresult error = findFunction(grid.function, *stream.device, function))
          return error;
        if (!firstFunction)
          firstFunction = function;
        if (!isSameKernel(*function, *firstFunction) ||
            function->kernel->paramBytes > MaxParamBytes)
          return CUDA_ERROR_INVALID_VALUE;
        ReadyGrid &made = ready.emplace_back();
        made.packed = std::make_unique<uint8_t[]>(MaxParamBytes + 4);
        if (CUresult error = packParams(*function, grid.kernelParams, made.packed.get()))
          return error;
        made.request.gridRank = rank;
        LaunchShape shape = {{grid.gridDimX, grid.gridDimY, grid.gridDimZ},
                             {grid.blockDimX, grid.blockDimY, grid.blockDimZ},
                             grid.sharedMemBytes,
                             true};
        if (CUresult error =
                makeLaunch(*function, *stream.device, shape, made.packed.get(), made.request))
          return error;
        noteOrigin(made.request);
        return CUDA_SUCCESS;
      });
}

/// What comes in any of the streams waits for what is in all of them now.
CUresult joinStreams(Grids grids) {
  std::vector<std::pair<device::Device *, device::Marker *>> markers;
  CUresult error = forEachGrid(grids, [&](Stream &stream, auto &, uint32_t) {
    device::Device *backend = stream.device->backend.get();
    markers.emplace_back(backend, backend->record(stream.queue));
    return CUDA_SUCCESS;
  });
  if (error == CUDA_SUCCESS)
    error = forEachGrid(grids, [&](Stream &stream, auto &, uint32_t) {
      for (auto &[backend, marker] : markers)
        stream.device->backend->waitFor(stream.queue, marker);
      return CUDA_SUCCESS;
    });
  for (auto &[backend, marker] : markers)
    backend->drop(marker);
  return error;
}

CUresult launchGrids(Grids grids, unsigned flags) {
  std::vector<ReadyGrid> ready;
  if (CUresult error = makeGrids(grids, ready))
    return error;
  if (!(flags & CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC))
    if (CUresult error = joinStreams(grids))
      return error;
  auto shared = std::make_shared<MultiGrid>(static_cast<uint32_t>(grids.size()), 0u, 0u);
  CUresult error = forEachGrid(grids, [&](Stream &stream, auto &, uint32_t rank) {
    ready[rank].request.multiGrid = shared.get();
    stream.device->backend->launch(stream.queue, ready[rank].request);
    stream.device->backend->enqueue(stream.queue, [shared] {}); // does not wait, in no mode
    return CUDA_SUCCESS;
  });
  if (error == CUDA_SUCCESS && !(flags & CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC))
    error = joinStreams(grids);
  if (error == CUDA_SUCCESS && state().launchBlocking)
    error =
        forEachGrid(grids, [](Stream &stream, auto &, uint32_t) { return synchronize(stream); });
  return error;
}

} // namespace
CUresult cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *launches, unsigned count,
                                              unsigned flags) {
  constexpr unsigned Flags = CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC |
                             CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC;
  if (!launches || count == 0 || count > state().devices.size() || flags & ~Flags)
    return CUDA_ERROR_INVALID_VALUE;
  return launchGrids({launches, count}, flags);
}

} // namespace heddle::driver
