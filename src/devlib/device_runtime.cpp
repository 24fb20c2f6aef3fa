// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of CUDA's runtime that device code may call (base/abi/device_functions.def). Each
// writes its operands into a DeviceCall in the thread's local memory and calls the runtime, which
// does the work (src/driver/children). For device code only.
#include "base/abi/device_calls.h"

using namespace heddle;

using u32 = unsigned;
using u64 = unsigned long long;

// By the ABI they are passed as copies in memory, as cuda_runtime_api.h has them.
struct Dim3 {
  u32 x, y, z;
};
struct Extent {
  u64 width, height, depth;
};
struct PitchedPointer {
  void *pointer;
  u64 pitch, xSize, ySize;
};

extern "C" u32 __heddle_device_call(u32 function, DeviceCall *call);

namespace {

inline u64 operandOf(const void *pointer) { return reinterpret_cast<u64>(pointer); }
inline u64 operandOf(u64 number) { return number; }
inline u64 operandOf(u32 number) { return number; }
inline u64 operandOf(int number) { return static_cast<u32>(number); }

template <typename... T> inline u32 ask(DeviceCall &call, DeviceFunction function, T... operands) {
  static_assert(sizeof...(T) <= DeviceCall::MostOperands);
  u32 x = __nvvm_read_ptx_sreg_ntid_x(), y = __nvvm_read_ptx_sreg_ntid_y();
  call.block = __nvvm_read_ptx_sreg_ctaid_x() +
               u64(__nvvm_read_ptx_sreg_nctaid_x()) *
                   (__nvvm_read_ptx_sreg_ctaid_y() +
                    u64(__nvvm_read_ptx_sreg_nctaid_y()) * __nvvm_read_ptx_sreg_ctaid_z());
  call.thread = __nvvm_read_ptx_sreg_tid_x() +
                x * (__nvvm_read_ptx_sreg_tid_y() + y * __nvvm_read_ptx_sreg_tid_z());
  u32 i = 0;
  ((call.operands[i++] = operandOf(operands)), ...);
  return __heddle_device_call(static_cast<u32>(function), &call);
}

template <typename... T> inline u32 ask(DeviceFunction function, T... operands) {
  DeviceCall call;
  call.perThreadDefault = 0;
  return ask(call, function, operands...);
}

/// For the _ptsz twins (include/heddle/per_thread_names.h).
template <typename... T> inline u32 askPerThread(DeviceFunction function, T... operands) {
  DeviceCall call;
  call.perThreadDefault = 1;
  return ask(call, function, operands...);
}

template <typename... T> inline void *askForPointer(DeviceFunction function, T... operands) {
  DeviceCall call;
  call.perThreadDefault = 0;
  call.result = 0;
  ask(call, function, operands...);
  return reinterpret_cast<void *>(call.result);
}

} // namespace

#define DEVICE_RUNTIME extern "C" __attribute__((nothrow))

// Launches. Clang calls the first two for `kernel<<<...>>>(...)`.

DEVICE_RUNTIME void *cudaGetParameterBuffer(u64 alignment, u64 size) {
  return askForPointer(DeviceFunction::cudaGetParameterBuffer, alignment, size);
}
DEVICE_RUNTIME u32 cudaLaunchDevice(void *kernel, void *buffer, Dim3 grid, Dim3 block, u32 shared,
                                    void *stream) {
  return ask(DeviceFunction::cudaLaunchDevice, kernel, buffer, grid.x, grid.y, grid.z, block.x,
             block.y, block.z, shared, stream);
}
DEVICE_RUNTIME void *cudaGetParameterBufferV2(void *kernel, Dim3 grid, Dim3 block, u32 shared) {
  return askForPointer(DeviceFunction::cudaGetParameterBufferV2, kernel, grid.x, grid.y, grid.z,
                       block.x, block.y, block.z, shared);
}
DEVICE_RUNTIME u32 cudaLaunchDeviceV2(void *buffer, void *stream) {
  return ask(DeviceFunction::cudaLaunchDeviceV2, buffer, stream);
}

// Graphs

DEVICE_RUNTIME void cudaGraphSetConditional(u64 handle, u32 value) {
  ask(DeviceFunction::cudaGraphSetConditional, handle, value);
}

