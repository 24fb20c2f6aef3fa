// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture and surface references (runtime API of CUDA 11, "Texture Reference Management", "Surface
// Reference Management"). The program's structure says how a texture is read; it goes to the driver's
// reference with each binding.
#include "runtime/symbols.h"
#include "runtime/textures/texture.h"

#include <algorithm>
#include <map>
#include <mutex>

using namespace heddle::runtime;

namespace {

/// How far the memory of what is bound lies behind what the driver was given.
struct Offsets {
  std::mutex mutex;
  std::map<CUtexref, size_t> of;
};
Offsets &offsets() {
  static auto *all = new Offsets;
  return *all;
}

void noteOffset(CUtexref reference, size_t offset) {
  std::lock_guard guard(offsets().mutex);
  offsets().of[reference] = offset;
}

/// The reference as the driver has it in the current context.
struct TextureReference {
  const textureReference &host;
  CUtexref handle = nullptr;
  bool readsNormalized = false;
};

CUresult find(TextureReference &reference) {
  ReferencePlace place;
  if (CUresult error = findReference(&reference.host, place))
    return error;
  reference.readsNormalized = place.readsNormalized;
  return as(ask<&Cu::cuModuleGetTexRef>(&reference.handle, place.module, place.name),
            CUDA_ERROR_NOT_FOUND, cudaErrorInvalidTexture);
}

cudaTextureDesc settingsOf(const TextureReference &reference) {
  const textureReference &from = reference.host;
  cudaTextureDesc to = {};
  std::ranges::copy(from.addressMode, to.addressMode);
  to.filterMode = from.filterMode;
  to.readMode = reference.readsNormalized ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  to.sRGB = from.sRGB;
  to.normalizedCoords = from.normalized;
  to.maxAnisotropy = from.maxAnisotropy;
  to.mipmapFilterMode = from.mipmapFilterMode;
  to.mipmapLevelBias = from.mipmapLevelBias;
  to.minMipmapLevelClamp = from.minMipmapLevelClamp;
  to.maxMipmapLevelClamp = from.maxMipmapLevelClamp;
  to.disableTrilinearOptimization = from.disableTrilinearOptimization;
  return to;
}

/// Gives the driver's reference the program's settings, for texels of a format.
CUresult applySettings(const TextureReference &reference, CUarray_format format) {
  const cudaTextureDesc host = settingsOf(reference);
  const CUtexref r = reference.handle;
  if (CUresult error = checkReading(format, host))
    return error;
  const CUDA_TEXTURE_DESC settings = heddle::runtime::settingsOf(host);
  for (int dimension = 0; dimension < 3; ++dimension)
    if (CUresult error =
            ask<&Cu::cuTexRefSetAddressMode>(r, dimension, settings.addressMode[dimension]))
      return error;
  if (CUresult error = ask<&Cu::cuTexRefSetFilterMode>(r, settings.filterMode))
    return error;
  if (CUresult error = ask<&Cu::cuTexRefSetMipmapFilterMode>(r, settings.mipmapFilterMode))
    return error;
  if (CUresult error = ask<&Cu::cuTexRefSetMipmapLevelBias>(r, settings.mipmapLevelBias))
    return error;
  if (CUresult error = ask<&Cu::cuTexRefSetMipmapLevelClamp>(r, settings.minMipmapLevelClamp,
                                                             settings.maxMipmapLevelClamp))
    return error;
  if (CUresult error = ask<&Cu::cuTexRefSetMaxAnisotropy>(r, settings.maxAnisotropy))
    return error;
  return ask<&Cu::cuTexRefSetFlags>(r, settings.flags);
}

/// Runs `bind(reference)` for a reference with the program's settings.
template <typename F>
CUresult bindAs(const textureReference &host, CUarray_format format, F &&bind) {
  TextureReference reference = {host};
  if (CUresult error = find(reference))
    return error;
  if (CUresult error = applySettings(reference, format))
    return error;
  return bind(reference.handle);
}

/// Binds an array or mipmapped array, of which `level` is one level.
template <typename F>
CUresult bindArray(const textureReference *host, CUarray level, const cudaChannelFormatDesc *format,
                   F &&bind) {
  CUDA_ARRAY3D_DESCRIPTOR d;
  if (CUresult error = ask<&Cu::cuArray3DGetDescriptor_v2>(&d, level))
    return error;
  const auto texelBytes = static_cast<size_t>(format->x + format->y + format->z + format->w) / 8;
  if (texelBytes != elementBytes(d))
    return CUDA_ERROR_INVALID_VALUE;
  return bindAs(*host, d.Format, [&](CUtexref reference) {
    CUresult error = bind(reference);
    if (error == CUDA_SUCCESS)
      noteOffset(reference, 0);
    return error;
  });
}

struct Pitched {
  CUDA_ARRAY_DESCRIPTOR descriptor;
  CUdeviceptr pointer;
  size_t pitch;
  size_t texelBytes;
};

/// Where no row may begin the program gets an offset, if it takes one: that by which the driver
/// says that linear memory lies wrong.
CUresult bindPitched(CUtexref reference, Pitched memory, size_t *offset) {
  CUresult error = ask<&Cu::cuTexRefSetAddress2D_v3>(reference, &memory.descriptor, memory.pointer,
                                                     memory.pitch);
  size_t rest = 0;
  if (error == CUDA_ERROR_INVALID_VALUE && offset) {
    if (ask<&Cu::cuTexRefSetFormat>(reference, memory.descriptor.Format,
                                    static_cast<int>(memory.descriptor.NumChannels)) ||
        ask<&Cu::cuTexRefSetAddress_v2>(&rest, reference, memory.pointer, memory.texelBytes) ||
        rest == 0)
      return error;
    memory.descriptor.Width += rest / memory.texelBytes;
    error = ask<&Cu::cuTexRefSetAddress2D_v3>(reference, &memory.descriptor, memory.pointer - rest,
                                              memory.pitch);
  }
  if (error != CUDA_SUCCESS)
    return error;
  if (offset)
    *offset = rest;
  noteOffset(reference, rest);
  return CUDA_SUCCESS;
}

/// What the runtime calls memory in a format that no texture has.
CUresult memoryFormat(const cudaChannelFormatDesc &from, CUarray_format &format,
                      unsigned &channels) {
  return arrayFormat(from, format, channels) == CUDA_SUCCESS
             ? CUDA_SUCCESS
             : CUresult(cudaErrorInvalidChannelDescriptor);
}

/// What the runtime says of a surface reference.
CUresult asSurface(CUresult error) {
  return as(error, CUresult(cudaErrorInvalidTexture), cudaErrorInvalidSurface);
}

} // namespace

