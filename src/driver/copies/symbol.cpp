// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// __device__, __constant__ and __managed__ variables, named by the address of their host shadow.
#include "driver/copies/copy.h"
#include "driver/modules/module.h"

using namespace heddle::driver;

namespace {

/// A copy to or from [offset, offset + count) of a variable on the current device.
CUresult read(const void *symbol, void *other, size_t count, size_t offset, bool toSymbol,
              cudaMemcpyKind kind, CopyWork &work) {
  if (!isValidKind(kind) ||
      (kind != cudaMemcpyDefault && !(toSymbol ? toDevice(kind) : fromDevice(kind))))
    return CUresult(cudaErrorInvalidMemcpyDirection);
  VariableAddress variable;
  if (CUresult error = findVariable(symbol, currentContext(), variable))
    return error;
  if (offset > variable.bytes || count > variable.bytes - offset)
    return CUDA_ERROR_INVALID_VALUE;
  work.box = {count};
  Side &inSymbol = toSymbol ? work.to : work.from, &outside = toSymbol ? work.from : work.to;
  inSymbol.at = static_cast<uint8_t *>(variable.address) + offset;
  inSymbol.pitch = count;
  const bool onDevice = toSymbol ? fromDevice(kind) : toDevice(kind);
  return count ? linearSide(other, count, 0, {count}, onDevice, outside) : CUDA_SUCCESS;
}

CUresult copySymbol(const void *symbol, void *other, size_t count, size_t offset, bool toSymbol,
                    cudaMemcpyKind kind, CopyStream where) {
  CopyWork work;
  if (CUresult error = read(symbol, other, count, offset, toSymbol, kind, work))
    return error;
  return count ? copy(work.to, work.from, work.box, where) : CUDA_SUCCESS;
}

} // namespace

CUresult heddle::driver::readSymbolCopy(const void *symbol, void *other, size_t bytes,
                                        size_t offset, bool toSymbol, cudaMemcpyKind kind,
                                        CopyWork &work) {
  return bytes ? read(symbol, other, bytes, offset, toSymbol, kind, work)
               : CUDA_ERROR_INVALID_VALUE;
}

CUresult heddle::driver::cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count,
                                            size_t offset, cudaMemcpyKind kind) {
  return enter([&] {
    return copySymbol(symbol, const_cast<void *>(src), count, offset, true, kind, blocking());
  });
}

CUresult heddle::driver::cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count,
                                                 size_t offset, cudaMemcpyKind kind,
                                                 cudaStream_t stream) {
  return enter([&] {
    return copySymbol(symbol, const_cast<void *>(src), count, offset, true, kind, inStream(stream));
  });
}

CUresult heddle::driver::cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count,
                                              size_t offset, cudaMemcpyKind kind) {
  return enter([&] { return copySymbol(symbol, dst, count, offset, false, kind, blocking()); });
}

CUresult heddle::driver::cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count,
                                                   size_t offset, cudaMemcpyKind kind,
                                                   cudaStream_t stream) {
  return enter(
      [&] { return copySymbol(symbol, dst, count, offset, false, kind, inStream(stream)); });
}

CUresult heddle::driver::cudaGetSymbolAddress(void **address, const void *symbol) {
  return enter([&] {
    VariableAddress variable;
    if (!address)
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = findVariable(symbol, currentContext(), variable))
      return error;
    *address = variable.address;
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaGetSymbolSize(size_t *bytes, const void *symbol) {
  return enter([&] {
    VariableAddress variable;
    if (!bytes)
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = findVariable(symbol, currentContext(), variable))
      return error;
    *bytes = variable.bytes;
    return CUDA_SUCCESS;
  });
}