DEVICE_RUNTIME u32 cudaGraphLaunch(void *executable, void *stream) {
  return ask(DeviceFunction::cudaGraphLaunch, executable, stream);
}
DEVICE_RUNTIME u32 cudaGraphLaunch_ptsz(void *executable, void *stream) {
  return ask(DeviceFunction::cudaGraphLaunch, executable, stream);
}
DEVICE_RUNTIME void *cudaGetCurrentGraphExec() {
  return askForPointer(DeviceFunction::cudaGetCurrentGraphExec);
}

DEVICE_RUNTIME u32 cudaGraphKernelNodeSetEnabled(void *node, bool isEnabled) {
  return ask(DeviceFunction::cudaGraphKernelNodeSetEnabled, node, u32(isEnabled));
}
DEVICE_RUNTIME u32 cudaGraphKernelNodeSetGridDim(void *node, Dim3 grid) {
  return ask(DeviceFunction::cudaGraphKernelNodeSetGridDim, node, grid.x, grid.y, grid.z);
}
DEVICE_RUNTIME u32 cudaGraphKernelNodeSetParam(void *node, u64 offset, const void *value,
                                               u64 size) {
  return ask(DeviceFunction::cudaGraphKernelNodeSetParam, node, offset, value, size);
}
DEVICE_RUNTIME u32 cudaGraphKernelNodeUpdatesApply(const void *updates, u64 count) {
  return ask(DeviceFunction::cudaGraphKernelNodeUpdatesApply, updates, count);
}

/// Waits for all that the block's threads have launched. A loop that polls, so that the block gives
/// its worker away meanwhile (docs/progress.md).
DEVICE_RUNTIME u32 cudaDeviceSynchronize() {
  DeviceCall call;
  call.perThreadDefault = 0;
  call.result = 0;
  u32 error = ask(call, DeviceFunction::cudaDeviceSynchronize);
  if (auto *pending = reinterpret_cast<volatile u32 *>(call.result)) {
    while (*pending != 0)
      ;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  }
  return error;
}

// Errors

DEVICE_RUNTIME u32 cudaGetLastError() { return ask(DeviceFunction::cudaGetLastError); }
DEVICE_RUNTIME u32 cudaPeekAtLastError() { return ask(DeviceFunction::cudaPeekAtLastError); }
DEVICE_RUNTIME const char *cudaGetErrorString(u32 error) {
  return static_cast<const char *>(askForPointer(DeviceFunction::cudaGetErrorString, error));
}
DEVICE_RUNTIME const char *cudaGetErrorName(u32 error) {
  return static_cast<const char *>(askForPointer(DeviceFunction::cudaGetErrorName, error));
}

// Streams and events

DEVICE_RUNTIME u32 cudaStreamCreateWithFlags(void **stream, u32 flags) {
  return ask(DeviceFunction::cudaStreamCreateWithFlags, stream, flags);
}
DEVICE_RUNTIME u32 cudaStreamDestroy(void *stream) {
  return ask(DeviceFunction::cudaStreamDestroy, stream);
}
DEVICE_RUNTIME u32 cudaStreamWaitEvent(void *stream, void *event, u32 flags) {
  return ask(DeviceFunction::cudaStreamWaitEvent, stream, event, flags);
}
DEVICE_RUNTIME u32 cudaStreamWaitEvent_ptsz(void *stream, void *event, u32 flags) {
  return askPerThread(DeviceFunction::cudaStreamWaitEvent, stream, event, flags);
}
DEVICE_RUNTIME u32 cudaEventCreateWithFlags(void **event, u32 flags) {
  return ask(DeviceFunction::cudaEventCreateWithFlags, event, flags);
}
DEVICE_RUNTIME u32 cudaEventRecord(void *event, void *stream) {
  return ask(DeviceFunction::cudaEventRecord, event, stream, 0);
}
DEVICE_RUNTIME u32 cudaEventRecord_ptsz(void *event, void *stream) {
  return askPerThread(DeviceFunction::cudaEventRecord, event, stream, 0);
}
DEVICE_RUNTIME u32 cudaEventRecordWithFlags(void *event, void *stream, u32 flags) {
  return ask(DeviceFunction::cudaEventRecord, event, stream, flags);
}
DEVICE_RUNTIME u32 cudaEventRecordWithFlags_ptsz(void *event, void *stream, u32 flags) {
  return askPerThread(DeviceFunction::cudaEventRecord, event, stream, flags);
}
DEVICE_RUNTIME u32 cudaEventDestroy(void *event) {
  return ask(DeviceFunction::cudaEventDestroy, event);
}

