// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of rows of bytes, and batches of copies (driver API, "Memory Management"). Those of boxes
// are in copy_boxes.cpp.
#include "driver/copies/copy.h"
#include "driver/api/addresses.h"
#include "driver/device/context.h"
#include "driver/functions.h"

namespace heddle::driver {

namespace {

CUresult copyRow(void *dst, const void *src, size_t bytes, cudaMemcpyKind kind, CopyStream where) {
  return copyLinear(dst, bytes, src, bytes, {bytes}, kind, where);
}

/// Runs `body(dst's device, src's device)` for the contexts of a copy between them.
template <typename F> CUresult betweenContexts(CUcontext dst, CUcontext src, F &&body) {
  const Context *to = findContext(dst), *from = findContext(src);
  return to && from ? body(to->ordinal, from->ordinal) : CUDA_ERROR_INVALID_CONTEXT;
}

} // namespace

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t bytes) {
  return copyRow(pointerTo(dst), pointerTo(src), bytes, cudaMemcpyDefault, blocking());
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream) {
  return copyRow(pointerTo(dst), pointerTo(src), bytes, cudaMemcpyDefault, inStream(stream));
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr dst, const void *src, size_t bytes) {
  return copyRow(pointerTo(dst), src, bytes, cudaMemcpyHostToDevice, blocking());
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void *src, size_t bytes, CUstream stream) {
  return copyRow(pointerTo(dst), src, bytes, cudaMemcpyHostToDevice, inStream(stream));
}

CUresult cuMemcpyDtoH_v2(void *dst, CUdeviceptr src, size_t bytes) {
  return copyRow(dst, pointerTo(src), bytes, cudaMemcpyDeviceToHost, blocking());
}

CUresult cuMemcpyDtoHAsync_v2(void *dst, CUdeviceptr src, size_t bytes, CUstream stream) {
  return copyRow(dst, pointerTo(src), bytes, cudaMemcpyDeviceToHost, inStream(stream));
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes) {
  return copyRow(pointerTo(dst), pointerTo(src), bytes, cudaMemcpyDeviceToDevice, blocking());
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream) {
  return copyRow(pointerTo(dst), pointerTo(src), bytes, cudaMemcpyDeviceToDevice, inStream(stream));
}

CUresult cuMemcpyPeer(CUdeviceptr dst, CUcontext dstContext, CUdeviceptr src, CUcontext srcContext,
                      size_t bytes) {
  return betweenContexts(dstContext, srcContext, [&](int to, int from) {
    return cudaMemcpyPeer(pointerTo(dst), to, pointerTo(src), from, bytes);
  });
}

CUresult cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext dstContext, CUdeviceptr src,
                           CUcontext srcContext, size_t bytes, CUstream stream) {
  return betweenContexts(dstContext, srcContext, [&](int to, int from) {
    return cudaMemcpyPeerAsync(pointerTo(dst), to, pointerTo(src), from, bytes, stream);
  });
}

// ---------------------------------------------------------------------------------------------------
// With a one-dimensional array on one side: offsets are bytes. Version 1 differs in the width of
// its numbers only.

CUresult cuMemcpyDtoA_v2(CUarray dst, size_t offset, CUdeviceptr src, size_t bytes) {
  return cudaMemcpyToArray(asArray(dst), offset, 0, pointerTo(src), bytes,
                           cudaMemcpyDeviceToDevice);
}

CUresult cuMemcpyAtoD_v2(CUdeviceptr dst, CUarray src, size_t offset, size_t bytes) {
  return cudaMemcpyFromArray(pointerTo(dst), asArray(src), offset, 0, bytes,
                             cudaMemcpyDeviceToDevice);
}

CUresult cuMemcpyHtoA_v2(CUarray dst, size_t offset, const void *src, size_t bytes) {
  return cudaMemcpyToArray(asArray(dst), offset, 0, src, bytes, cudaMemcpyHostToDevice);
}

