// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats of texels and descriptors of arrays: the runtime's as the driver has them, and back.
#pragma once

#include "runtime/driver.h"

namespace heddle::runtime {

/// A format that arrays have. Error: CUresult(cudaErrorInvalidChannelDescriptor);
/// CUDA_ERROR_INVALID_VALUE for NV12, whose planes differ.
CUresult arrayFormat(const cudaChannelFormatDesc &, CUarray_format &, unsigned &channels);
/// The inverse. What is no format of the runtime's has the kind None.
cudaChannelFormatDesc channelFormat(CUarray_format, unsigned channels);
/// Bytes of a texel.
size_t elementBytes(CUarray_format, unsigned channels);

/// The descriptor of an array; flags have the same numbers in both APIs. Errors: arrayFormat's.
CUresult arrayDescriptor(const cudaChannelFormatDesc &, const cudaExtent &, unsigned flags,
                         CUDA_ARRAY3D_DESCRIPTOR &);

inline CUarray handleOf(cudaArray_const_t array) {
  return reinterpret_cast<CUarray>(const_cast<cudaArray_t>(array));
}
inline CUmipmappedArray handleOf(cudaMipmappedArray_const_t array) {
  return reinterpret_cast<CUmipmappedArray>(const_cast<cudaMipmappedArray_t>(array));
}

/// What the driver says of an array. Error: CUDA_ERROR_INVALID_HANDLE.
CUresult describe(cudaArray_const_t, CUDA_ARRAY3D_DESCRIPTOR &);
inline size_t elementBytes(const CUDA_ARRAY3D_DESCRIPTOR &d) {
  return elementBytes(d.Format, d.NumChannels);
}

} // namespace heddle::runtime