// Memory

DEVICE_RUNTIME u32 cudaMalloc(void **pointer, u64 bytes) {
  return ask(DeviceFunction::cudaMalloc, pointer, bytes);
}
DEVICE_RUNTIME u32 cudaFree(void *pointer) { return ask(DeviceFunction::cudaFree, pointer); }

/// A copy or fill and its twin with the thread's own null stream.
#define WITH_TWIN(NAME, PARAMETERS, ...)                                                           \
  DEVICE_RUNTIME u32 NAME PARAMETERS { return ask(DeviceFunction::NAME, __VA_ARGS__); }            \
  DEVICE_RUNTIME u32 NAME##_ptsz PARAMETERS {                                                      \
    return askPerThread(DeviceFunction::NAME, __VA_ARGS__);                                        \
  }

WITH_TWIN(cudaMemcpyAsync, (void *to, const void *from, u64 bytes, u32 kind, void *stream), to,
          from, bytes, kind, stream)
WITH_TWIN(cudaMemcpy2DAsync,
          (void *to, u64 toPitch, const void *from, u64 fromPitch, u64 width, u64 height, u32 kind,
           void *stream),
          to, toPitch, from, fromPitch, width, height, kind, stream)
WITH_TWIN(cudaMemcpy3DAsync, (const void *parameters, void *stream), parameters, stream)
WITH_TWIN(cudaMemsetAsync, (void *to, int value, u64 bytes, void *stream), to, value, bytes, stream)
WITH_TWIN(cudaMemset2DAsync, (void *to, u64 pitch, int value, u64 width, u64 height, void *stream),
          to, pitch, value, width, height, stream)
WITH_TWIN(cudaMemset3DAsync, (PitchedPointer to, int value, Extent extent, void *stream),
          to.pointer, to.pitch, to.xSize, to.ySize, value, extent.width, extent.height,
          extent.depth, stream)

// The device and its kernels

DEVICE_RUNTIME u32 cudaGetDevice(int *device) { return ask(DeviceFunction::cudaGetDevice, device); }
DEVICE_RUNTIME u32 cudaGetDeviceCount(int *count) {
  return ask(DeviceFunction::cudaGetDeviceCount, count);
}
DEVICE_RUNTIME u32 cudaDeviceGetAttribute(int *value, u32 attribute, int device) {
  return ask(DeviceFunction::cudaDeviceGetAttribute, value, attribute, device);
}
DEVICE_RUNTIME u32 cudaDeviceGetLimit(u64 *value, u32 limit) {
  return ask(DeviceFunction::cudaDeviceGetLimit, value, limit);
}
DEVICE_RUNTIME u32 cudaDeviceGetCacheConfig(u32 *config) {
  return ask(DeviceFunction::cudaDeviceGetCacheConfig, config);
}
DEVICE_RUNTIME u32 cudaDeviceGetSharedMemConfig(u32 *config) {
  return ask(DeviceFunction::cudaDeviceGetSharedMemConfig, config);
}
DEVICE_RUNTIME u32 cudaRuntimeGetVersion(int *version) {
  return ask(DeviceFunction::cudaRuntimeGetVersion, version);
}
DEVICE_RUNTIME u32 heddle_13_cudaRuntimeGetVersion(int *version) {
  const u32 error = cudaRuntimeGetVersion(version);
  if (!error)
    *version = 13000;
  return error;
}
DEVICE_RUNTIME u32 cudaFuncGetAttributes(void *attributes, const void *kernel) {
  return ask(DeviceFunction::cudaFuncGetAttributes, attributes, kernel);
}
DEVICE_RUNTIME u32 cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks,
                                                                          const void *kernel,
                                                                          int blockSize, u64 shared,
                                                                          u32 flags) {
  return ask(DeviceFunction::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, blocks, kernel,
             blockSize, shared, flags);
}
DEVICE_RUNTIME u32 cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                                 int blockSize, u64 shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, kernel, blockSize, shared,
                                                                0);
}
