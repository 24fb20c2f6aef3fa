// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture and surface references. Binding one makes an object of the reference's settings, as they
// are then, and writes it to the reference's variable on the current device. A launch reads the
// variable when it runs, not when it is queued, so binding waits until the device is idle: kernels
// that were launched before go on with what was bound then. The object that the reference had is
// destroyed.
#include "runtime/memory/array.h"
#include "runtime/modules/module.h"
#include "runtime/streams/stream.h"
#include "runtime/textures/texture.h"

#include <algorithm>
#include <map>

namespace heddle::runtime {

namespace {

struct Binding {
  Texture *texture = nullptr;
  Surface *surface = nullptr;
  size_t offset = 0; ///< cudaGetTextureAlignmentOffset
};

struct Bindings {
  std::mutex mutex;
  std::map<std::pair<const void *, int>, Binding> of; ///< by reference and device
};

Bindings &bindings() {
  static auto *all = new Bindings;
  return *all;
}

cudaTextureDesc settingsOf(const textureReference &reference, bool readsNormalized) {
  cudaTextureDesc settings = {};
  std::copy(reference.addressMode, reference.addressMode + 3, settings.addressMode);
  settings.filterMode = reference.filterMode;
  settings.readMode = readsNormalized ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  settings.sRGB = reference.sRGB;
  settings.normalizedCoords = reference.normalized;
  settings.maxAnisotropy = reference.maxAnisotropy;
  settings.mipmapFilterMode = reference.mipmapFilterMode;
  settings.mipmapLevelBias = reference.mipmapLevelBias;
  settings.minMipmapLevelClamp = reference.minMipmapLevelClamp;
  settings.maxMipmapLevelClamp = reference.maxMipmapLevelClamp;
  settings.disableTrilinearOptimization = reference.disableTrilinearOptimization;
  return settings;
}

/// Puts `binding` in the place of what the reference had.
cudaError_t rebind(const void *reference, const ReferencePlace &place, const Binding &binding) {
  if (cudaError_t error = synchronize(currentDevice()))
    return error;
  const void *object = binding.texture ? static_cast<const void *>(binding.texture)
                                       : static_cast<const void *>(binding.surface);
  *place.object = reinterpret_cast<uint64_t>(object);
  std::lock_guard guard(bindings().mutex);
  Binding &old = bindings().of[{reference, currentDevice().ordinal}];
  if (old.texture)
    destroyTexture(old.texture);
  if (old.surface)
    destroySurface(old.surface);
  old = binding;
  return cudaSuccess;
}

cudaError_t bindTexture(const textureReference *reference, const cudaResourceDesc &resource,
                        size_t offset) {
  ReferencePlace place;
  if (cudaError_t error = findReference(reference, currentDevice(), place))
    return error;
  Binding binding = {.offset = offset};
  const cudaTextureDesc settings = settingsOf(*reference, place.readsNormalized);
  if (cudaError_t error = createTexture(binding.texture, resource, settings, nullptr))
    return error;
  return rebind(reference, place, binding);
}

/// Splits a pointer into one that may be a texture's and an offset, which the program must add to
/// its indices. Without a place for that, the offset must be 0.
cudaError_t alignMemory(const void *&memory, size_t *offset, size_t &rest) {
  rest = reinterpret_cast<uintptr_t>(memory) % device::cpu::Allocator::Alignment;
  if (rest != 0 && !offset)
    return cudaErrorInvalidValue;
  memory = static_cast<const uint8_t *>(memory) - rest;
  if (offset)
    *offset = rest;
  return cudaSuccess;
}

/// As far as the memory goes, where the program has not said how much of it is meant.
size_t boundBytes(const void *memory, size_t bytes) {
  const PointerInfo info = lookUp(memory);
  if (!info.onDevice())
    return bytes;
  const auto before = static_cast<size_t>(static_cast<const uint8_t *>(memory) - info.base);
  return std::min(bytes, info.bytes - before);
}

/// An array, or the largest level of a mipmapped one; null if there is no such array.
const cudaArray *largestLevel(cudaArray_const_t array) { return isArray(array) ? array : nullptr; }
const cudaArray *largestLevel(cudaMipmappedArray_const_t mipmap) {
  return isMipmap(mipmap) ? mipmap->levels[0].get() : nullptr;
}

cudaResourceDesc resourceOf(cudaArray_const_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = const_cast<cudaArray_t>(array);
  return resource;
}
cudaResourceDesc resourceOf(cudaMipmappedArray_const_t mipmap) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = const_cast<cudaMipmappedArray_t>(mipmap);
  return resource;
}

/// Array: cudaArray_const_t or cudaMipmappedArray_const_t.
template <typename Array>
cudaError_t bindArray(const textureReference *reference, Array array,
                      const cudaChannelFormatDesc *format) {
  if (!reference || !format)
    return cudaErrorInvalidValue;
  const cudaArray *level = largestLevel(array);
  if (!level)
    return cudaErrorInvalidResourceHandle;
  if (texelBytes(*format) != level->elementBytes)
    return cudaErrorInvalidValue;
  return bindTexture(reference, resourceOf(array), 0);
}

cudaError_t bindLinear(size_t *offset, const textureReference *reference, const void *memory,
                       const cudaChannelFormatDesc *format, size_t bytes) {
  if (!reference || !format)
    return cudaErrorInvalidValue;
  size_t rest;
  if (cudaError_t error = alignMemory(memory, offset, rest))
    return error;
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = const_cast<void *>(memory);
  resource.res.linear.desc = *format;
  resource.res.linear.sizeInBytes =
      boundBytes(memory, std::max(bytes, bytes + rest)); // no overflow
  return bindTexture(reference, resource, rest);
}

cudaError_t bindPitched(size_t *offset, const textureReference *reference, const void *memory,
                        const cudaChannelFormatDesc *format, size_t width, size_t height,
                        size_t pitch) {
  if (!reference || !format || !isValidFormat(*format))
    return cudaErrorInvalidValue;
  size_t rest;
  if (cudaError_t error = alignMemory(memory, offset, rest))
    return error;
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = const_cast<void *>(memory);
  resource.res.pitch2D.desc = *format;
  resource.res.pitch2D.width = width + rest / texelBytes(*format);
  resource.res.pitch2D.height = height;
  resource.res.pitch2D.pitchInBytes = pitch;
  return bindTexture(reference, resource, rest);
}

cudaError_t bindSurface(const surfaceReference *reference, cudaArray_const_t array,
                        const cudaChannelFormatDesc *format) {
  if (!reference || !format)
    return cudaErrorInvalidValue;
  if (!isArray(array))
    return cudaErrorInvalidResourceHandle;
  ReferencePlace place;
  if (cudaError_t error = findReference(reference, currentDevice(), place))
    return error == cudaErrorInvalidTexture ? cudaErrorInvalidSurface : error;
  Binding binding;
  if (cudaError_t error = createSurface(binding.surface, resourceOf(array)))
    return error;
  return rebind(reference, place, binding);
}

} // namespace

} // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_API cudaError_t cudaBindTexture(size_t *offset, const textureReference *reference,
                                       const void *memory, const cudaChannelFormatDesc *format,
                                       size_t bytes) {
  return enter([&] { return bindLinear(offset, reference, memory, format, bytes); });
}

