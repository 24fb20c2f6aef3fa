// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies and fills of linear memory (runtime API, "Memory Management"). A kind is a function of the
// driver's, or the types of memory of a box.
#include "runtime/context.h"
#include "runtime/memory/checks.h"
#include "runtime/memory/copy_params.h"

#include "base/checked.h"

using namespace heddle;
using namespace heddle::runtime;

namespace {

/// Nothing to copy is no error, whatever the kind.
CUresult withoutKind(size_t bytes) { return answer(bytes ? WrongDirection : CUDA_SUCCESS); }

CUresult copyRow(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  switch (kind) {
  case cudaMemcpyHostToHost:
  case cudaMemcpyDefault:
    return ask<&Cu::cuMemcpy>(addressOf(to), addressOf(from), bytes);
  case cudaMemcpyHostToDevice:
    return ask<&Cu::cuMemcpyHtoD_v2>(addressOf(to), from, bytes);
  case cudaMemcpyDeviceToHost:
    return ask<&Cu::cuMemcpyDtoH_v2>(to, addressOf(from), bytes);
  case cudaMemcpyDeviceToDevice:
    return ask<&Cu::cuMemcpyDtoD_v2>(addressOf(to), addressOf(from), bytes);
  }
  return withoutKind(bytes);
}

CUresult copyRow(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                 cudaStream_t stream) {
  switch (kind) {
  case cudaMemcpyHostToHost:
  case cudaMemcpyDefault:
    return ask<&Cu::cuMemcpyAsync>(addressOf(to), addressOf(from), bytes, stream);
  case cudaMemcpyHostToDevice:
    return ask<&Cu::cuMemcpyHtoDAsync_v2>(addressOf(to), from, bytes, stream);
  case cudaMemcpyDeviceToHost:
    return ask<&Cu::cuMemcpyDtoHAsync_v2>(to, addressOf(from), bytes, stream);
  case cudaMemcpyDeviceToDevice:
    return ask<&Cu::cuMemcpyDtoDAsync_v2>(addressOf(to), addressOf(from), bytes, stream);
  }
  return withoutKind(bytes);
}

/// A box of rows as `ask(CUDA_MEMCPY2D)` copies it.
template <class Ask>
CUresult copyRows(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                  size_t height, cudaMemcpyKind kind, Ask &&ask) {
  if (!width || !height)
    return answer(CUDA_SUCCESS);
  if (!isValidKind(kind))
    return answer(WrongDirection);
  for (size_t pitch : {toPitch, fromPitch})
    if (CUresult error = checkPitch(pitch, width, height))
      return answer(error);
  CUDA_MEMCPY2D copy = {};
  setSides(copy, targetOf(to, toPitch, kind), sourceOf(from, fromPitch, kind));
  copy.WidthInBytes = width;
  copy.Height = height;
  return ask(copy);
}

/// The primary contexts of the devices that a copy is between.
CUresult contextsOf(int to, int from, CUcontext &target, CUcontext &source) {
  const CUresult error = primaryOf(to, target);
  return error == CUDA_SUCCESS ? primaryOf(from, source) : error;
}

} // namespace

HEDDLE_API cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  return translate([&] { return copyRow(to, from, bytes, kind); });
}

HEDDLE_API cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                                       cudaMemcpyKind kind, cudaStream_t stream) {
  return translate([&] { return copyRow(to, from, bytes, kind, stream); });
}

HEDDLE_API cudaError_t cudaMemcpy2D(void *to, size_t toPitch, const void *from, size_t fromPitch,
                                    size_t width, size_t height, cudaMemcpyKind kind) {
  return translate([&] {
    return copyRows(to, toPitch, from, fromPitch, width, height, kind,
                    [](CUDA_MEMCPY2D &copy) { return ask<&Cu::cuMemcpy2DUnaligned_v2>(&copy); });
  });
}

HEDDLE_API cudaError_t cudaMemcpy2DAsync(void *to, size_t toPitch, const void *from,
                                         size_t fromPitch, size_t width, size_t height,
                                         cudaMemcpyKind kind, cudaStream_t stream) {
  return translate([&] {
    return copyRows(to, toPitch, from, fromPitch, width, height, kind, [&](CUDA_MEMCPY2D &copy) {
      return ask<&Cu::cuMemcpy2DAsync_v2>(&copy, stream);
    });
  });
}

