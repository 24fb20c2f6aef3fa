// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture and surface references, which CUDA had up to version 11: variables at file scope, bound
// by the host, read by kernels. To the host one is a structure with the settings that
// cudaBindTexture and its like take over. To device code it is a variable of 64 bits that holds a
// texture object (clang's device_builtin_texture_type), which the runtime writes.
#ifndef HEDDLE_TEXTURE_REFERENCE_H
#define HEDDLE_TEXTURE_REFERENCE_H

#if defined(__CUDACC__) && defined(__CUDA__)
#include "../channel_descriptor.h"
#include "../cuda_runtime_api.h"
#include "../surface_types.h"
#include "../texture_types.h"

template <class T, int dimensions = cudaTextureType1D,
          cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : public textureReference {
  texture(int isNormalized = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
          cudaTextureAddressMode address = cudaAddressModeClamp)
      : texture(isNormalized, filter, address, cudaCreateChannelDesc<T>()) {}
  texture(int isNormalized, cudaTextureFilterMode filter, cudaTextureAddressMode address,
          cudaChannelFormatDesc format)
      : textureReference() {
    normalized = isNormalized;
    filterMode = filter;
    for (cudaTextureAddressMode &each : addressMode)
      each = address;
    channelDesc = format;
  }
};

template <class T, int dimensions = cudaSurfaceType1D>
struct __attribute__((device_builtin_surface_type)) surface : public surfaceReference {
  surface() { channelDesc = cudaCreateChannelDesc<T>(); }
  surface(cudaChannelFormatDesc format) { channelDesc = format; }
};

#if HEDDLE_CUDA_VERSION < 13
// The host's functions, typed.
template <class T, int dimensions, cudaTextureReadMode mode>
static inline cudaError_t
cudaBindTexture(size_t *offset, const texture<T, dimensions, mode> &reference, const void *memory,
                const cudaChannelFormatDesc &format, size_t bytes = 0xffffffff) {
  return ::cudaBindTexture(offset, (const textureReference *)&reference, memory, &format, bytes);
}
template <class T, int dimensions, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture(size_t *offset,
                                          const texture<T, dimensions, mode> &reference,
                                          const void *memory, size_t bytes = 0xffffffff) {
  return cudaBindTexture(offset, reference, memory, reference.channelDesc, bytes);
}
template <class T, int dimensions, cudaTextureReadMode mode>
static inline cudaError_t
cudaBindTexture2D(size_t *offset, const texture<T, dimensions, mode> &reference, const void *memory,
                  const cudaChannelFormatDesc &format, size_t width, size_t height, size_t pitch) {
  return ::cudaBindTexture2D(offset, (const textureReference *)&reference, memory, &format, width,
                             height, pitch);
}
template <class T, int dimensions, cudaTextureReadMode mode>
static inline cudaError_t
cudaBindTexture2D(size_t *offset, const texture<T, dimensions, mode> &reference, const void *memory,
                  size_t width, size_t height, size_t pitch) {
  return cudaBindTexture2D(offset, reference, memory, reference.channelDesc, width, height, pitch);
}
template <class T, int dimensions, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToArray(const texture<T, dimensions, mode> &reference,
                                                 cudaArray_const_t array,
                                                 const cudaChannelFormatDesc &format) {
  return ::cudaBindTextureToArray((const textureReference *)&reference, array, &format);
}
template <class T, int dimensions, cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToArray(const texture<T, dimensions, mode> &reference,
                                                 cudaArray_const_t array) {
  cudaChannelFormatDesc format;
  cudaError_t error = ::cudaGetChannelDesc(&format, array);
  return error == cudaSuccess ? cudaBindTextureToArray(reference, array, format) : error;
}
template <class T, int dimensions, cudaTextureReadMode mode>
static inline cudaError_t
cudaBindTextureToMipmappedArray(const texture<T, dimensions, mode> &reference,
                                cudaMipmappedArray_const_t mipmap,
                                const cudaChannelFormatDesc &format) {
  return ::cudaBindTextureToMipmappedArray((const textureReference *)&reference, mipmap, &format);
}
template <class T, int dimensions, cudaTextureReadMode mode>
static inline cudaError_t
cudaBindTextureToMipmappedArray(const texture<T, dimensions, mode> &reference,
                                cudaMipmappedArray_const_t mipmap) {
  cudaArray_t level;
  cudaChannelFormatDesc format;
  cudaError_t error = ::cudaGetMipmappedArrayLevel(&level, mipmap, 0);
  if (error == cudaSuccess)
    error = ::cudaGetChannelDesc(&format, level);
  return error == cudaSuccess ? cudaBindTextureToMipmappedArray(reference, mipmap, format) : error;
}
template <class T, int dimensions, cudaTextureReadMode mode>
static inline cudaError_t cudaUnbindTexture(const texture<T, dimensions, mode> &reference) {
  return ::cudaUnbindTexture((const textureReference *)&reference);
}
template <class T, int dimensions, cudaTextureReadMode mode>
static inline cudaError_t
cudaGetTextureAlignmentOffset(size_t *offset, const texture<T, dimensions, mode> &reference) {
  return ::cudaGetTextureAlignmentOffset(offset, (const textureReference *)&reference);
}
template <class T, int dimensions>
static inline cudaError_t cudaBindSurfaceToArray(const surface<T, dimensions> &reference,
                                                 cudaArray_const_t array,
                                                 const cudaChannelFormatDesc &format) {
  return ::cudaBindSurfaceToArray((const surfaceReference *)&reference, array, &format);
}
template <class T, int dimensions>
static inline cudaError_t cudaBindSurfaceToArray(const surface<T, dimensions> &reference,
                                                 cudaArray_const_t array) {
  cudaChannelFormatDesc format;
  cudaError_t error = ::cudaGetChannelDesc(&format, array);
  return error == cudaSuccess ? cudaBindSurfaceToArray(reference, array, format) : error;
}
#endif

/// The object that is bound to a reference.
template <class Reference>
static __device__ __forceinline__ unsigned long long __heddle_object_of(Reference reference) {
  return *(unsigned long long *)&reference;
}
#endif
#endif