HEDDLE_API cudaError_t cudaBindTexture(size_t *offset, const textureReference *host,
                                       const void *memory, const cudaChannelFormatDesc *desc,
                                       size_t bytes) {
  return translate([&] {
    CUarray_format format;
    unsigned channels;
    if (!host || !desc)
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = memoryFormat(*desc, format, channels))
      return error;
    return bindAs(*host, format, [&](CUtexref reference) {
      size_t rest = 0;
      if (CUresult error =
              ask<&Cu::cuTexRefSetFormat>(reference, format, static_cast<int>(channels)))
        return error;
      if (CUresult error = ask<&Cu::cuTexRefSetAddress_v2>(
              offset ? &rest : nullptr, reference, reinterpret_cast<CUdeviceptr>(memory), bytes))
        return error;
      if (offset)
        *offset = rest;
      noteOffset(reference, rest);
      return memory ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    });
  });
}

HEDDLE_API cudaError_t cudaBindTexture2D(size_t *offset, const textureReference *host,
                                         const void *memory, const cudaChannelFormatDesc *desc,
                                         size_t width, size_t height, size_t pitch) {
  return translate([&] {
    Pitched pitched = {{width, height, {}, 0}, reinterpret_cast<CUdeviceptr>(memory), pitch, 0};
    CUDA_ARRAY_DESCRIPTOR &d = pitched.descriptor;
    if (!host || !desc || memoryFormat(*desc, d.Format, d.NumChannels))
      return CUDA_ERROR_INVALID_VALUE;
    pitched.texelBytes = elementBytes(d.Format, d.NumChannels);
    return bindAs(*host, d.Format,
                  [&](CUtexref reference) { return bindPitched(reference, pitched, offset); });
  });
}

