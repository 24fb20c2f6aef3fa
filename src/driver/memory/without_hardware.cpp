// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What these devices have no hardware for, as their attributes say: multicast
// (CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED), engines that decompress
// (CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK), buffers of the kernel's for other cards
// (CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED). The codes are those of an H200 that is in no fabric, which
// looks at nothing else of a call for the first, and at the stream alone for the second.
#include "driver/functions.h"
#include "driver/memory/addresses.h"
#include "driver/memory/memory.h"
#include "driver/streams/stream.h"

#include <unistd.h>

namespace heddle::driver {

CUresult cuMulticastCreate(CUmemGenericAllocationHandle *, const CUmulticastObjectProp *) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuMulticastAddDevice(CUmemGenericAllocationHandle, CUdevice) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuMulticastBindMem(CUmemGenericAllocationHandle, size_t, CUmemGenericAllocationHandle,
                            size_t, size_t, unsigned long long) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuMulticastBindAddr(CUmemGenericAllocationHandle, size_t, CUdeviceptr, size_t,
                             unsigned long long) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuMulticastUnbind(CUmemGenericAllocationHandle, CUdevice, size_t, size_t) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuMulticastGetGranularity(size_t *, const CUmulticastObjectProp *,
                                   CUmulticastGranularity_flags) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuMemBatchDecompressAsync(CUmemDecompressParams *, size_t, unsigned, size_t *,
                                   CUstream stream) {
  return streamOf(stream) ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_HANDLE;
}

/// A range is whole pages of one allocation.
CUresult cuMemGetHandleForAddressRange(void *, CUdeviceptr address, size_t bytes,
                                       CUmemRangeHandleType type, unsigned long long flags) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const PointerInfo info = lookUp(pointerTo(address));
  const bool isRange = info.base && bytes && address % page == 0 && bytes % page == 0 &&
                       info.holds(pointerTo(address), bytes);
  const bool isKnown = type == CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD &&
                       (!flags || flags & CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE);
  return isRange && isKnown ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
}

} // namespace heddle::driver
