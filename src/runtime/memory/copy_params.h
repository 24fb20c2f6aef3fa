// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters of copies: what the runtime says by a kind, elements and pitched pointers, the driver
// says by types of memory and bytes.
#pragma once

#include "runtime/driver.h"

namespace heddle::runtime {

inline CUdeviceptr addressOf(const void *p) { return reinterpret_cast<CUdeviceptr>(p); }
inline void *pointerTo(CUdeviceptr address) { return reinterpret_cast<void *>(address); }

inline constexpr auto WrongDirection = CUresult(cudaErrorInvalidMemcpyDirection);

inline bool isValidKind(cudaMemcpyKind kind) {
  return static_cast<unsigned>(kind) <= static_cast<unsigned>(cudaMemcpyDefault);
}
inline bool fromDevice(cudaMemcpyKind kind) {
  return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
}
inline bool toDevice(cudaMemcpyKind kind) {
  return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
}

/// A side of a copy as the driver's structures have it: with the bytes and rows in front of it.
struct CopySide {
  CUmemorytype type = CU_MEMORYTYPE_UNIFIED;
  void *pointer = nullptr; ///< of linear memory
  cudaArray_t array = nullptr;
  size_t x = 0, y = 0, z = 0;
  size_t pitch = 0, height = 0; ///< of linear memory

  bool isOnHost() const { return type == CU_MEMORYTYPE_HOST; }
};

/// Linear memory of a copy of that kind.
CopySide targetOf(void *, size_t pitch, cudaMemcpyKind);
CopySide sourceOf(const void *, size_t pitch, cudaMemcpyKind);
/// A place in an array: x in bytes.
CopySide inArray(cudaArray_const_t, size_t x, size_t y, size_t z = 0);

/// Copies what a structure of the driver's has of each side: CUDA_MEMCPY2D, CUDA_MEMCPY3D,
/// CUDA_MEMCPY3D_PEER.
template <class Copy> void setSides(Copy &, const CopySide &to, const CopySide &from);

/// Fails for rows that are longer than the pitch. A single row needs none, for which 0 stands.
/// Errors: CUresult(cudaErrorInvalidPitchValue); of a single row, CUDA_ERROR_INVALID_VALUE.
CUresult checkPitch(size_t pitch, size_t width, size_t height, size_t depth = 1);

inline bool isEmpty(const cudaExtent &e) { return !e.width || !e.height || !e.depth; }

/// What the 3D copies have in common. Copy: CUDA_MEMCPY3D or CUDA_MEMCPY3D_PEER; the contexts of the
/// latter are not set. Errors: CUresult(cudaErrorInvalidMemcpyDirection),
/// CUresult(cudaErrorInvalidPitchValue), CUDA_ERROR_INVALID_VALUE, and CUDA_ERROR_INVALID_HANDLE for
/// arrays.
CUresult readCopy(const cudaMemcpy3DParms &, CUDA_MEMCPY3D &);
CUresult readCopy(const cudaMemcpy3DPeerParms &, CUDA_MEMCPY3D_PEER &);

/// The same for memcpy nodes, where a single row needs no pitch and nothing to copy is
/// CUDA_ERROR_INVALID_VALUE.
CUresult readNodeCopy(const cudaMemcpy3DParms *, CUDA_MEMCPY3D &);
/// The copy of cudaGraphAddMemcpyNode1D. Errors: CUresult(cudaErrorInvalidMemcpyDirection),
/// CUDA_ERROR_INVALID_VALUE for nothing to copy.
CUresult readNodeCopy(void *to, const void *from, size_t bytes, cudaMemcpyKind, CUDA_MEMCPY3D &);
/// What a program asked for, of a copy that the driver tells.
CUresult tellCopy(const CUDA_MEMCPY3D &, cudaMemcpy3DParms &);

/// Both APIs have the same parameters of memset nodes (tests/headers/driver_runtime.cpp).
inline auto paramsOf(const cudaMemsetParams *params) {
  return reinterpret_cast<const CUDA_MEMSET_NODE_PARAMS *>(params);
}
inline auto paramsOf(cudaMemsetParams *params) {
  return reinterpret_cast<CUDA_MEMSET_NODE_PARAMS *>(params);
}

} // namespace heddle::runtime
