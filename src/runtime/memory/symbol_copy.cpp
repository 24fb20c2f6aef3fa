// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// __device__, __constant__ and __managed__ variables, named by the address of their host shadow
// (runtime API, "Memory Management").
#include "runtime/symbols.h"

using namespace heddle::runtime;

namespace {

/// Calls `copy(place)` for [offset, offset + count) of a variable. `kind` is right if it is
/// cudaMemcpyDefault or one of two.
template <typename F>
cudaError_t copySymbol(const void *symbol, size_t count, size_t offset, cudaMemcpyKind kind,
                       cudaMemcpyKind withHost, F &&copy) {
  return translate([&] {
    if (kind != withHost && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
      return CUresult(cudaErrorInvalidMemcpyDirection);
    CUdeviceptr address = 0;
    size_t bytes = 0;
    if (CUresult error = findSymbol(symbol, address, bytes))
      return error;
    if (offset > bytes || count > bytes - offset) {
      heddle_explain_variable(offset, count, bytes);
      return CUDA_ERROR_INVALID_VALUE;
    }
    return CUresult(count ? copy(reinterpret_cast<void *>(address + offset)) : cudaSuccess);
  });
}

} // namespace

HEDDLE_API cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count,
                                          size_t offset, cudaMemcpyKind kind) {
  return copySymbol(symbol, count, offset, kind, cudaMemcpyHostToDevice,
                    [&](void *place) { return cudaMemcpy(place, src, count, kind); });
}

HEDDLE_API cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count,
                                               size_t offset, cudaMemcpyKind kind,
                                               cudaStream_t stream) {
  return copySymbol(symbol, count, offset, kind, cudaMemcpyHostToDevice,
                    [&](void *place) { return cudaMemcpyAsync(place, src, count, kind, stream); });
}

HEDDLE_API cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count,
                                            size_t offset, cudaMemcpyKind kind) {
  return copySymbol(symbol, count, offset, kind, cudaMemcpyDeviceToHost,
                    [&](void *place) { return cudaMemcpy(dst, place, count, kind); });
}

HEDDLE_API cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count,
                                                 size_t offset, cudaMemcpyKind kind,
                                                 cudaStream_t stream) {
  return copySymbol(symbol, count, offset, kind, cudaMemcpyDeviceToHost,
                    [&](void *place) { return cudaMemcpyAsync(dst, place, count, kind, stream); });
}

HEDDLE_API cudaError_t cudaGetSymbolAddress(void **address, const void *symbol) {
  return translate([&] {
    CUdeviceptr found = 0;
    size_t bytes = 0;
    if (!address)
      return CUDA_ERROR_INVALID_VALUE;
    CUresult error = findSymbol(symbol, found, bytes);
    if (error == CUDA_SUCCESS)
      *address = reinterpret_cast<void *>(found);
    return error;
  });
}

HEDDLE_API cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol) {
  return translate([&] {
    CUdeviceptr found = 0;
    size_t bytes = 0;
    if (!size)
      return CUDA_ERROR_INVALID_VALUE;
    CUresult error = findSymbol(symbol, found, bytes);
    if (error == CUDA_SUCCESS)
      *size = bytes;
    return error;
  });
}
