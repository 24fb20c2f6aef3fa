// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory in the order of streams (driver API, "Stream Ordered Memory Allocator").
#include "device/checks.h"
#include "driver/functions.h"
#include "driver/memory/addresses.h"
#include "driver/memory/explain.h"
#include "driver/memory/graph_memory.h"
#include "driver/memory/pool.h"
#include "driver/streams/capture.h"

namespace heddle::driver {

using device::cpu::MemoryKind;

namespace {

CUresult allocate(Pool &pool, CUdeviceptr *address, size_t bytes, CUstream handle) {
  Stream *stream = streamOf(handle);
  if (!address || pool.isImported)
    return CUDA_ERROR_INVALID_VALUE;
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!bytes) { // no memory and no error, as on an H200
    *address = 0;
    return CUDA_SUCCESS;
  }
  void *out = nullptr;
  auto make = [&](std::unique_ptr<Operation> &operation) -> CUresult {
    if (pool.kind() != MemoryKind::Device) {
      reportFailure("stream capture", "memory of graphs that is the host's is not supported");
      return CUDA_ERROR_NOT_SUPPORTED;
    }
    cudaMemAllocNodeParams p = {};
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location = {cudaMemLocationTypeDevice, pool.device};
    p.bytesize = bytes;
    CUresult error = makeAlloc(p, operation);
    out = p.dptr;
    return error;
  };
  if (CUresult error =
          submit(*stream, make, [&] { return allocateFrom(pool, &out, bytes, *stream); }))
    return error;
  *address = deviceAddress(out);
  return CUDA_SUCCESS;
}

CUresult freeInStream(void *p, CUstream handle) {
  Stream *stream = streamOf(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!p)
    return CUDA_SUCCESS;
  auto run = [&]() -> CUresult {
    device::cpu::Allocation a;
    device::cpu::Allocator::get().find(p, a);
    const Owner owner = Tag::unpack(a.use.tag).owner;
    if (a.base != p || (a.use.kind != MemoryKind::Device && !isOfPool(owner))) {
      explainFree(p, cudaMemoryTypeDevice);
      return CUDA_ERROR_INVALID_VALUE;
    }
    if (isGraphMemory(p)) // its memory stays the graph's
      return freeGraphMemory(p) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    switch (owner) {
    case Owner::Pool:
      if (freePoolMemory(p, stream))
        return CUDA_SUCCESS;
      explainFree(p, cudaMemoryTypeDevice);
      return CUDA_ERROR_INVALID_VALUE;
    case Owner::User:
    case Owner::ImportedPool:
      return enqueue(*stream, [p, a, owner] {
        device::noteTouched({p, a.bytes, 1, a.bytes, 1, a.bytes, device::Touch::Ends});
        giveMemory(p, a.use.kind, owner);
      });
    default:
      return CUDA_ERROR_INVALID_VALUE;
    }
  };
  auto make = [&](std::unique_ptr<Operation> &operation) { return makeFree(p, operation); };
  return submit(*stream, make, run);
}

} // namespace

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream) {
  return allocate(*currentPool(currentContext().ordinal), address, bytes, stream);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes, CUmemoryPool handle,
                                 CUstream stream) {
  std::shared_ptr<Pool> pool = poolOf(handle);
  return pool ? allocate(*pool, address, bytes, stream) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return freeInStream(pointerTo(address), stream);
}

} // namespace heddle::driver
