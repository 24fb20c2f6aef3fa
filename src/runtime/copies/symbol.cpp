// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// __device__, __constant__ and __managed__ variables, named by the address of their host shadow.
#include "runtime/copies/copy.h"
#include "runtime/modules/module.h"

using namespace heddle::runtime;

namespace {

/// Copies to or from [offset, offset + count) of a variable on the current device.
cudaError_t copySymbol(const void *symbol, void *other, size_t count, size_t offset, bool toSymbol,
                       cudaMemcpyKind kind, CopyStream where) {
  if (!isValidKind(kind) ||
      (kind != cudaMemcpyDefault && !(toSymbol ? toDevice(kind) : fromDevice(kind))))
    return cudaErrorInvalidMemcpyDirection;
  VariableAddress variable;
  if (cudaError_t error = findVariable(symbol, currentDevice(), variable))
    return error;
  if (offset > variable.bytes || count > variable.bytes - offset)
    return cudaErrorInvalidValue;
  if (count == 0)
    return cudaSuccess;
  Side inSymbol, outside;
  inSymbol.at = static_cast<uint8_t *>(variable.address) + offset;
  inSymbol.pitch = count;
  const bool onDevice = toSymbol ? fromDevice(kind) : toDevice(kind);
  if (cudaError_t error = linearSide(other, count, 0, {count}, onDevice, outside))
    return error;
  return toSymbol ? copy(inSymbol, outside, {count}, where)
                  : copy(outside, inSymbol, {count}, where);
}

} // namespace

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
