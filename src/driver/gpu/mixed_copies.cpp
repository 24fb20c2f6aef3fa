// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of a mixed table: copies, and what waits for the other side. The CPU's device memory is memory of the
// process. So a copy between the two is a copy between the GPU and the host, when both have done what was
// asked of them before.
#include "driver/gpu/mixed_state.h"

namespace heddle::driver::mixed {

namespace {

bool isGpuMemory(CUdeviceptr p) {
  unsigned type = 0;
  return !ownsAddress(reinterpret_cast<const void *>(p)) &&
         tableOf(Gpu).cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p) ==
             CUDA_SUCCESS &&
         type == CU_MEMORYTYPE_DEVICE;
}

/// All work of both, in the contexts that are current.
void finishBoth() {
  for (Side side : {Cpu, Gpu})
    (void)tableOf(side).cuCtxSynchronize();
}

/// A copy of which `to` and `from` may be anything.
CUresult copy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  const bool toGpu = isGpuMemory(to), fromGpu = isGpuMemory(from);
  if (toGpu && fromGpu)
    return tableOf(Gpu).cuMemcpyDtoD_v2(to, from, bytes);
  if (!toGpu && !fromGpu)
    return tableOf(Cpu).cuMemcpy(to, from, bytes);
  finishBoth();
  return toGpu ? tableOf(Gpu).cuMemcpyHtoD_v2(to, reinterpret_cast<const void *>(from), bytes)
               : tableOf(Gpu).cuMemcpyDtoH_v2(reinterpret_cast<void *>(to), from, bytes);
}

/// Of a copy in a stream, which is made at once where it is between the two.
template <class F>
CUresult copyIn(CUstream stream, CUdeviceptr to, CUdeviceptr from, size_t bytes, F &&inStream) {
  const bool toGpu = isGpuMemory(to), fromGpu = isGpuMemory(from);
  const bool crosses = (toGpu && ownsAddress(reinterpret_cast<const void *>(from))) ||
                       (fromGpu && ownsAddress(reinterpret_cast<const void *>(to)));
  if (crosses) {
    (void)tableOf(sideOf(stream) == Gpu ? Gpu : Cpu).cuStreamSynchronize(stream);
    return copy(to, from, bytes);
  }
  Side side = stream ? sideOf(stream) : Unknown;
  if (side == Unknown)
    side = toGpu || fromGpu ? Gpu : currentSide();
  return inStream(tableOf(side));
}

template <auto Member>
CUresult copyAnyIn(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copyIn(stream, to, from, bytes,
                [&](const Table &table) { return (table.*Member)(to, from, bytes, stream); });
}
template <auto Member>
CUresult copyPeer(CUdeviceptr to, CUcontext a, CUdeviceptr from, CUcontext b, size_t bytes) {
  const Side x = sideOf(a), y = sideOf(b);
  return x == y && x != Unknown ? (tableOf(x).*Member)(to, a, from, b, bytes)
                                : copy(to, from, bytes);
}
template <auto Member>
CUresult copyPeerIn(CUdeviceptr to, CUcontext a, CUdeviceptr from, CUcontext b, size_t bytes,
                    CUstream stream) {
  const Side x = sideOf(a), y = sideOf(b);
  if (x == y && x != Unknown)
    return (tableOf(x).*Member)(to, a, from, b, bytes, stream);
  (void)tableOf(sideOf(stream) == Gpu ? Gpu : Cpu).cuStreamSynchronize(stream);
  return copy(to, from, bytes);
}

/// What the memory of a box's copy lies in is the GPU's device memory or not at all: the CPU's is the
/// host's.
template <class Box> Box boxOf(Box box) {
  if (box.srcMemoryType != CU_MEMORYTYPE_ARRAY && box.srcMemoryType != CU_MEMORYTYPE_HOST &&
      ownsAddress(reinterpret_cast<const void *>(box.srcDevice))) {
    box.srcMemoryType = CU_MEMORYTYPE_HOST;
    box.srcHost = reinterpret_cast<const void *>(box.srcDevice);
  }
  if (box.dstMemoryType != CU_MEMORYTYPE_ARRAY && box.dstMemoryType != CU_MEMORYTYPE_HOST &&
      ownsAddress(reinterpret_cast<const void *>(box.dstDevice))) {
    box.dstMemoryType = CU_MEMORYTYPE_HOST;
    box.dstHost = reinterpret_cast<void *>(box.dstDevice);
  }
  return box;
}
template <class Box> bool touchesGpu(const Box &box) {
  const auto isOnGpu = [](CUmemorytype type, CUdeviceptr p, CUarray array) {
    return type == CU_MEMORYTYPE_ARRAY ? sideOf(array) == Gpu
                                       : type != CU_MEMORYTYPE_HOST && isGpuMemory(p);
  };
  return isOnGpu(box.srcMemoryType, box.srcDevice, box.srcArray) ||
         isOnGpu(box.dstMemoryType, box.dstDevice, box.dstArray);
}
template <auto Member, class Box, class... More> CUresult copyBox(const Box *box, More... more) {
  if (!box || !touchesGpu(*box))
    return (tableOf(box ? Cpu : currentSide()).*Member)(box, more...);
  finishBoth();
  const Box told = boxOf(*box);
  return (tableOf(Gpu).*Member)(&told, more...);
}

