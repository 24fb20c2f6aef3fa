// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture and surface references of CUDA 11 and before (driver API, "Texture Reference Management",
// "Surface Reference Management").
#include "driver/functions.h"
#include "driver/memory/array.h"
#include "driver/memory/array_format.h"
#include "driver/modules/handles.h"
#include "driver/textures/references.h"

#include <algorithm>

namespace heddle::driver {

namespace {

/// Runs `body(reference)` for a live handle, in the reference's context.
template <typename Handle, typename F> CUresult withReference(Handle handle, F &&body) {
  auto *reference = findReference(handle);
  if (!reference)
    return CUDA_ERROR_INVALID_HANDLE;
  ContextScope scope(contextAt(reference->context));
  return body(*reference);
}

/// Sets `place(reference)`, which kernels that are launched from now on see.
template <typename T, typename F> CUresult set(CUtexref handle, const T &value, F &&place) {
  return withReference(handle, [&](TextureReference &reference) {
    T &old = place(reference);
    return std::exchange(old, value) == value ? CUDA_SUCCESS : rebind(reference);
  });
}

/// Gives `value(reference)`.
template <typename T, typename F> CUresult get(T *out, CUtexref handle, F &&value) {
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  return withReference(handle, [&](const TextureReference &reference) {
    *out = value(reference);
    return CUDA_SUCCESS;
  });
}

template <typename Handle>
CUresult getReference(Handle *out, CUmodule module, const char *name, auto *found) {
  if (!out || !name || !*name)
    return CUDA_ERROR_INVALID_VALUE;
  return withModule(module, [&](Library &library) {
    CUresult error = findReference(library, name, found);
    if (error == CUDA_SUCCESS)
      *out = reinterpret_cast<Handle>(found);
    return error;
  });
}

/// As far as the memory goes, where the program says more.
size_t boundBytes(const void *memory, size_t bytes) {
  const PointerInfo info = lookUp(memory);
  if (!info.onDevice())
    return bytes;
  const auto before = static_cast<size_t>(static_cast<const uint8_t *>(memory) - info.base);
  return std::min(bytes, info.bytes - before);
}

CUresult bindLinear(TextureReference &reference, CUdeviceptr pointer, size_t bytes,
                    size_t *offset) {
  const size_t rest = pointer % device::cpu::Allocator::Alignment;
  if (rest != 0 && !offset) // which the program must add to its indices
    return CUDA_ERROR_INVALID_VALUE;
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  auto &linear = resource.res.linear;
  linear.devPtr = reinterpret_cast<void *>(pointer - rest);
  if (CUresult error = channelFormat(reference.format, reference.channels, linear.desc))
    return error;
  linear.sizeInBytes = boundBytes(linear.devPtr, std::max(bytes, bytes + rest)); // no overflow
  if (CUresult error = bind(reference, resource))
    return error;
  if (offset)
    *offset = rest;
  return CUDA_SUCCESS;
}

/// An array tells its format, whether the program agrees to that or not, as on an H200.
template <typename F> CUresult bindArray(CUtexref handle, unsigned flags, F &&describe) {
  if (flags & ~unsigned(CU_TRSA_OVERRIDE_FORMAT))
    return CUDA_ERROR_INVALID_VALUE;
  return withReference(handle, [&](TextureReference &reference) {
    cudaResourceDesc resource = {};
    const cudaArray *array = describe(resource);
    if (!array)
      return CUDA_ERROR_INVALID_HANDLE;
    if (array->device != currentContext().index)
      return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
    CUresult error = bind(reference, resource);
    if (error == CUDA_SUCCESS) {
      reference.format = arrayFormat(formatOf(resource));
      reference.channels = channelsOf(formatOf(resource));
    }
    return error;
  });
}

bool isBoundTo(const TextureReference &reference, cudaResourceType type) {
  return reference.isBound && reference.resource.resType == type;
}

} // namespace

CUresult cuModuleGetTexRef(CUtexref *reference, CUmodule module, const char *name) {
  return getReference(reference, module, name, static_cast<TextureReference *>(nullptr));
}

CUresult cuModuleGetSurfRef(CUsurfref *reference, CUmodule module, const char *name) {
  return getReference(reference, module, name, static_cast<SurfaceReference *>(nullptr));
}

CUresult cuTexRefCreate(CUtexref *reference) {
  if (!reference)
    return CUDA_ERROR_INVALID_VALUE;
  TextureReference *made = makeReference();
  *reference = reinterpret_cast<CUtexref>(made);
  return made ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/// Those of modules end with them.
CUresult cuTexRefDestroy(CUtexref handle) {
  return withReference(handle, [](TextureReference &reference) {
    if (reference.library)
      return CUDA_ERROR_INVALID_HANDLE;
    destroyReference(reference);
    return CUDA_SUCCESS;
  });
}

/// A kernel reads its references anyway.
CUresult cuParamSetTexRef(CUfunction function, int unit, CUtexref handle) {
  if (!kernelOf(function) || unit != CU_PARAM_TR_DEFAULT)
    return CUDA_ERROR_INVALID_HANDLE;
  return withKernel(function, currentContext(), [&](Function &) {
    const TextureReference *reference = findReference(handle);
    return reference && reference->context == currentContext().index ? CUDA_SUCCESS
                                                                     : CUDA_ERROR_INVALID_HANDLE;
  });
}

// ---------------------------------------------------------------------------------------------------
// What is bound.

CUresult cuTexRefSetArray(CUtexref handle, CUarray array, unsigned flags) {
  return bindArray(handle, flags, [&](cudaResourceDesc &resource) {
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = reinterpret_cast<cudaArray_t>(array);
    return isArray(resource.res.array.array) ? resource.res.array.array : nullptr;
  });
}

CUresult cuTexRefSetMipmappedArray(CUtexref handle, CUmipmappedArray array, unsigned flags) {
  return bindArray(handle, flags, [&](cudaResourceDesc &resource) {
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = reinterpret_cast<cudaMipmappedArray_t>(array);
    const cudaMipmappedArray_t mipmap = resource.res.mipmap.mipmap;
    return isMipmap(mipmap) ? mipmap->levels.front().get() : nullptr;
  });
}

/// Nothing is bound by an address of 0.
CUresult cuTexRefSetAddress_v2(size_t *offset, CUtexref handle, CUdeviceptr pointer, size_t bytes) {
  return withReference(handle, [&](TextureReference &reference) {
    return pointer ? bindLinear(reference, pointer, bytes, offset) : unbind(reference);
  });
}

CUresult cuTexRefSetAddress2D_v3(CUtexref handle, const CUDA_ARRAY_DESCRIPTOR *descriptor,
                                 CUdeviceptr pointer, size_t pitch) {
  if (!descriptor)
    return CUDA_ERROR_INVALID_VALUE;
  return withReference(handle, [&](TextureReference &reference) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    auto &pitched = resource.res.pitch2D;
    pitched.devPtr = reinterpret_cast<void *>(pointer);
    pitched.width = descriptor->Width;
    pitched.height = descriptor->Height;
    pitched.pitchInBytes = pitch;
    if (CUresult error = channelFormat(descriptor->Format, descriptor->NumChannels, pitched.desc))
      return error;
    if (pitch < descriptor->Width * texelBytes(pitched.desc))
      return CUDA_ERROR_INVALID_VALUE;
    return bind(reference, resource);
  });
}

CUresult cuTexRefSetAddress2D_v2(CUtexref handle, const CUDA_ARRAY_DESCRIPTOR *descriptor,
                                 CUdeviceptr pointer, size_t pitch) {
  return cuTexRefSetAddress2D_v3(handle, descriptor, pointer, pitch);
}

CUresult cuTexRefGetAddress_v2(CUdeviceptr *pointer, CUtexref handle) {
  if (!pointer)
    return CUDA_ERROR_INVALID_VALUE;
  return withReference(handle, [&](const TextureReference &reference) {
    const cudaResourceDesc &resource = reference.resource;
    if (isBoundTo(reference, cudaResourceTypeLinear))
      *pointer = reinterpret_cast<CUdeviceptr>(resource.res.linear.devPtr);
    else if (isBoundTo(reference, cudaResourceTypePitch2D))
      *pointer = reinterpret_cast<CUdeviceptr>(resource.res.pitch2D.devPtr);
    else
      return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefGetArray(CUarray *array, CUtexref handle) {
  if (!array)
    return CUDA_ERROR_INVALID_VALUE;
  return withReference(handle, [&](const TextureReference &reference) {
    if (!isBoundTo(reference, cudaResourceTypeArray))
      return CUDA_ERROR_INVALID_VALUE;
    *array = reinterpret_cast<CUarray>(reference.resource.res.array.array);
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefGetMipmappedArray(CUmipmappedArray *array, CUtexref handle) {
  if (!array)
    return CUDA_ERROR_INVALID_VALUE;
  return withReference(handle, [&](const TextureReference &reference) {
    if (!isBoundTo(reference, cudaResourceTypeMipmappedArray))
      return CUDA_ERROR_INVALID_VALUE;
    *array = reinterpret_cast<CUmipmappedArray>(reference.resource.res.mipmap.mipmap);
    return CUDA_SUCCESS;
  });
}

CUresult cuSurfRefSetArray(CUsurfref handle, CUarray array, unsigned flags) {
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  return withReference(handle, [&](SurfaceReference &reference) { return bind(reference, array); });
}

CUresult cuSurfRefGetArray(CUarray *array, CUsurfref handle) {
  if (!array)
    return CUDA_ERROR_INVALID_VALUE;
  return withReference(handle, [&](const SurfaceReference &reference) {
    *array = reference.array;
    return reference.array ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

// ---------------------------------------------------------------------------------------------------
// Settings.

/// Of memory that will be bound.
CUresult cuTexRefSetFormat(CUtexref handle, CUarray_format format, int channels) {
  cudaChannelFormatDesc known;
  if (CUresult error = channelFormat(format, static_cast<unsigned>(channels), known))
    return error;
  return withReference(handle, [&](TextureReference &reference) {
    reference.format = format;
    reference.channels = static_cast<unsigned>(channels);
    if (!isBoundTo(reference, cudaResourceTypeLinear)) // PyCUDA sets the address first
      return CUDA_SUCCESS;
    cudaResourceDesc resource = reference.resource;
    resource.res.linear.desc = known;
    return bind(reference, resource);
  });
}

CUresult cuTexRefSetAddressMode(CUtexref handle, int dimension, CUaddress_mode mode) {
  if (static_cast<unsigned>(dimension) >= 3 ||
      static_cast<unsigned>(mode) > CU_TR_ADDRESS_MODE_BORDER)
    return CUDA_ERROR_INVALID_VALUE;
  return set(handle, mode, [&](TextureReference &r) -> CUaddress_mode & {
    return r.settings.addressMode[dimension];
  });
}

CUresult cuTexRefSetFilterMode(CUtexref handle, CUfilter_mode mode) {
  if (static_cast<unsigned>(mode) > CU_TR_FILTER_MODE_LINEAR)
    return CUDA_ERROR_INVALID_VALUE;
  return set(handle, mode,
             [](TextureReference &r) -> CUfilter_mode & { return r.settings.filterMode; });
}

CUresult cuTexRefSetMipmapFilterMode(CUtexref handle, CUfilter_mode mode) {
  if (static_cast<unsigned>(mode) > CU_TR_FILTER_MODE_LINEAR)
    return CUDA_ERROR_INVALID_VALUE;
  return set(handle, mode,
             [](TextureReference &r) -> CUfilter_mode & { return r.settings.mipmapFilterMode; });
}

CUresult cuTexRefSetMipmapLevelBias(CUtexref handle, float bias) {
  return set(handle, bias,
             [](TextureReference &r) -> float & { return r.settings.mipmapLevelBias; });
}

CUresult cuTexRefSetMipmapLevelClamp(CUtexref handle, float least, float most) {
  CUresult error = set(
      handle, least, [](TextureReference &r) -> float & { return r.settings.minMipmapLevelClamp; });
  if (error != CUDA_SUCCESS)
    return error;
  return set(handle, most,
             [](TextureReference &r) -> float & { return r.settings.maxMipmapLevelClamp; });
}

CUresult cuTexRefSetMaxAnisotropy(CUtexref handle, unsigned value) {
  return set(handle, value,
             [](TextureReference &r) -> unsigned & { return r.settings.maxAnisotropy; });
}

CUresult cuTexRefSetBorderColor(CUtexref handle, float *color) {
  if (!color)
    return CUDA_ERROR_INVALID_VALUE;
  return withReference(handle, [&](TextureReference &reference) {
    std::copy(color, color + 4, reference.settings.borderColor);
    return rebind(reference);
  });
}

CUresult cuTexRefSetFlags(CUtexref handle, unsigned flags) {
  constexpr unsigned Known = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES |
                             CU_TRSF_SRGB | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;
  if (flags & ~Known)
    return CUDA_ERROR_INVALID_VALUE;
  return set(handle, flags, [](TextureReference &r) -> unsigned & { return r.settings.flags; });
}

CUresult cuTexRefGetAddressMode(CUaddress_mode *mode, CUtexref handle, int dimension) {
  if (static_cast<unsigned>(dimension) >= 3)
    return CUDA_ERROR_INVALID_VALUE;
  return get(mode, handle,
             [&](const TextureReference &r) { return r.settings.addressMode[dimension]; });
}

CUresult cuTexRefGetFilterMode(CUfilter_mode *mode, CUtexref handle) {
  return get(mode, handle, [](const TextureReference &r) { return r.settings.filterMode; });
}

CUresult cuTexRefGetFormat(CUarray_format *format, int *channels, CUtexref handle) {
  return withReference(handle, [&](const TextureReference &reference) {
    if (format)
      *format = reference.format;
    if (channels)
      *channels = static_cast<int>(reference.channels);
    return format || channels ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuTexRefGetMipmapFilterMode(CUfilter_mode *mode, CUtexref handle) {
  return get(mode, handle, [](const TextureReference &r) { return r.settings.mipmapFilterMode; });
}

CUresult cuTexRefGetMipmapLevelBias(float *bias, CUtexref handle) {
  return get(bias, handle, [](const TextureReference &r) { return r.settings.mipmapLevelBias; });
}

CUresult cuTexRefGetMipmapLevelClamp(float *least, float *most, CUtexref handle) {
  if (!least || !most)
    return CUDA_ERROR_INVALID_VALUE;
  return withReference(handle, [&](const TextureReference &reference) {
    *least = reference.settings.minMipmapLevelClamp;
    *most = reference.settings.maxMipmapLevelClamp;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefGetMaxAnisotropy(int *value, CUtexref handle) {
  return get(value, handle,
             [](const TextureReference &r) { return static_cast<int>(r.settings.maxAnisotropy); });
}

CUresult cuTexRefGetBorderColor(float *color, CUtexref handle) {
  if (!color)
    return CUDA_ERROR_INVALID_VALUE;
  return withReference(handle, [&](const TextureReference &reference) {
    std::ranges::copy(reference.settings.borderColor, color);
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefGetFlags(unsigned *flags, CUtexref handle) {
  return get(flags, handle, [](const TextureReference &r) { return r.settings.flags; });
}

} // namespace heddle::driver
