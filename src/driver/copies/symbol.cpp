// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// __device__, __constant__ and __managed__ variables, named by the address of their host shadow.
#include "driver/copies/copy.h"
#include "driver/modules/host_names.h"

using namespace heddle::driver;

namespace {

/// A copy to or from [offset, offset + count) of a variable on the current device.
CUresult read(const void *symbol, void *other, size_t count, size_t offset, bool toSymbol,
              cudaMemcpyKind kind, CopyWork &work) {
  if (!isValidKind(kind) ||
      (kind != cudaMemcpyDefault && !(toSymbol ? toDevice(kind) : fromDevice(kind))))
    return CUresult(cudaErrorInvalidMemcpyDirection);
  CUdeviceptr address = 0;
  size_t bytes = 0;
  if (CUresult error = hostNames.findSymbol(symbol, address, bytes))
    return error;
  if (offset > bytes || count > bytes - offset)
    return CUDA_ERROR_INVALID_VALUE;
  work.box = {count};
  Side &inSymbol = toSymbol ? work.to : work.from, &outside = toSymbol ? work.from : work.to;
  inSymbol.at = reinterpret_cast<uint8_t *>(address) + offset;
  inSymbol.pitch = count;
  const bool onDevice = toSymbol ? fromDevice(kind) : toDevice(kind);
  return count ? linearSide(other, count, 0, {count}, onDevice, outside) : CUDA_SUCCESS;
}

} // namespace

CUresult heddle::driver::readSymbolCopy(const void *symbol, void *other, size_t bytes,
                                        size_t offset, bool toSymbol, cudaMemcpyKind kind,
                                        CopyWork &work) {
  return bytes ? read(symbol, other, bytes, offset, toSymbol, kind, work)
               : CUDA_ERROR_INVALID_VALUE;
}