/// A stream waits for an event of the other side: the caller does.
template <auto Member> CUresult wait(CUstream stream, CUevent event, unsigned flags) {
  const Side side = stream ? sideOf(stream) : Unknown, where = sideOf(event);
  const Side runs = side == Unknown ? currentSide() : side;
  return where == Unknown || where == runs ? (tableOf(runs).*Member)(stream, event, flags)
                                           : tableOf(where).cuEventSynchronize(event);
}

CUresult pointerAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr p) {
  const Side side = ownsAddress(reinterpret_cast<const void *>(p)) ? Cpu
                    : isGpuMemory(p)                               ? Gpu
                                                                   : currentSide();
  CUresult error = tableOf(side).cuPointerGetAttribute(value, attribute, p);
  if (error == CUDA_SUCCESS && attribute == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
    *static_cast<int *>(value) = deviceOf(side, *static_cast<int *>(value));
  return error;
}

CUresult pointerAttributes(unsigned count, CUpointer_attribute *attributes, void **values,
                           CUdeviceptr p) {
  const Side side = ownsAddress(reinterpret_cast<const void *>(p)) ? Cpu
                    : isGpuMemory(p)                               ? Gpu
                                                                   : currentSide();
  CUresult error = tableOf(side).cuPointerGetAttributes(count, attributes, values, p);
  for (unsigned i = 0; error == CUDA_SUCCESS && i < count; ++i)
    if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL && *static_cast<int *>(values[i]) >= 0)
      *static_cast<int *>(values[i]) = deviceOf(side, *static_cast<int *>(values[i]));
  return error;
}

} // namespace

void interceptMemory(Table &table) {
  table.cuMemcpy = copy;
  table.cuMemcpy_ptds = copy;
  table.cuMemcpyDtoD_v2 = copy;
  table.cuMemcpyDtoD_v2_ptds = copy;
  table.cuMemcpyAsync = copyAnyIn<&Table::cuMemcpyAsync>;
  table.cuMemcpyAsync_ptsz = copyAnyIn<&Table::cuMemcpyAsync_ptsz>;
  table.cuMemcpyDtoDAsync_v2 = copyAnyIn<&Table::cuMemcpyDtoDAsync_v2>;
  table.cuMemcpyDtoDAsync_v2_ptsz = copyAnyIn<&Table::cuMemcpyDtoDAsync_v2_ptsz>;
  table.cuMemcpyPeer = copyPeer<&Table::cuMemcpyPeer>;
  table.cuMemcpyPeer_ptds = copyPeer<&Table::cuMemcpyPeer_ptds>;
  table.cuMemcpyPeerAsync = copyPeerIn<&Table::cuMemcpyPeerAsync>;
  table.cuMemcpyPeerAsync_ptsz = copyPeerIn<&Table::cuMemcpyPeerAsync_ptsz>;
  table.cuMemcpy2D_v2 = copyBox<&Table::cuMemcpy2D_v2, CUDA_MEMCPY2D>;
  table.cuMemcpy2DUnaligned_v2 = copyBox<&Table::cuMemcpy2DUnaligned_v2, CUDA_MEMCPY2D>;
  table.cuMemcpy3D_v2 = copyBox<&Table::cuMemcpy3D_v2, CUDA_MEMCPY3D>;
  table.cuMemcpy2DAsync_v2 = copyBox<&Table::cuMemcpy2DAsync_v2, CUDA_MEMCPY2D, CUstream>;
  table.cuMemcpy3DAsync_v2 = copyBox<&Table::cuMemcpy3DAsync_v2, CUDA_MEMCPY3D, CUstream>;
  table.cuStreamWaitEvent = wait<&Table::cuStreamWaitEvent>;
  table.cuStreamWaitEvent_ptsz = wait<&Table::cuStreamWaitEvent_ptsz>;
  table.cuPointerGetAttribute = pointerAttribute;
  table.cuPointerGetAttributes = pointerAttributes;
  // A free by address only, whatever device is current.
  table.cuMemFree_v2 = [](CUdeviceptr p) {
    return tableOf(ownsAddress(reinterpret_cast<const void *>(p)) ? Cpu
                   : isGpuMemory(p)                               ? Gpu
                                                                  : currentSide())
        .cuMemFree_v2(p);
  };
}

} // namespace heddle::driver::mixed
