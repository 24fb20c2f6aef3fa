// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cooperative launches on several devices (API reference, "Execution Control"; deprecated since
// CUDA 11.3). One grid for each device, all of the same kernel and shape; they may wait for each
// other, so all are checked before the first is launched. What they share lives until the last one
// is over: each stream holds a part in it behind its grid.
#include "runtime/launch/launch.h"
#include "runtime/streams/capture.h"

#include <memory>
#include <set>
#include <span>
#include <vector>

namespace heddle::runtime {

namespace {

using Grids = std::span<cudaLaunchParams>;

bool isSame(const dim3 &a, const dim3 &b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/// Calls body(stream, parameters, rank) for each grid, with its device the current one, until one
/// fails.
template <typename F> cudaError_t forEachGrid(Grids grids, F &&body) {
  const int before = thread().device;
  cudaError_t error = cudaSuccess;
  for (uint32_t rank = 0; rank < grids.size() && error == cudaSuccess; ++rank) {
    Stream *stream = streamOf(grids[rank].stream);
    if (!stream)
      error = cudaErrorInvalidResourceHandle;
    else {
      thread().device = stream->device->ordinal;
      error = body(*stream, grids[rank], rank);
    }
  }
  thread().device = before;
  return error;
}

/// A grid that may be launched.
struct ReadyGrid {
  std::unique_ptr<uint8_t[]> packed;
  device::LaunchRequest request;
};

cudaError_t makeGrids(Grids grids, std::vector<ReadyGrid> &ready) {
  std::set<Device *> devices;
  return forEachGrid(
      grids, [&](Stream &stream, const cudaLaunchParams &grid, uint32_t rank) -> cudaError_t {
        const cudaLaunchParams &first = grids.front();
        if (stream.isDefault || !devices.insert(stream.device).second || grid.func != first.func ||
            !isSame(grid.gridDim, first.gridDim) || !isSame(grid.blockDim, first.blockDim) ||
            grid.sharedMem != first.sharedMem)
          return cudaErrorInvalidValue;
        if (cudaError_t error = mayWorkIn(stream)) // no node stands for such grids
          return error;
        Function *function;
        if (cudaError_t error = findFunction(grid.func, *stream.device, function))
          return error;
        if (function->kernel->paramBytes > MaxParamBytes)
          return cudaErrorInvalidValue;
        ReadyGrid &made = ready.emplace_back();
        made.packed = std::make_unique<uint8_t[]>(MaxParamBytes + 4);
        if (cudaError_t error = packParams(*function, grid.args, made.packed.get()))
          return error;
        made.request.gridRank = rank;
        LaunchShape shape = {grid.gridDim, grid.blockDim, grid.sharedMem, true};
        return makeLaunch(*function, *stream.device, shape, made.packed.get(), made.request);
      });
}

/// What comes in any of the streams waits for what is in all of them now.
cudaError_t joinStreams(Grids grids) {
  std::vector<std::pair<device::Device *, device::Marker *>> markers;
  cudaError_t error = forEachGrid(grids, [&](Stream &stream, auto &, uint32_t) {
    device::Device *backend = stream.device->backend.get();
    markers.emplace_back(backend, backend->record(stream.queue));
    return cudaSuccess;
  });
  if (error == cudaSuccess)
    error = forEachGrid(grids, [&](Stream &stream, auto &, uint32_t) {
      for (auto &[backend, marker] : markers)
        stream.device->backend->waitFor(stream.queue, marker);
      return cudaSuccess;
    });
  for (auto &[backend, marker] : markers)
    backend->drop(marker);
  return error;
}

cudaError_t launchGrids(Grids grids, unsigned flags) {
  std::vector<ReadyGrid> ready;
  if (cudaError_t error = makeGrids(grids, ready))
    return error;
  if (!(flags & cudaCooperativeLaunchMultiDeviceNoPreSync))
    if (cudaError_t error = joinStreams(grids))
      return error;
  auto shared = std::make_shared<MultiGrid>(static_cast<uint32_t>(grids.size()), 0u, 0u);
  cudaError_t error = forEachGrid(grids, [&](Stream &stream, auto &, uint32_t rank) {
    ready[rank].request.multiGrid = shared.get();
    stream.device->backend->launch(stream.queue, ready[rank].request);
    stream.device->backend->enqueue(stream.queue, [shared] {}); // does not wait, in no mode
    return cudaSuccess;
  });
  if (error == cudaSuccess && !(flags & cudaCooperativeLaunchMultiDeviceNoPostSync))
    error = joinStreams(grids);
  if (error == cudaSuccess && state().launchBlocking)
    error =
        forEachGrid(grids, [](Stream &stream, auto &, uint32_t) { return synchronize(stream); });
  return error;
}

} // namespace
} // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_API cudaError_t cudaLaunchCooperativeKernelMultiDevice(cudaLaunchParams *launchParamsList,
                                                              unsigned int numDevices,
                                                              unsigned int flags) {
  constexpr unsigned Flags =
      cudaCooperativeLaunchMultiDeviceNoPreSync | cudaCooperativeLaunchMultiDeviceNoPostSync;
  return enter([&]() -> cudaError_t {
    if (!launchParamsList || numDevices == 0 || numDevices > state().devices.size() ||
        flags & ~Flags)
      return cudaErrorInvalidValue;
    return launchGrids({launchParamsList, numDevices}, flags);
  });
}