HEDDLE_API cudaError_t cudaBindTexture2D(size_t *offset, const textureReference *reference,
                                         const void *memory, const cudaChannelFormatDesc *format,
                                         size_t width, size_t height, size_t pitch) {
  return enter(
      [&] { return bindPitched(offset, reference, memory, format, width, height, pitch); });
}

HEDDLE_API cudaError_t cudaBindTextureToArray(const textureReference *reference,
                                              cudaArray_const_t array,
                                              const cudaChannelFormatDesc *format) {
  return enter([&] { return bindArray(reference, array, format); });
}

HEDDLE_API cudaError_t cudaBindTextureToMipmappedArray(const textureReference *reference,
                                                       cudaMipmappedArray_const_t mipmap,
                                                       const cudaChannelFormatDesc *format) {
  return enter([&] { return bindArray(reference, mipmap, format); });
}

HEDDLE_API cudaError_t cudaUnbindTexture(const textureReference *reference) {
  return enter([&] {
    ReferencePlace place;
    if (!reference)
      return cudaErrorInvalidTexture;
    if (cudaError_t error = findReference(reference, currentDevice(), place))
      return error;
    return rebind(reference, place, {});
  });
}

HEDDLE_API cudaError_t cudaGetTextureAlignmentOffset(size_t *offset,
                                                     const textureReference *reference) {
  return enter([&] {
    ReferencePlace place;
    if (!offset || !reference)
      return cudaErrorInvalidTexture;
    if (cudaError_t error = findReference(reference, currentDevice(), place))
      return error;
    std::lock_guard guard(bindings().mutex);
    const Binding &binding = bindings().of[{reference, currentDevice().ordinal}];
    if (!binding.texture)
      return cudaErrorInvalidTextureBinding;
    *offset = binding.offset;
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaGetTextureReference(const textureReference **reference,
                                               const void *symbol) {
  return enter([&] {
    ReferencePlace place;
    if (!reference)
      return cudaErrorInvalidValue;
    if (cudaError_t error = findReference(symbol, currentDevice(), place))
      return error;
    *reference = static_cast<const textureReference *>(symbol);
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaBindSurfaceToArray(const surfaceReference *reference,
                                              cudaArray_const_t array,
                                              const cudaChannelFormatDesc *format) {
  return enter([&] { return bindSurface(reference, array, format); });
}

HEDDLE_API cudaError_t cudaGetSurfaceReference(const surfaceReference **reference,
                                               const void *symbol) {
  return enter([&] {
    ReferencePlace place;
    if (!reference)
      return cudaErrorInvalidValue;
    if (cudaError_t error = findReference(symbol, currentDevice(), place))
      return error == cudaErrorInvalidTexture ? cudaErrorInvalidSurface : error;
    *reference = static_cast<const surfaceReference *>(symbol);
    return cudaSuccess;
  });
}
