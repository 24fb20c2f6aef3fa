// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device runtime: CUDA's runtime functions as device code calls them (CUDA guide, "CUDA Dynamic
// Parallelism"). The compiled call comes from a worker, in the middle of a block
// (device/children.h); device_calls.cpp finds the function in namespace on_device, which has the
// name and the parameters of CUDA's, with the caller in front and the members of a dim3 one by one.
//
// What these functions read and write for the caller they touch while they hold no lock: a bad
// address is the kernel's fault and ends it there.
#pragma once

#include "runtime/modules/module.h"
#include "runtime/state.h"

#include "base/device_calls.h"
#include "device/children.h"

namespace heddle::runtime {

/// Who calls, and how.
struct ChildCall {
  const device::DeviceCaller &caller;
  Device &device;
  DeviceCall &call;

  device::Children &children() const { return *caller.children; }
  Module &module() const { return *callersFunction().module; }
  /// The stream of a handle in device code. A handle that is none is found out by the children.
  device::ChildStream streamOf(cudaStream_t) const;
  /// The kernel whose address device code has; null if it is none.
  Function *functionOf(const void *kernel) const;

private:
  Function &callersFunction() const {
    return *static_cast<Compiled *>(caller.kernel->owner)->function;
  }
};

/// CUDA's code for what became of work that a thread asked for.
cudaError_t errorOf(device::ChildResult);

/// From now on device code gets answers.
void answerDeviceCalls();

namespace on_device {

cudaError_t cudaGetParameterBuffer(ChildCall &, size_t alignment, size_t size);
cudaError_t cudaLaunchDevice(ChildCall &, void *kernel, void *buffer, unsigned gridX,
                             unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,
                             unsigned blockZ, unsigned shared, cudaStream_t);
cudaError_t cudaGetParameterBufferV2(ChildCall &, void *kernel, unsigned gridX, unsigned gridY,
                                     unsigned gridZ, unsigned blockX, unsigned blockY,
                                     unsigned blockZ, unsigned shared);
cudaError_t cudaLaunchDeviceV2(ChildCall &, void *buffer, cudaStream_t);
cudaError_t cudaDeviceSynchronize(ChildCall &);

cudaError_t cudaGraphSetConditional(ChildCall &, cudaGraphConditionalHandle, unsigned value);
cudaError_t cudaGraphLaunch(ChildCall &, cudaGraphExec_t, cudaStream_t);
cudaError_t cudaGetCurrentGraphExec(ChildCall &);
cudaError_t cudaGraphKernelNodeSetEnabled(ChildCall &, cudaGraphDeviceNode_t, unsigned isEnabled);
cudaError_t cudaGraphKernelNodeSetGridDim(ChildCall &, cudaGraphDeviceNode_t, unsigned x,
                                          unsigned y, unsigned z);
cudaError_t cudaGraphKernelNodeSetParam(ChildCall &, cudaGraphDeviceNode_t, size_t offset,
                                        const void *value, size_t size);
cudaError_t cudaGraphKernelNodeUpdatesApply(ChildCall &, const cudaGraphKernelNodeUpdate *,
                                            size_t count);

cudaError_t cudaGetLastError(ChildCall &);
cudaError_t cudaPeekAtLastError(ChildCall &);
cudaError_t cudaGetErrorString(ChildCall &, cudaError_t);
cudaError_t cudaGetErrorName(ChildCall &, cudaError_t);

cudaError_t cudaStreamCreateWithFlags(ChildCall &, cudaStream_t *, unsigned flags);
cudaError_t cudaStreamDestroy(ChildCall &, cudaStream_t);
cudaError_t cudaStreamWaitEvent(ChildCall &, cudaStream_t, cudaEvent_t, unsigned flags);
cudaError_t cudaEventCreateWithFlags(ChildCall &, cudaEvent_t *, unsigned flags);
cudaError_t cudaEventRecord(ChildCall &, cudaEvent_t, cudaStream_t, unsigned flags);
cudaError_t cudaEventDestroy(ChildCall &, cudaEvent_t);

cudaError_t cudaMalloc(ChildCall &, void **pointer, size_t bytes);
cudaError_t cudaFree(ChildCall &, void *pointer);
cudaError_t cudaMemcpyAsync(ChildCall &, void *to, const void *from, size_t bytes, cudaMemcpyKind,
                            cudaStream_t);
cudaError_t cudaMemcpy2DAsync(ChildCall &, void *to, size_t toPitch, const void *from,
                              size_t fromPitch, size_t width, size_t height, cudaMemcpyKind,
                              cudaStream_t);
cudaError_t cudaMemcpy3DAsync(ChildCall &, const cudaMemcpy3DParms *, cudaStream_t);
cudaError_t cudaMemsetAsync(ChildCall &, void *to, int value, size_t bytes, cudaStream_t);
cudaError_t cudaMemset2DAsync(ChildCall &, void *to, size_t pitch, int value, size_t width,
                              size_t height, cudaStream_t);
cudaError_t cudaMemset3DAsync(ChildCall &, void *to, size_t pitch, size_t xSize, size_t ySize,
                              int value, size_t width, size_t height, size_t depth, cudaStream_t);

cudaError_t cudaGetDevice(ChildCall &, int *device);
cudaError_t cudaGetDeviceCount(ChildCall &, int *count);
cudaError_t cudaDeviceGetAttribute(ChildCall &, int *value, cudaDeviceAttr, int device);
cudaError_t cudaDeviceGetLimit(ChildCall &, size_t *value, cudaLimit);
cudaError_t cudaDeviceGetCacheConfig(ChildCall &, cudaFuncCache *);
cudaError_t cudaDeviceGetSharedMemConfig(ChildCall &, cudaSharedMemConfig *);
cudaError_t cudaRuntimeGetVersion(ChildCall &, int *version);
cudaError_t cudaFuncGetAttributes(ChildCall &, cudaFuncAttributes *, const void *kernel);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(ChildCall &, int *blocks,
                                                                   const void *kernel,
                                                                   int blockSize, size_t shared,
                                                                   unsigned flags);

} // namespace on_device
} // namespace heddle::runtime
