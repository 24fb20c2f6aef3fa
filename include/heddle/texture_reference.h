// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture and surface references, which CUDA had up to version 11: variables at file scope, bound by the host, read by
// kernels. To the host one is a structure with the settings that cudaBindTexture and its like take over. To device code it
// is a variable of 64 bits that holds a texture object (clang's device_builtin_texture_type), which the runtime writes.
#ifndef HEDDLE_TEXTURE_REFERENCE_H
#define HEDDLE_TEXTURE_REFERENCE_H

#if defined(__CUDACC__) && defined(__CUDA__)
#include "../channel_descriptor.h"
#include "../surface_types.h"
#include "../texture_types.h"

template <class T, int dimensions = cudaTextureType1D,
          cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : public textureReference {
#if !defined(__CUDA_ARCH__)
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
#endif
};

template <class T, int dimensions = cudaSurfaceType1D>
struct __attribute__((device_builtin_surface_type)) surface : public surfaceReference {
#if !defined(__CUDA_ARCH__)
  surface() { channelDesc = cudaCreateChannelDesc<T>(); }
  surface(cudaChannelFormatDesc format) { channelDesc = format; }
#endif
};

template <class Reference>
static __device__ __forceinline__ unsigned long long __heddle_object_of(Reference reference) {
  return *(unsigned long long *)&reference;
}
#endif
#endif
