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

#include "driver/modules/module.h"
#include "driver/state.h"

#include "base/abi/device_calls.h"
#include "device/children.h"

namespace heddle::driver {

/// Who calls, and how.
struct ChildCall {
  const device::DeviceCaller &caller;
  Context &device;
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
CUresult errorOf(device::ChildResult);

/// From now on device code gets answers.
void answerDeviceCalls();

namespace on_device {

CUresult cudaGetParameterBuffer(ChildCall &, size_t alignment, size_t size);
CUresult cudaLaunchDevice(ChildCall &, void *kernel, void *buffer, unsigned gridX, unsigned gridY,
                          unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ,
                          unsigned shared, cudaStream_t);
CUresult cudaGetParameterBufferV2(ChildCall &, void *kernel, unsigned gridX, unsigned gridY,
                                  unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ,
                                  unsigned shared);
CUresult cudaLaunchDeviceV2(ChildCall &, void *buffer, cudaStream_t);
CUresult cudaDeviceSynchronize(ChildCall &);

CUresult cudaGraphSetConditional(ChildCall &, cudaGraphConditionalHandle, unsigned value);
CUresult cudaGraphLaunch(ChildCall &, cudaGraphExec_t, cudaStream_t);
CUresult cudaGetCurrentGraphExec(ChildCall &);
CUresult cudaGraphKernelNodeSetEnabled(ChildCall &, cudaGraphDeviceNode_t, unsigned isEnabled);
CUresult cudaGraphKernelNodeSetGridDim(ChildCall &, cudaGraphDeviceNode_t, unsigned x, unsigned y,
                                       unsigned z);
CUresult cudaGraphKernelNodeSetParam(ChildCall &, cudaGraphDeviceNode_t, size_t offset,
                                     const void *value, size_t size);
CUresult cudaGraphKernelNodeUpdatesApply(ChildCall &, const cudaGraphKernelNodeUpdate *,
                                         size_t count);

CUresult cudaGetLastError(ChildCall &);
CUresult cudaPeekAtLastError(ChildCall &);
CUresult cudaGetErrorString(ChildCall &, CUresult);
CUresult cudaGetErrorName(ChildCall &, CUresult);

CUresult cudaStreamCreateWithFlags(ChildCall &, cudaStream_t *, unsigned flags);
CUresult cudaStreamDestroy(ChildCall &, cudaStream_t);
CUresult cudaStreamWaitEvent(ChildCall &, cudaStream_t, cudaEvent_t, unsigned flags);
CUresult cudaEventCreateWithFlags(ChildCall &, cudaEvent_t *, unsigned flags);
CUresult cudaEventRecord(ChildCall &, cudaEvent_t, cudaStream_t, unsigned flags);
CUresult cudaEventDestroy(ChildCall &, cudaEvent_t);

CUresult cudaMalloc(ChildCall &, void **pointer, size_t bytes);
CUresult cudaFree(ChildCall &, void *pointer);
CUresult cudaMemcpyAsync(ChildCall &, void *to, const void *from, size_t bytes, cudaMemcpyKind,
                         cudaStream_t);
CUresult cudaMemcpy2DAsync(ChildCall &, void *to, size_t toPitch, const void *from,
                           size_t fromPitch, size_t width, size_t height, cudaMemcpyKind,
                           cudaStream_t);
CUresult cudaMemcpy3DAsync(ChildCall &, const cudaMemcpy3DParms *, cudaStream_t);
CUresult cudaMemsetAsync(ChildCall &, void *to, int value, size_t bytes, cudaStream_t);
CUresult cudaMemset2DAsync(ChildCall &, void *to, size_t pitch, int value, size_t width,
                           size_t height, cudaStream_t);
CUresult cudaMemset3DAsync(ChildCall &, void *to, size_t pitch, size_t xSize, size_t ySize,
                           int value, size_t width, size_t height, size_t depth, cudaStream_t);

CUresult cudaGetDevice(ChildCall &, int *device);
CUresult cudaGetDeviceCount(ChildCall &, int *count);
CUresult cudaDeviceGetAttribute(ChildCall &, int *value, cudaDeviceAttr, int device);
CUresult cudaDeviceGetLimit(ChildCall &, size_t *value, cudaLimit);
CUresult cudaDeviceGetCacheConfig(ChildCall &, cudaFuncCache *);
CUresult cudaDeviceGetSharedMemConfig(ChildCall &, cudaSharedMemConfig *);
CUresult cudaRuntimeGetVersion(ChildCall &, int *version);
CUresult cudaFuncGetAttributes(ChildCall &, cudaFuncAttributes *, const void *kernel);
CUresult cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(ChildCall &, int *blocks,
                                                                const void *kernel, int blockSize,
                                                                size_t shared, unsigned flags);

} // namespace on_device
} // namespace heddle::driver
