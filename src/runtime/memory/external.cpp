// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory and semaphores of other APIs (runtime API, "External Resource Interoperability"). The driver
// has the same parameters of semaphores (tests/headers/driver_runtime.cpp).
#include "runtime/memory/array_format.h"
#include "runtime/memory/checks.h"

#include <vector>

using namespace heddle::runtime;

namespace heddle::runtime {

/// The structures of CUDA 10, whose stride differs.
struct OldSignalParams {
  decltype(cudaExternalSemaphoreSignalParams::params.fence) fence;
  uint64_t nvSciSync;
  decltype(cudaExternalSemaphoreSignalParams::params.keyedMutex) keyedMutex;
  unsigned flags;
};
struct OldWaitParams {
  decltype(cudaExternalSemaphoreWaitParams::params.fence) fence;
  uint64_t nvSciSync;
  decltype(cudaExternalSemaphoreWaitParams::params.keyedMutex) keyedMutex;
  unsigned flags;
};

} // namespace heddle::runtime

namespace {

CUexternalMemory handleOf(cudaExternalMemory_t memory) {
  return reinterpret_cast<CUexternalMemory>(memory);
}
CUexternalSemaphore handleOf(cudaExternalSemaphore_t semaphore) {
  return reinterpret_cast<CUexternalSemaphore>(semaphore);
}

template <class To, class From> std::vector<To> asNew(const From *params, unsigned count) {
  std::vector<To> all(params ? count : 0);
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].params.fence.value = params[i].fence.value;
    all[i].flags = params[i].flags;
  }
  return all;
}

} // namespace

HEDDLE_API cudaError_t cudaImportExternalMemory(cudaExternalMemory_t *memory,
                                                const cudaExternalMemoryHandleDesc *descriptor) {
  return translate([&] {
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC same = {};
    if (!descriptor)
      return answerUnsafe(CUDA_ERROR_INVALID_VALUE);
    same.type = static_cast<CUexternalMemoryHandleType>(descriptor->type);
    same.handle.win32 = {descriptor->handle.win32.handle, descriptor->handle.win32.name};
    same.size = descriptor->size;
    same.flags = descriptor->flags;
    return ask<&Cu::cuImportExternalMemory>(reinterpret_cast<CUexternalMemory *>(memory), &same);
  });
}

HEDDLE_API cudaError_t cudaExternalMemoryGetMappedBuffer(
    void **p, cudaExternalMemory_t memory, const cudaExternalMemoryBufferDesc *descriptor) {
  return translate([&] {
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC same = {};
    if (descriptor) {
      same.offset = descriptor->offset;
      same.size = descriptor->size;
      same.flags = descriptor->flags;
    }
    return ask<&Cu::cuExternalMemoryGetMappedBuffer>(
        reinterpret_cast<CUdeviceptr *>(p), handleOf(memory), descriptor ? &same : nullptr);
  });
}

HEDDLE_API cudaError_t
cudaExternalMemoryGetMappedMipmappedArray(cudaMipmappedArray_t *array, cudaExternalMemory_t memory,
                                          const cudaExternalMemoryMipmappedArrayDesc *descriptor) {
  return translate([&] {
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC same = {};
    CUresult format = CUDA_SUCCESS;
    if (descriptor) {
      same.offset = descriptor->offset;
      same.numLevels = descriptor->numLevels;
      format = arrayDescriptor(descriptor->formatDesc, descriptor->extent, descriptor->flags,
                               same.arrayDesc);
    }
    const CUresult error = ask<&Cu::cuExternalMemoryGetMappedMipmappedArray>(
        reinterpret_cast<CUmipmappedArray *>(array), handleOf(memory),
        descriptor ? &same : nullptr);
    return error == CUDA_ERROR_INVALID_VALUE && format != CUDA_SUCCESS && same.numLevels ? format
                                                                                         : error;
  });
}

HEDDLE_API cudaError_t cudaDestroyExternalMemory(cudaExternalMemory_t memory) {
  return translate([&] { return ask<&Cu::cuDestroyExternalMemory>(handleOf(memory)); });
}

// ---------------------------------------------------------------------------------------------------
// Semaphores.

HEDDLE_API cudaError_t cudaImportExternalSemaphore(
    cudaExternalSemaphore_t *semaphore, const cudaExternalSemaphoreHandleDesc *descriptor) {
  return translate([&] {
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC same = {};
    if (!descriptor)
      return answer(CUDA_ERROR_INVALID_VALUE);
    same.type = static_cast<CUexternalSemaphoreHandleType>(descriptor->type);
    same.handle.win32 = {descriptor->handle.win32.handle, descriptor->handle.win32.name};
    same.flags = descriptor->flags;
    return ask<&Cu::cuImportExternalSemaphore>(reinterpret_cast<CUexternalSemaphore *>(semaphore),
                                               &same);
  });
}

HEDDLE_API cudaError_t cudaDestroyExternalSemaphore(cudaExternalSemaphore_t semaphore) {
  return translate([&] { return ask<&Cu::cuDestroyExternalSemaphore>(handleOf(semaphore)); });
}

HEDDLE_API cudaError_t cudaSignalExternalSemaphoresAsync_v2(
    const cudaExternalSemaphore_t *semaphores, const cudaExternalSemaphoreSignalParams *params,
    unsigned count, cudaStream_t stream) {
  return translate([&] {
    return ask<&Cu::cuSignalExternalSemaphoresAsync>(
        reinterpret_cast<const CUexternalSemaphore *>(semaphores),
        reinterpret_cast<const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *>(params), count, stream);
  });
}

HEDDLE_API cudaError_t cudaWaitExternalSemaphoresAsync_v2(
    const cudaExternalSemaphore_t *semaphores, const cudaExternalSemaphoreWaitParams *params,
    unsigned count, cudaStream_t stream) {
  return translate([&] {
    return ask<&Cu::cuWaitExternalSemaphoresAsync>(
        reinterpret_cast<const CUexternalSemaphore *>(semaphores),
        reinterpret_cast<const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *>(params), count, stream);
  });
}

// Those of CUDA 10, under their own names, which headers define as macros for the newer ones.
#undef cudaSignalExternalSemaphoresAsync
#undef cudaWaitExternalSemaphoresAsync

HEDDLE_API cudaError_t cudaSignalExternalSemaphoresAsync(const cudaExternalSemaphore_t *semaphores,
                                                         const OldSignalParams *params,
                                                         unsigned count, cudaStream_t stream) {
  const auto all = asNew<cudaExternalSemaphoreSignalParams>(params, count);
  return named(
      [&] { return cudaSignalExternalSemaphoresAsync_v2(semaphores, all.data(), count, stream); });
}

HEDDLE_API cudaError_t cudaWaitExternalSemaphoresAsync(const cudaExternalSemaphore_t *semaphores,
                                                       const OldWaitParams *params, unsigned count,
                                                       cudaStream_t stream) {
  const auto all = asNew<cudaExternalSemaphoreWaitParams>(params, count);
  return named(
      [&] { return cudaWaitExternalSemaphoresAsync_v2(semaphores, all.data(), count, stream); });
}
