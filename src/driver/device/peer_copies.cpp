// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies between contexts (driver API, "Memory Management": cuMemcpyPeer, cuMemcpy3DPeer). All
// devices share the host's memory: a copy between peers is a copy.
#include "driver/copies/box_copies.h"
#include "driver/device/context.h"
#include "driver/functions.h"
#include "driver/memory/addresses.h"
#include "driver/streams/capture.h"

namespace heddle::driver {

namespace {

/// Null is the current context.
bool isContext(CUcontext handle) { return !handle || findContext(handle); }

CUresult copyPeer(CUdeviceptr dst, CUcontext dstContext, CUdeviceptr src, CUcontext srcContext,
                  size_t bytes, CopyStream where) {
  if (!isContext(dstContext) || !isContext(srcContext))
    return CUDA_ERROR_INVALID_CONTEXT;
  if (where.async && anyCaptures())
    if (Stream *stream = streamOf(where.handle))
      if (CUresult error = submitUncaptured(*stream, [] { return CUDA_SUCCESS; }))
        return error;
  return copyLinear(pointerTo(dst), bytes, pointerTo(src), bytes, {bytes}, OnDevice{true, true},
                    where);
}

/// Only linear memory of a device needs its context.
bool hasContext(CUmemorytype type, CUcontext context) {
  return type != CU_MEMORYTYPE_DEVICE || isContext(context);
}

CUresult copyPeer3D(const CUDA_MEMCPY3D_PEER *c, CopyStream where) {
  if (!c)
    return CUDA_ERROR_INVALID_VALUE;
  if (!hasContext(c->dstMemoryType, c->dstContext) || !hasContext(c->srcMemoryType, c->srcContext))
    return CUDA_ERROR_INVALID_CONTEXT;
  return copySlices(*c, where);
}

} // namespace

CUresult cuMemcpyPeer(CUdeviceptr dst, CUcontext dstContext, CUdeviceptr src, CUcontext srcContext,
                      size_t bytes) {
  return copyPeer(dst, dstContext, src, srcContext, bytes, blocking());
}

CUresult cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext dstContext, CUdeviceptr src,
                           CUcontext srcContext, size_t bytes, CUstream stream) {
  return copyPeer(dst, dstContext, src, srcContext, bytes, inStream(stream));
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *c) { return copyPeer3D(c, blocking()); }

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *c, CUstream stream) {
  return copyPeer3D(c, inStream(stream));
}

} // namespace heddle::driver
