// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// __device__, __constant__ and __managed__ variables, named by the address of their host shadow.
#include "runtime/copies/copy.h"
#include "runtime/modules/module.h"

using namespace heddle::runtime;

namespace {

/// A copy to or from [offset, offset + count) of a variable on the current device.
cudaError_t read(const void *symbol, void *other, size_t count, size_t offset, bool toSymbol,
                 cudaMemcpyKind kind, CopyWork &work) {
  if (!isValidKind(kind) ||
      (kind != cudaMemcpyDefault && !(toSymbol ? toDevice(kind) : fromDevice(kind))))
    return cudaErrorInvalidMemcpyDirection;
  VariableAddress variable;
  if (cudaError_t error = findVariable(symbol, currentDevice(), variable))
    return error;
  if (offset > variable.bytes || count > variable.bytes - offset)
    return cudaErrorInvalidValue;
  work.box = {count};
  Side &inSymbol = toSymbol ? work.to : work.from, &outside = toSymbol ? work.from : work.to;
  inSymbol.at = static_cast<uint8_t *>(variable.address) + offset;
  inSymbol.pitch = count;
  const bool onDevice = toSymbol ? fromDevice(kind) : toDevice(kind);
  return count ? linearSide(other, count, 0, {count}, onDevice, outside) : cudaSuccess;
}

cudaError_t copySymbol(const void *symbol, void *other, size_t count, size_t offset, bool toSymbol,
                       cudaMemcpyKind kind, CopyStream where) {
  CopyWork work;
  if (cudaError_t error = read(symbol, other, count, offset, toSymbol, kind, work))
    return error;
  return count ? copy(work.to, work.from, work.box, where) : cudaSuccess;
}

} // namespace

cudaError_t heddle::runtime::readSymbolCopy(const void *symbol, void *other, size_t bytes,
                                            size_t offset, bool toSymbol, cudaMemcpyKind kind,
                                            CopyWork &work) {
  return bytes ? read(symbol, other, bytes, offset, toSymbol, kind, work) : cudaErrorInvalidValue;
}

HEDDLE_API cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count,
                                          size_t offset, cudaMemcpyKind kind) {
  return enter([&] {
    return copySymbol(symbol, const_cast<void *>(src), count, offset, true, kind, blocking());
  });
}

HEDDLE_API cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count,
                                               size_t offset, cudaMemcpyKind kind,
                                               cudaStream_t stream) {
  return enter([&] {
    return copySymbol(symbol, const_cast<void *>(src), count, offset, true, kind, inStream(stream));
  });
}

HEDDLE_API cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count,
                                            size_t offset, cudaMemcpyKind kind) {
  return enter([&] { return copySymbol(symbol, dst, count, offset, false, kind, blocking()); });
}

HEDDLE_API cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count,
                                                 size_t offset, cudaMemcpyKind kind,
                                                 cudaStream_t stream) {
  return enter(
      [&] { return copySymbol(symbol, dst, count, offset, false, kind, inStream(stream)); });
}

HEDDLE_API cudaError_t cudaGetSymbolAddress(void **address, const void *symbol) {
  return enter([&] {
    VariableAddress variable;
    if (!address)
      return cudaErrorInvalidValue;
    if (cudaError_t error = findVariable(symbol, currentDevice(), variable))
      return error;
    *address = variable.address;
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol) {
  return enter([&] {
    VariableAddress variable;
    if (!bytes)
      return cudaErrorInvalidValue;
    if (cudaError_t error = findVariable(symbol, currentDevice(), variable))
      return error;
    *bytes = variable.bytes;
    return cudaSuccess;
  });
}
