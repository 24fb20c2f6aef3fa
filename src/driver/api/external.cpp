// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory and semaphores of other APIs (driver API, "External Resource Interoperability").
#include "driver/api/addresses.h"
#include "driver/memory/array_format.h"
#include "driver/functions.h"

namespace heddle::driver {

namespace {

cudaExternalMemory_t asMemory(CUexternalMemory memory) {
  return reinterpret_cast<cudaExternalMemory_t>(memory);
}
cudaExternalSemaphore_t asSemaphore(CUexternalSemaphore semaphore) {
  return reinterpret_cast<cudaExternalSemaphore_t>(semaphore);
}
const cudaExternalSemaphore_t *asSemaphores(const CUexternalSemaphore *semaphores) {
  return reinterpret_cast<const cudaExternalSemaphore_t *>(semaphores);
}

} // namespace

CUresult cuImportExternalMemory(CUexternalMemory *memory,
                                const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *descriptor) {
  if (!descriptor)
    return CUDA_ERROR_INVALID_VALUE;
  cudaExternalMemoryHandleDesc same = {};
  same.type = static_cast<cudaExternalMemoryHandleType>(descriptor->type);
  same.handle.win32 = {descriptor->handle.win32.handle, descriptor->handle.win32.name};
  same.size = descriptor->size;
  same.flags = descriptor->flags;
  return cudaImportExternalMemory(reinterpret_cast<cudaExternalMemory_t *>(memory), &same);
}

CUresult cuExternalMemoryGetMappedBuffer(CUdeviceptr *address, CUexternalMemory memory,
                                         const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *descriptor) {
  if (!descriptor)
    return CUDA_ERROR_INVALID_VALUE;
  const cudaExternalMemoryBufferDesc same = {descriptor->offset, descriptor->size,
                                             descriptor->flags};
  return makeAddress(address, [&](void **p) {
    return cudaExternalMemoryGetMappedBuffer(p, asMemory(memory), &same);
  });
}

CUresult cuExternalMemoryGetMappedMipmappedArray(
    CUmipmappedArray *array, CUexternalMemory memory,
    const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *descriptor) {
  if (!descriptor)
    return CUDA_ERROR_INVALID_VALUE;
  const CUDA_ARRAY3D_DESCRIPTOR &shape = descriptor->arrayDesc;
  cudaExternalMemoryMipmappedArrayDesc same = {};
  same.offset = descriptor->offset;
  if (CUresult error = channelFormat(shape.Format, shape.NumChannels, same.formatDesc))
    return error;
  same.extent = {shape.Width, shape.Height, shape.Depth};
  same.flags = shape.Flags;
  same.numLevels = descriptor->numLevels;
  return cudaExternalMemoryGetMappedMipmappedArray(reinterpret_cast<cudaMipmappedArray_t *>(array),
                                                   asMemory(memory), &same);
}

CUresult cuDestroyExternalMemory(CUexternalMemory memory) {
  return cudaDestroyExternalMemory(asMemory(memory));
}

// ---------------------------------------------------------------------------------------------------
// Semaphores. Their parameters are those of the runtime API.

CUresult cuImportExternalSemaphore(CUexternalSemaphore *semaphore,
                                   const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *descriptor) {
  if (!descriptor)
    return CUDA_ERROR_INVALID_VALUE;
  cudaExternalSemaphoreHandleDesc same = {};
  same.type = static_cast<cudaExternalSemaphoreHandleType>(descriptor->type);
  same.handle.win32 = {descriptor->handle.win32.handle, descriptor->handle.win32.name};
  same.flags = descriptor->flags;
  return cudaImportExternalSemaphore(reinterpret_cast<cudaExternalSemaphore_t *>(semaphore), &same);
}

CUresult cuSignalExternalSemaphoresAsync(const CUexternalSemaphore *semaphores,
                                         const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *params,
                                         unsigned count, CUstream stream) {
  return cudaSignalExternalSemaphoresAsync_v2(
      asSemaphores(semaphores), reinterpret_cast<const cudaExternalSemaphoreSignalParams *>(params),
      count, stream);
}

CUresult cuWaitExternalSemaphoresAsync(const CUexternalSemaphore *semaphores,
                                       const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *params,
                                       unsigned count, CUstream stream) {
  return cudaWaitExternalSemaphoresAsync_v2(
      asSemaphores(semaphores), reinterpret_cast<const cudaExternalSemaphoreWaitParams *>(params),
      count, stream);
}

CUresult cuDestroyExternalSemaphore(CUexternalSemaphore semaphore) {
  return cudaDestroyExternalSemaphore(asSemaphore(semaphore));
}

} // namespace heddle::driver
