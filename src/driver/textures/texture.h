// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture and surface objects. The number that a program holds is the address of a descriptor
// (base/abi/texture_descriptor.h), which kernels read; what the object was made of lies behind it.
// Objects lie in pools whose memory is never given back, so any number that is no object is told
// from one, and a kernel that still runs may read an object that was destroyed.
#pragma once

#include "driver/state.h"

#include "heddle/driver_types.h"

#include "base/abi/check_abi.h"
#include "base/abi/texture_descriptor.h"

namespace heddle::driver {

struct Texture {
  TextureDescriptor descriptor; ///< first: the object is its address
  cudaResourceDesc resource;
  cudaTextureDesc settings;
  cudaResourceViewDesc view;
};

struct Surface {
  SurfaceDescriptor descriptor;
  cudaResourceDesc resource;
};

/// A new object; checkTexture has the errors. `view` may be null.
CUresult createTexture(Texture *&, const cudaResourceDesc &, const cudaTextureDesc &,
                       const cudaResourceViewDesc *view);
void destroyTexture(Texture *);
/// The live one of a handle, or null.
Texture *findTexture(CUtexObject);

/// Whether a live one's texels lie between them, but in no array.
bool isSampled(Bounds);

/// Waits until no kernel that was launched by now reads an object any more: the next object may
/// take its place. Programs destroy objects right behind the launch that uses them.
CUresult waitForReaders();

CUresult createSurface(Surface *&, const cudaResourceDesc &);
void destroySurface(Surface *);
Surface *findSurface(CUsurfObject);

/// Checks what a texture is to be made of. Errors are as an H200 gives them where the manual
/// leaves them open (texture_check.cpp).
CUresult checkTexture(const cudaResourceDesc &, const cudaTextureDesc &,
                      const cudaResourceViewDesc *view);

/// Fills in what kernels read, for what checkTexture has passed (texture_descriptor.cpp).
TextureDescriptor describeTexture(const cudaResourceDesc &, const cudaTextureDesc &,
                                  const cudaResourceViewDesc *view);
SurfaceDescriptor describeSurface(const cudaArray &);

/// A texture's settings, for texels of a format.
cudaTextureDesc readSettings(const CUDA_TEXTURE_DESC &, const cudaChannelFormatDesc &);

/// The array that a resource is, or the first level of its mipmap; null for other memory.
const cudaArray *baseArray(const cudaResourceDesc &);

/// The format of a resource's texels.
const cudaChannelFormatDesc &formatOf(const cudaResourceDesc &);

} // namespace heddle::driver