HEDDLE_API cudaError_t cudaBindTextureToArray(const textureReference *host, cudaArray_const_t array,
                                              const cudaChannelFormatDesc *format) {
  return translate([&] {
    if (!host || !format)
      return CUDA_ERROR_INVALID_VALUE;
    return bindArray(host, handleOf(array), format, [&](CUtexref reference) {
      return ask<&Cu::cuTexRefSetArray>(reference, handleOf(array),
                                        unsigned(CU_TRSA_OVERRIDE_FORMAT));
    });
  });
}

HEDDLE_API cudaError_t cudaBindTextureToMipmappedArray(const textureReference *host,
                                                       cudaMipmappedArray_const_t mipmap,
                                                       const cudaChannelFormatDesc *format) {
  return translate([&] {
    CUarray level;
    if (!host || !format)
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = ask<&Cu::cuMipmappedArrayGetLevel>(&level, handleOf(mipmap), 0u))
      return error;
    return bindArray(host, level, format, [&](CUtexref reference) {
      return ask<&Cu::cuTexRefSetMipmappedArray>(reference, handleOf(mipmap),
                                                 unsigned(CU_TRSA_OVERRIDE_FORMAT));
    });
  });
}

HEDDLE_API cudaError_t cudaUnbindTexture(const textureReference *host) {
  return translate([&] {
    if (!host)
      return CUresult(cudaErrorInvalidTexture);
    TextureReference reference = {*host};
    if (CUresult error = find(reference))
      return error;
    return ask<&Cu::cuTexRefSetAddress_v2>(nullptr, reference.handle, CUdeviceptr(0), size_t(0));
  });
}

HEDDLE_API cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const textureReference *host) {
  return translate([&] {
    if (!offset || !host)
      return CUresult(cudaErrorInvalidTexture);
    TextureReference reference = {*host};
    if (CUresult error = find(reference))
      return error;
    CUdeviceptr pointer;
    CUarray array;
    CUmipmappedArray mipmap;
    if (ask<&Cu::cuTexRefGetAddress_v2>(&pointer, reference.handle) &&
        ask<&Cu::cuTexRefGetArray>(&array, reference.handle) &&
        ask<&Cu::cuTexRefGetMipmappedArray>(&mipmap, reference.handle))
      return CUresult(cudaErrorInvalidTextureBinding);
    std::lock_guard guard(offsets().mutex);
    *offset = offsets().of[reference.handle];
    return CUDA_SUCCESS;
  });
}

HEDDLE_API cudaError_t cudaGetTextureReference(const textureReference **reference,
                                               const void *symbol) {
  return translate([&] {
    ReferencePlace place;
    if (!reference)
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = findReference(symbol, place))
      return error;
    *reference = static_cast<const textureReference *>(symbol);
    return CUDA_SUCCESS;
  });
}

HEDDLE_API cudaError_t cudaBindSurfaceToArray(const surfaceReference *host, cudaArray_const_t array,
                                              const cudaChannelFormatDesc *format) {
  return translate([&] {
    CUDA_ARRAY3D_DESCRIPTOR d;
    ReferencePlace place;
    CUsurfref reference;
    if (!host || !format)
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = describe(array, d))
      return error;
    if (CUresult error = findReference(host, place))
      return asSurface(error);
    if (CUresult error = ask<&Cu::cuModuleGetSurfRef>(&reference, place.module, place.name))
      return as(error, CUDA_ERROR_NOT_FOUND, cudaErrorInvalidSurface);
    return ask<&Cu::cuSurfRefSetArray>(reference, handleOf(array), 0u);
  });
}

HEDDLE_API cudaError_t cudaGetSurfaceReference(const surfaceReference **reference,
                                               const void *symbol) {
  return translate([&] {
    ReferencePlace place;
    if (!reference)
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = findReference(symbol, place))
      return asSurface(error);
    *reference = static_cast<const surfaceReference *>(symbol);
    return CUDA_SUCCESS;
  });
}