HEDDLE_API cudaError_t cudaMemcpyPeer(void *to, int toDevice, const void *from, int fromDevice,
                                      size_t bytes) {
  return translate([&] {
    CUcontext target, source;
    if (CUresult error = contextsOf(toDevice, fromDevice, target, source))
      return answer(error);
    return ask<&Cu::cuMemcpyPeer>(addressOf(to), target, addressOf(from), source, bytes);
  });
}

HEDDLE_API cudaError_t cudaMemcpyPeerAsync(void *to, int toDevice, const void *from, int fromDevice,
                                           size_t bytes, cudaStream_t stream) {
  return translate([&] {
    CUcontext target, source;
    if (CUresult error = contextsOf(toDevice, fromDevice, target, source))
      return answer(error);
    return ask<&Cu::cuMemcpyPeerAsync>(addressOf(to), target, addressOf(from), source, bytes,
                                       stream);
  });
}

// ---------------------------------------------------------------------------------------------------
// 3D copies.

namespace {

/// `ask` copies what is not empty.
template <class Ask> CUresult copySlices(const cudaMemcpy3DParms *p, Ask &&ask) {
  CUDA_MEMCPY3D copy;
  if (!p)
    return answer(CUDA_ERROR_INVALID_VALUE);
  if (isEmpty(p->extent))
    return answer(CUDA_SUCCESS);
  if (CUresult error = readCopy(*p, copy))
    return answer(error);
  return ask(copy);
}

template <class Ask> CUresult copySlices(const cudaMemcpy3DPeerParms *p, Ask &&ask) {
  CUDA_MEMCPY3D_PEER copy;
  CUcontext target, source;
  if (!p)
    return answer(CUDA_ERROR_INVALID_VALUE);
  if (CUresult error = contextsOf(p->dstDevice, p->srcDevice, target, source))
    return answer(error);
  if (isEmpty(p->extent))
    return answer(CUDA_SUCCESS);
  if (CUresult error = readCopy(*p, copy))
    return answer(error);
  copy.dstContext = target;
  copy.srcContext = source;
  return ask(copy);
}

} // namespace

HEDDLE_API cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *p) {
  return translate([&] {
    return copySlices(p, [](CUDA_MEMCPY3D &copy) { return ask<&Cu::cuMemcpy3D_v2>(&copy); });
  });
}

HEDDLE_API cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *p, cudaStream_t stream) {
  return translate([&] {
    return copySlices(
        p, [&](CUDA_MEMCPY3D &copy) { return ask<&Cu::cuMemcpy3DAsync_v2>(&copy, stream); });
  });
}

HEDDLE_API cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *p) {
  return translate([&] {
    return copySlices(p, [](CUDA_MEMCPY3D_PEER &copy) { return ask<&Cu::cuMemcpy3DPeer>(&copy); });
  });
}

HEDDLE_API cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *p, cudaStream_t stream) {
  return translate([&] {
    return copySlices(
        p, [&](CUDA_MEMCPY3D_PEER &copy) { return ask<&Cu::cuMemcpy3DPeerAsync>(&copy, stream); });
  });
}

// ---------------------------------------------------------------------------------------------------
// Batches, whose structures both APIs have (tests/headers/driver_runtime.cpp).

HEDDLE_API cudaError_t cudaMemcpyBatchAsync(void **dsts, void **srcs, size_t *sizes, size_t count,
                                            cudaMemcpyAttributes *attributes,
                                            size_t *attributeStarts, size_t attributeCount,
                                            size_t *failed, cudaStream_t stream) {
  return translate([&] {
    return ask<&Cu::cuMemcpyBatchAsync>(reinterpret_cast<CUdeviceptr *>(dsts),
                                        reinterpret_cast<CUdeviceptr *>(srcs), sizes, count,
                                        reinterpret_cast<CUmemcpyAttributes *>(attributes),
                                        attributeStarts, attributeCount, failed, stream);
  });
}

