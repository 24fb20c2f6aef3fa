// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs as kernels of graphs launch them (CUDA guide, "Device Graph Launch"): by the named streams
// for graphs only, and after an upload or a launch by the host. And kernel nodes as kernels change
// them (CUDA runtime API, cudaLaunchAttributeDeviceUpdatableKernelNode).
#include "driver/boards/board.h"
#include "driver/children/child_call.h"
#include "driver/executable/executable.h"
#include "driver/launch/kernel_operation.h"

#include "cuda_device_runtime_api.h"

#include <optional>

namespace heddle::driver {

namespace {

std::optional<device::GraphStream> graphStreamOf(cudaStream_t stream) {
  if (stream == cudaStreamGraphFireAndForget)
    return device::GraphStream::FireAndForget;
  if (stream == cudaStreamGraphTailLaunch)
    return device::GraphStream::Tail;
  if (stream == cudaStreamGraphFireAndForgetAsSibling)
    return device::GraphStream::Sibling;
  return {};
}

using Field = device::LaunchChange::Field;

CUresult change(ChildCall &call, cudaGraphDeviceNode_t handle, const device::LaunchChange &change) {
  DeviceNode *node = deviceNodeOf(handle);
  device::GraphLaunch *launch = node ? node->launch.load() : nullptr;
  return launch && call.device.backend->changeLaunch(launch, change) ? CUDA_SUCCESS
                                                                     : CUDA_ERROR_INVALID_VALUE;
}

} // namespace

namespace on_device {

CUresult cudaGraphKernelNodeSetEnabled(ChildCall &call, cudaGraphDeviceNode_t node,
                                       unsigned isEnabled) {
  device::LaunchChange enabled = {Field::Enabled};
  enabled.isEnabled = isEnabled != 0;
  return change(call, node, enabled);
}

CUresult cudaGraphKernelNodeSetGridDim(ChildCall &call, cudaGraphDeviceNode_t node, unsigned x,
                                       unsigned y, unsigned z) {
  const int *most = call.device.board->properties.maxGridSize;
  if (!x || !y || !z || x > unsigned(most[0]) || y > unsigned(most[1]) || z > unsigned(most[2]))
    return CUDA_ERROR_INVALID_VALUE;
  return change(call, node, {Field::Grid, {x, y, z}});
}

CUresult cudaGraphKernelNodeSetParam(ChildCall &call, cudaGraphDeviceNode_t node, size_t offset,
                                     const void *value, size_t size) {
  device::LaunchChange params = {Field::Params};
  params.offset = offset;
  params.bytes = {static_cast<const uint8_t *>(value), size};
  return value ? change(call, node, params) : CUDA_ERROR_INVALID_VALUE;
}

/// All that come before the first that is wrong.
CUresult cudaGraphKernelNodeUpdatesApply(ChildCall &call, const cudaGraphKernelNodeUpdate *updates,
                                         size_t count) {
  CUresult error = updates ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count && !error; ++i) {
    const auto &[node, field, data] = updates[i];
    if (field == cudaGraphKernelNodeFieldGridDim)
      error =
          cudaGraphKernelNodeSetGridDim(call, node, data.gridDim.x, data.gridDim.y, data.gridDim.z);
    else if (field == cudaGraphKernelNodeFieldParam)
      error = cudaGraphKernelNodeSetParam(call, node, data.param.offset, data.param.pValue,
                                          data.param.size);
    else if (field == cudaGraphKernelNodeFieldEnabled)
      error = cudaGraphKernelNodeSetEnabled(call, node, data.isEnabled);
    else
      error = CUDA_ERROR_INVALID_VALUE;
  }
  return error;
}

/// Without the executable graph's lock, which a thread of the host may hold while it waits. That
/// nobody changes a graph while the device launches it is the program's matter.
CUresult cudaGraphLaunch(ChildCall &call, cudaGraphExec_t handle, cudaStream_t streamHandle) {
  Executable *executable = executableOf(handle);
  std::optional<device::GraphStream> stream = graphStreamOf(streamHandle);
  device::Graph *graph = executable ? executable->uploaded.load() : nullptr;
  if (!graph || !stream || executable->device != &call.device)
    return CUDA_ERROR_INVALID_VALUE;
  return call.children().launchGraph(graph, *stream) == device::ChildResult::Done
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

CUresult cudaGetCurrentGraphExec(ChildCall &call) {
  call.call.result = reinterpret_cast<unsigned long long>(call.children().currentGraph());
  return CUDA_SUCCESS;
}

} // namespace on_device
} // namespace heddle::driver