CUresult cuMemcpyHtoA(CUarray dst, unsigned offset, const void *src, unsigned bytes) {
  return cuMemcpyHtoA_v2(dst, offset, src, bytes);
}

CUresult cuMemcpyHtoAAsync_v2(CUarray dst, size_t offset, const void *src, size_t bytes,
                              CUstream stream) {
  return cudaMemcpyToArrayAsync(asArray(dst), offset, 0, src, bytes, cudaMemcpyHostToDevice,
                                stream);
}

CUresult cuMemcpyHtoAAsync(CUarray dst, unsigned offset, const void *src, unsigned bytes,
                           CUstream stream) {
  return cuMemcpyHtoAAsync_v2(dst, offset, src, bytes, stream);
}

CUresult cuMemcpyAtoH_v2(void *dst, CUarray src, size_t offset, size_t bytes) {
  return cudaMemcpyFromArray(dst, asArray(src), offset, 0, bytes, cudaMemcpyDeviceToHost);
}

CUresult cuMemcpyAtoH(void *dst, CUarray src, unsigned offset, unsigned bytes) {
  return cuMemcpyAtoH_v2(dst, src, offset, bytes);
}

CUresult cuMemcpyAtoHAsync_v2(void *dst, CUarray src, size_t offset, size_t bytes,
                              CUstream stream) {
  return cudaMemcpyFromArrayAsync(dst, asArray(src), offset, 0, bytes, cudaMemcpyDeviceToHost,
                                  stream);
}

CUresult cuMemcpyAtoHAsync(void *dst, CUarray src, unsigned offset, unsigned bytes,
                           CUstream stream) {
  return cuMemcpyAtoHAsync_v2(dst, src, offset, bytes, stream);
}

CUresult cuMemcpyAtoA_v2(CUarray dst, size_t dstOffset, CUarray src, size_t srcOffset,
                         size_t bytes) {
  return cudaMemcpyArrayToArray(asArray(dst), dstOffset, 0, asArray(src), srcOffset, 0, bytes,
                                cudaMemcpyDeviceToDevice);
}

CUresult cuMemcpyAtoA(CUarray dst, unsigned dstOffset, CUarray src, unsigned srcOffset,
                      unsigned bytes) {
  return cuMemcpyAtoA_v2(dst, dstOffset, src, srcOffset, bytes);
}

// ---------------------------------------------------------------------------------------------------
// Batches. The structures are those of the runtime API.

CUresult cuMemcpyBatchAsync(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                            CUmemcpyAttributes *attributes, size_t *attributeStarts,
                            size_t attributeCount, size_t *failed, CUstream stream) {
  return cudaMemcpyBatchAsync(reinterpret_cast<void **>(dsts), reinterpret_cast<void **>(srcs),
                              sizes, count, reinterpret_cast<cudaMemcpyAttributes *>(attributes),
                              attributeStarts, attributeCount, failed, stream);
}

CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                               CUmemcpyAttributes *attributes, size_t *attributeStarts,
                               size_t attributeCount, CUstream stream) {
  return cuMemcpyBatchAsync(dsts, srcs, sizes, count, attributes, attributeStarts, attributeCount,
                            nullptr, stream);
}

CUresult cuMemcpy3DBatchAsync(size_t count, CUDA_MEMCPY3D_BATCH_OP *operations, size_t *failed,
                              unsigned long long flags, CUstream stream) {
  return cudaMemcpy3DBatchAsync(count, reinterpret_cast<cudaMemcpy3DBatchOp *>(operations), failed,
                                flags, stream);
}

CUresult cuMemcpy3DBatchAsync_v2(size_t count, CUDA_MEMCPY3D_BATCH_OP *operations,
                                 unsigned long long flags, CUstream stream) {
  return cuMemcpy3DBatchAsync(count, operations, nullptr, flags, stream);
}

} // namespace heddle::driver
