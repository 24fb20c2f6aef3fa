// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory in device code: cudaMalloc takes it from the heap of malloc in kernels; copies and fills
// are work in a stream of the grid's, between device memory only: what is local to a thread or a
// block is refused ("Memory Allocation", "API Reference" of the device runtime).
#include "driver/children/child_call.h"
#include "driver/copies/checked.h"
#include "driver/copies/copy.h"

#include "check/init/init.h"
#include "device/checks.h"

namespace heddle::driver {

namespace {

class ChildSink final : public CopySink {
public:
  ChildSink(ChildCall &call, cudaStream_t stream)
      : CopySink(call.device), call_(call), stream_(call.streamOf(stream)) {}

  CUresult take(Task task) override {
    return errorOf(call_.children().enqueue(stream_, std::move(task)));
  }
  CopyStream stream() { return {nullptr, true, this}; }

private:
  ChildCall &call_;
  device::ChildStream stream_;
};

/// Memory that the host has allocated, variables, or the heap of kernels.
bool isDeviceMemory(const ChildCall &call, const void *p) {
  if (!call.device.backend->inHeap(reinterpret_cast<uint64_t>(p)))
    return lookUp(p).onDevice();
  if (check::looksForUnwritten())
    device::forgetHeapShadow(*call.device.backend, p);
  return true;
}

/// Whether a copy may be between these, and how it goes on: their sides are known by now.
CUresult checkCopy(const ChildCall &call, const void *to, const void *from, cudaMemcpyKind kind) {
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return CUresult(cudaErrorInvalidMemcpyDirection);
  bool isGood = isDeviceMemory(call, to) && isDeviceMemory(call, from);
  return isGood ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult copy(ChildCall &call, void *to, size_t toPitch, const void *from, size_t fromPitch,
              const Box &box, cudaMemcpyKind kind, cudaStream_t stream) {
  if (box.empty())
    return CUDA_SUCCESS;
  if (CUresult error = checkCopy(call, to, from, kind))
    return error;
  ChildSink sink(call, stream);
  return copyLinear(to, toPitch, from, fromPitch, box, OnDevice(), sink.stream());
}

/// One side of cudaMemcpy3D: an array or a pitched pointer, exactly one. Positions count elements
/// of an array and bytes of linear memory.
struct Side3D {
  cudaArray_t array;
  cudaPos pos;
  cudaPitchedPtr pointer;
};

CUresult resolve(const Side3D &side, const Box &box, Side &out) {
  if (side.array) {
    if (!isArray(side.array))
      return CUDA_ERROR_INVALID_HANDLE;
    return arraySide(side.array, Checked(side.pos.x) * side.array->elementBytes, side.pos.y,
                     side.pos.z, box, out);
  }
  const cudaPitchedPtr &p = side.pointer;
  if (!p.ptr)
    return CUDA_ERROR_INVALID_VALUE;
  const Checked x = side.pos.x, y = side.pos.y, z = side.pos.z, pitch = p.pitch;
  if (CUresult error = checkPitch(pitch, {x + box.width, box.height, box.depth}))
    return error;
  if (p.ysize < y + box.height)
    return box.depth > 1 ? CUresult(cudaErrorInvalidPitchValue) : CUDA_ERROR_INVALID_VALUE;
  const Checked slice = pitch * p.ysize, offset = z * slice + y * pitch + x;
  if (!isUsersSpace(p.ptr, offset))
    return CUDA_ERROR_INVALID_VALUE;
  const char *start = static_cast<const char *>(p.ptr) + offset;
  return linearSide(start, p.pitch, slice, box, false, out);
}

CUresult copy3D(const cudaMemcpy3DParms &p, CopyStream where) {
  const Side3D to = {p.dstArray, p.dstPos, p.dstPtr}, from = {p.srcArray, p.srcPos, p.srcPtr};
  const cudaArray_t array = to.array ? to.array : from.array;
  if (!p.extent.width || !p.extent.height || !p.extent.depth)
    return CUDA_SUCCESS;
  if ((to.array && to.pointer.ptr) || (from.array && from.pointer.ptr))
    return CUDA_ERROR_INVALID_VALUE;
  if (array && !isArray(array))
    return CUDA_ERROR_INVALID_HANDLE;
  const Box box = {Checked(p.extent.width) * (array ? array->elementBytes : 1), p.extent.height,
                   p.extent.depth};
  Side target, source;
  if (CUresult error = resolve(to, box, target))
    return error;
  if (CUresult error = resolve(from, box, source))
    return error;
  return driver::copy(target, source, box, where);
}

CUresult fill(ChildCall &call, void *to, size_t pitch, size_t rows, int value, const Box &box,
              cudaStream_t stream) {
  if (!box.empty() && !isDeviceMemory(call, to))
    return CUDA_ERROR_INVALID_VALUE;
  ChildSink sink(call, stream);
  return driver::fill(to, pitch, rows, value, box, sink.stream());
}

} // namespace

namespace on_device {

CUresult cudaMalloc(ChildCall &call, void **pointer, size_t bytes) {
  if (!pointer || !bytes)
    return CUDA_ERROR_INVALID_VALUE;
  Block *block = call.caller.block;
  void *memory = block->launch->services->allocate(block, bytes);
  if (!memory)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *pointer = memory;
  return CUDA_SUCCESS;
}

CUresult cudaFree(ChildCall &call, void *pointer) {
  if (!pointer)
    return CUDA_SUCCESS;
  if (!call.device.backend->inHeap(reinterpret_cast<uint64_t>(pointer)))
    return CUresult(cudaErrorInvalidDevicePointer);
  Block *block = call.caller.block;
  block->launch->services->release(block, pointer);
  return CUDA_SUCCESS;
}

CUresult cudaMemcpyAsync(ChildCall &call, void *to, const void *from, size_t bytes,
                         cudaMemcpyKind kind, cudaStream_t stream) {
  return copy(call, to, bytes, from, bytes, {bytes}, kind, stream);
}

CUresult cudaMemcpy2DAsync(ChildCall &call, void *to, size_t toPitch, const void *from,
                           size_t fromPitch, size_t width, size_t height, cudaMemcpyKind kind,
                           cudaStream_t stream) {
  return copy(call, to, toPitch, from, fromPitch, {width, height}, kind, stream);
}

CUresult cudaMemcpy3DAsync(ChildCall &call, const cudaMemcpy3DParms *p, cudaStream_t stream) {
  if (!p)
    return CUDA_ERROR_INVALID_VALUE;
  const void *to = p->dstArray ? nullptr : p->dstPtr.ptr;
  const void *from = p->srcArray ? nullptr : p->srcPtr.ptr;
  if (p->kind != cudaMemcpyDeviceToDevice && p->kind != cudaMemcpyDefault)
    return CUresult(cudaErrorInvalidMemcpyDirection);
  if ((to && !isDeviceMemory(call, to)) || (from && !isDeviceMemory(call, from)))
    return CUDA_ERROR_INVALID_VALUE;
  ChildSink sink(call, stream);
  return copy3D(*p, sink.stream());
}

CUresult cudaMemsetAsync(ChildCall &call, void *to, int value, size_t bytes, cudaStream_t stream) {
  return fill(call, to, bytes, 1, value, {bytes}, stream);
}

CUresult cudaMemset2DAsync(ChildCall &call, void *to, size_t pitch, int value, size_t width,
                           size_t height, cudaStream_t stream) {
  return fill(call, to, pitch, height, value, {width, height}, stream);
}

CUresult cudaMemset3DAsync(ChildCall &call, void *to, size_t pitch, size_t, size_t ySize, int value,
                           size_t width, size_t height, size_t depth, cudaStream_t stream) {
  return fill(call, to, pitch, ySize, value, {width, height, depth}, stream);
}

} // namespace on_device
} // namespace heddle::driver
