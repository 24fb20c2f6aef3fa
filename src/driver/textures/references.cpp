// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture and surface references. Binding one makes an object of the reference's settings, as they
// are then, and writes it to the reference's variable on the current device. A launch reads the
// variable when it runs, not when it is queued, so binding waits until the device is idle: kernels
// that were launched before go on with what was bound then. The object that the reference had is
// destroyed.
#include "driver/memory/array.h"
#include "driver/modules/host_names.h"
#include "driver/streams/stream.h"
#include "driver/textures/texture.h"

#include <algorithm>
#include <map>

namespace heddle::driver {

namespace {

struct ReferencePlace {
  uint64_t *object;
  bool readsNormalized;
};

CUresult findReference(const void *reference, Context &, ReferencePlace &place) {
  CUdeviceptr address = 0;
  CUresult error = hostNames.findReference(reference, address, place.readsNormalized);
  place.object = reinterpret_cast<uint64_t *>(address);
  return error;
}

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
CUresult rebind(const void *reference, const ReferencePlace &place, const Binding &binding) {
  if (CUresult error = synchronize(currentContext()))
    return error;
  const void *object = binding.texture ? static_cast<const void *>(binding.texture)
                                       : static_cast<const void *>(binding.surface);
  *place.object = reinterpret_cast<uint64_t>(object);
  std::lock_guard guard(bindings().mutex);
  Binding &old = bindings().of[{reference, currentContext().index}];
  if (old.texture)
    destroyTexture(old.texture);
  if (old.surface)
    destroySurface(old.surface);
  old = binding;
  return CUDA_SUCCESS;
}

CUresult bindTexture(const textureReference *reference, const cudaResourceDesc &resource,
                     size_t offset) {
  ReferencePlace place;
  if (CUresult error = findReference(reference, currentContext(), place))
    return error;
  Binding binding = {.offset = offset};
  const cudaTextureDesc settings = settingsOf(*reference, place.readsNormalized);
  if (CUresult error = createTexture(binding.texture, resource, settings, nullptr))
    return error;
  return rebind(reference, place, binding);
}

/// Splits a pointer into one that may be a texture's and an offset, which the program must add to
/// its indices. Without a place for that, the offset must be 0.
CUresult alignMemory(const void *&memory, size_t *offset, size_t &rest) {
  rest = reinterpret_cast<uintptr_t>(memory) % device::cpu::Allocator::Alignment;
  if (rest != 0 && !offset)
    return CUDA_ERROR_INVALID_VALUE;
  memory = static_cast<const uint8_t *>(memory) - rest;
  if (offset)
    *offset = rest;
  return CUDA_SUCCESS;
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
CUresult bindArray(const textureReference *reference, Array array,
                   const cudaChannelFormatDesc *format) {
  if (!reference || !format)
    return CUDA_ERROR_INVALID_VALUE;
  const cudaArray *level = largestLevel(array);
  if (!level)
    return CUDA_ERROR_INVALID_HANDLE;
  if (texelBytes(*format) != level->elementBytes)
    return CUDA_ERROR_INVALID_VALUE;
  return bindTexture(reference, resourceOf(array), 0);
}

CUresult bindLinear(size_t *offset, const textureReference *reference, const void *memory,
                    const cudaChannelFormatDesc *format, size_t bytes) {
  if (!reference || !format)
    return CUDA_ERROR_INVALID_VALUE;
  size_t rest;
  if (CUresult error = alignMemory(memory, offset, rest))
    return error;
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = const_cast<void *>(memory);
  resource.res.linear.desc = *format;
  resource.res.linear.sizeInBytes =
      boundBytes(memory, std::max(bytes, bytes + rest)); // no overflow
  return bindTexture(reference, resource, rest);
}

CUresult bindPitched(size_t *offset, const textureReference *reference, const void *memory,
                     const cudaChannelFormatDesc *format, size_t width, size_t height,
                     size_t pitch) {
  if (!reference || !format || !isValidFormat(*format))
    return CUDA_ERROR_INVALID_VALUE;
  size_t rest;
  if (CUresult error = alignMemory(memory, offset, rest))
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

CUresult bindSurface(const surfaceReference *reference, cudaArray_const_t array,
                     const cudaChannelFormatDesc *format) {
  if (!reference || !format)
    return CUDA_ERROR_INVALID_VALUE;
  if (!isArray(array))
    return CUDA_ERROR_INVALID_HANDLE;
  ReferencePlace place;
  if (CUresult error = findReference(reference, currentContext(), place))
    return error == CUresult(cudaErrorInvalidTexture) ? CUresult(cudaErrorInvalidSurface) : error;
  Binding binding;
  if (CUresult error = createSurface(binding.surface, resourceOf(array)))
    return error;
  return rebind(reference, place, binding);
}

} // namespace

} // namespace heddle::driver

using namespace heddle::driver;

CUresult heddle::driver::cudaBindTexture(size_t *offset, const textureReference *reference,
                                         const void *memory, const cudaChannelFormatDesc *format,
                                         size_t bytes) {
  return enter([&] { return bindLinear(offset, reference, memory, format, bytes); });
}

CUresult heddle::driver::cudaBindTexture2D(size_t *offset, const textureReference *reference,
                                           const void *memory, const cudaChannelFormatDesc *format,
                                           size_t width, size_t height, size_t pitch) {
  return enter(
      [&] { return bindPitched(offset, reference, memory, format, width, height, pitch); });
}

CUresult heddle::driver::cudaBindTextureToArray(const textureReference *reference,
                                                cudaArray_const_t array,
                                                const cudaChannelFormatDesc *format) {
  return enter([&] { return bindArray(reference, array, format); });
}

CUresult heddle::driver::cudaBindTextureToMipmappedArray(const textureReference *reference,
                                                         cudaMipmappedArray_const_t mipmap,
                                                         const cudaChannelFormatDesc *format) {
  return enter([&] { return bindArray(reference, mipmap, format); });
}

CUresult heddle::driver::cudaUnbindTexture(const textureReference *reference) {
  return enter([&] {
    ReferencePlace place;
    if (!reference)
      return CUresult(cudaErrorInvalidTexture);
    if (CUresult error = findReference(reference, currentContext(), place))
      return error;
    return rebind(reference, place, {});
  });
}

CUresult heddle::driver::cudaGetTextureAlignmentOffset(size_t *offset,
                                                       const textureReference *reference) {
  return enter([&] {
    ReferencePlace place;
    if (!offset || !reference)
      return CUresult(cudaErrorInvalidTexture);
    if (CUresult error = findReference(reference, currentContext(), place))
      return error;
    std::lock_guard guard(bindings().mutex);
    const Binding &binding = bindings().of[{reference, currentContext().index}];
    if (!binding.texture)
      return CUresult(cudaErrorInvalidTextureBinding);
    *offset = binding.offset;
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaGetTextureReference(const textureReference **reference,
                                                 const void *symbol) {
  return enter([&] {
    ReferencePlace place;
    if (!reference)
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = findReference(symbol, currentContext(), place))
      return error;
    *reference = static_cast<const textureReference *>(symbol);
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaBindSurfaceToArray(const surfaceReference *reference,
                                                cudaArray_const_t array,
                                                const cudaChannelFormatDesc *format) {
  return enter([&] { return bindSurface(reference, array, format); });
}

CUresult heddle::driver::cudaGetSurfaceReference(const surfaceReference **reference,
                                                 const void *symbol) {
  return enter([&] {
    ReferencePlace place;
    if (!reference)
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = findReference(symbol, currentContext(), place))
      return error == CUresult(cudaErrorInvalidTexture) ? CUresult(cudaErrorInvalidSurface) : error;
    *reference = static_cast<const surfaceReference *>(symbol);
    return CUDA_SUCCESS;
  });
}