HEDDLE_API cudaError_t heddle_13_cudaMemcpyBatchAsync(void *const *dsts, const void *const *srcs,
                                                      const size_t *sizes, size_t count,
                                                      cudaMemcpyAttributes *attributes,
                                                      size_t *attributeStarts,
                                                      size_t attributeCount, cudaStream_t stream) {
  return translate([&] {
    return ask<&Cu::cuMemcpyBatchAsync_v2>(
        reinterpret_cast<CUdeviceptr *>(const_cast<void **>(dsts)),
        reinterpret_cast<CUdeviceptr *>(const_cast<const void **>(srcs)),
        const_cast<size_t *>(sizes), count, reinterpret_cast<CUmemcpyAttributes *>(attributes),
        attributeStarts, attributeCount, stream);
  });
}

HEDDLE_API cudaError_t heddle_13_cudaMemcpy3DBatchAsync(size_t count,
                                                        cudaMemcpy3DBatchOp *operations,
                                                        unsigned long long flags,
                                                        cudaStream_t stream) {
  return translate([&] {
    return ask<&Cu::cuMemcpy3DBatchAsync_v2>(
        count, reinterpret_cast<CUDA_MEMCPY3D_BATCH_OP *>(operations), flags, stream);
  });
}

HEDDLE_API cudaError_t cudaMemcpy3DBatchAsync(size_t count, cudaMemcpy3DBatchOp *operations,
                                              size_t *failed, unsigned long long flags,
                                              cudaStream_t stream) {
  return translate([&] {
    return ask<&Cu::cuMemcpy3DBatchAsync>(
        count, reinterpret_cast<CUDA_MEMCPY3D_BATCH_OP *>(operations), failed, flags, stream);
  });
}

// ---------------------------------------------------------------------------------------------------
// Fills.

namespace {

unsigned char byteOf(int value) { return static_cast<unsigned char>(value); }

/// Slices that touch are rows of one; others are filled one by one. `fill(address, pitch, rows)`.
template <class Fill>
CUresult fillSlices(const cudaPitchedPtr &p, const cudaExtent &extent, Fill &&fill) {
  if (isEmpty(extent))
    return answer(CUDA_SUCCESS);
  const bool isRow = extent.height == 1 && extent.depth == 1;
  if ((p.pitch < extent.width && !isRow) || p.ysize < extent.height)
    return answer(CUDA_ERROR_INVALID_VALUE);
  if (p.ysize == extent.height || extent.depth == 1)
    return fill(addressOf(p.ptr), p.pitch, Checked(extent.height) * extent.depth);
  const size_t slice = Checked(p.pitch) * p.ysize;
  for (size_t z = 0; z < extent.depth; ++z)
    if (CUresult error = fill(addressOf(p.ptr) + z * slice, p.pitch, extent.height))
      return error;
  return CUDA_SUCCESS;
}

} // namespace

HEDDLE_API cudaError_t cudaMemset(void *p, int value, size_t bytes) {
  return translate([&] { return ask<&Cu::cuMemsetD8_v2>(addressOf(p), byteOf(value), bytes); });
}

HEDDLE_API cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t stream) {
  return translateCurrent(
      [&] { return ask<&Cu::cuMemsetD8Async>(addressOf(p), byteOf(value), bytes, stream); });
}

HEDDLE_API cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height) {
  return translate(
      [&] { return ask<&Cu::cuMemsetD2D8_v2>(addressOf(p), pitch, byteOf(value), width, height); });
}

HEDDLE_API cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width,
                                         size_t height, cudaStream_t stream) {
  return translateCurrent([&] {
    return ask<&Cu::cuMemsetD2D8Async>(addressOf(p), pitch, byteOf(value), width, height, stream);
  });
}

HEDDLE_API cudaError_t cudaMemset3D(cudaPitchedPtr p, int value, cudaExtent extent) {
  return translate([&] {
    return fillSlices(p, extent, [&](CUdeviceptr address, size_t pitch, size_t rows) {
      return ask<&Cu::cuMemsetD2D8_v2>(address, pitch, byteOf(value), extent.width, rows);
    });
  });
}

HEDDLE_API cudaError_t cudaMemset3DAsync(cudaPitchedPtr p, int value, cudaExtent extent,
                                         cudaStream_t stream) {
  return translateCurrent([&] {
    return fillSlices(p, extent, [&](CUdeviceptr address, size_t pitch, size_t rows) {
      return ask<&Cu::cuMemsetD2D8Async>(address, pitch, byteOf(value), extent.width, rows, stream);
    });
  });
}
