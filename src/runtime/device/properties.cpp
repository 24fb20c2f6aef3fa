// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What devices there are and what they are like (runtime API, "Device Management"). No function
// here gives the thread a context.
#include "runtime/context.h"

#include <cstddef>
#include <cstring>

using namespace heddle::runtime;

namespace {

/// Where the fields of CUDA 11's cudaDeviceProp end in ours.
constexpr size_t OldPropertiesBytes = offsetof(cudaDeviceProp, hostRegisterSupported);

/// A field of cudaDeviceProp, which is an int or a size_t, and the attribute that it is.
struct Property {
  size_t place, bytes;
  CUdevice_attribute attribute;
};
#define HEDDLE_PROPERTY(field, attribute)                                                          \
  {offsetof(Struct, field), sizeof(Struct::field), CU_DEVICE_ATTRIBUTE_##attribute},

/// All of a major's structure.
template <class Struct> struct Table;
template <> struct Table<cudaDeviceProp> {
  using Struct = cudaDeviceProp;
  static constexpr Property rows[] = {
#define HEDDLE_PROPERTY_12 HEDDLE_PROPERTY
#define HEDDLE_PROPERTY_13(field, attribute)
#include "runtime/device/properties.def"
  };
};
template <> struct Table<cuda13::cudaDeviceProp> {
  using Struct = cuda13::cudaDeviceProp;
  static constexpr Property rows[] = {
#define HEDDLE_PROPERTY_12(field, attribute)
#define HEDDLE_PROPERTY_13 HEDDLE_PROPERTY
#include "runtime/device/properties.def"
  };
};
#undef HEDDLE_PROPERTY

template <class Struct>
CUresult readProperty(const Property &property, int device, Struct &properties) {
  int value = 0;
  if (CUresult error = ask<&Cu::cuDeviceGetAttribute>(&value, property.attribute, device))
    return error;
  char *field = reinterpret_cast<char *>(&properties) + property.place;
  const auto wide = static_cast<size_t>(value);
  if (property.bytes == sizeof wide)
    std::memcpy(field, &wide, sizeof wide);
  else
    std::memcpy(field, &value, sizeof value);
  return CUDA_SUCCESS;
}

template <class Struct> CUresult propertiesOf(int device, Struct &properties) {
  properties = {};
  CUuuid uuid;
  if (CUresult error = ask<&Cu::cuDeviceGetUuid_v2>(&uuid, device))
    return error;
  std::memcpy(properties.uuid.bytes, uuid.bytes, sizeof uuid.bytes);
  if (CUresult error = ask<&Cu::cuDeviceGetName>(properties.name,
                                                 static_cast<int>(sizeof properties.name), device))
    return error;
  if (CUresult error = ask<&Cu::cuDeviceTotalMem_v2>(&properties.totalGlobalMem, device))
    return error;
  for (const Property &property : Table<Struct>::rows)
    if (CUresult error = readProperty(property, device, properties))
      return error;
  return CUDA_SUCCESS;
}

/// `bytes` of them, as much as the caller's structure has.
template <class Struct> CUresult tellProperties(void *to, size_t bytes, int device) {
  CUdevice same = 0;
  if (CUresult error = ask<&Cu::cuDeviceGet>(&same, device))
    return error;
  if (!to)
    return CUDA_ERROR_INVALID_VALUE;
  Struct properties;
  CUresult error = propertiesOf(device, properties);
  if (error == CUDA_SUCCESS)
    std::memcpy(to, &properties, bytes);
  return error;
}

/// Attributes of the driver that the runtime API has no name for.
bool isOnlyTheDrivers(int attribute) {
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_CAN_TEX2D_GATHER:
  case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK:
  case CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_MAXIMUM_LENGTH:
  case CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_HOST_ALLOC_DMA_BUF_SUPPORTED:
    return true;
  default:
    return attribute > CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED;
  }
}

/// How many of the wishes a device meets. Zero and an empty name wish for nothing.
template <class Struct> int score(const Struct &have, const Struct &wish) {
  auto atLeast = [](auto has, auto wants) { return wants != 0 && has >= wants; };
  auto capability = [](const Struct &of) { return of.major * int64_t(10) + of.minor; };
  int clock = 0;
  if constexpr (requires { have.clockRate; })
    clock = atLeast(have.clockRate, wish.clockRate);
  return 8 * (wish.name[0] && std::strcmp(have.name, wish.name) == 0) +
         4 * atLeast(capability(have), capability(wish)) +
         atLeast(have.totalGlobalMem, wish.totalGlobalMem) +
         atLeast(have.multiProcessorCount, wish.multiProcessorCount) +
         atLeast(have.sharedMemPerBlock, wish.sharedMemPerBlock) +
         atLeast(have.maxThreadsPerBlock, wish.maxThreadsPerBlock) + clock +
         atLeast(have.regsPerBlock, wish.regsPerBlock);
}

template <class Struct> CUresult chooseDevice(int &best, const Struct &wish) {
  int count = 0, bestScore = -1;
  if (CUresult error = ask<&Cu::cuDeviceGetCount>(&count))
    return error;
  for (int device = 0; device < count; ++device) {
    Struct properties;
    if (CUresult error = propertiesOf(device, properties))
      return error;
    if (int points = score(properties, wish); points > bestScore) {
      best = device;
      bestScore = points;
    }
  }
  return CUDA_SUCCESS;
}

/// A format of linear textures, whose channels have the same width: which of a width does not matter
/// here. Error: CUresult(cudaErrorInvalidChannelDescriptor).
CUresult widthOf(const cudaChannelFormatDesc &format, CUarray_format &channel, unsigned &channels) {
  channels = 0;
  for (int bits : {format.x, format.y, format.z, format.w})
    if (bits == format.x)
      ++channels;
    else if (bits)
      return CUresult(cudaErrorInvalidChannelDescriptor);
  channel = format.x == 8    ? CU_AD_FORMAT_UNSIGNED_INT8
            : format.x == 16 ? CU_AD_FORMAT_UNSIGNED_INT16
                             : CU_AD_FORMAT_UNSIGNED_INT32;
  const bool isWidth = format.x == 8 || format.x == 16 || format.x == 32;
  return isWidth ? CUDA_SUCCESS : CUresult(cudaErrorInvalidChannelDescriptor);
}

} // namespace

HEDDLE_API cudaError_t cudaGetDeviceCount(int *count) {
  if (count)
    *count = 0; // also where there is an error: of a machine without devices
  return translateQuery([&] { return ask<&Cu::cuDeviceGetCount>(count); });
}

HEDDLE_API cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp *properties, int device) {
  return translateQuery(
      [&] { return tellProperties<cudaDeviceProp>(properties, sizeof *properties, device); });
}

/// As objects compiled with CUDA 11 call it: with their shorter struct.
#undef cudaGetDeviceProperties
HEDDLE_API cudaError_t cudaGetDeviceProperties(void *properties, int device) {
  return translateQuery(
      [&] { return tellProperties<cudaDeviceProp>(properties, OldPropertiesBytes, device); });
}

HEDDLE_API cudaError_t heddle_13_cudaGetDeviceProperties(cuda13::cudaDeviceProp *properties,
                                                         int device) {
  return translateQuery([&] {
    return tellProperties<cuda13::cudaDeviceProp>(properties, sizeof *properties, device);
  });
}

HEDDLE_API cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) {
  return translateQuery([&] {
    const int number = isOnlyTheDrivers(attribute) ? 0 : attribute; // which is none
    return ask<&Cu::cuDeviceGetAttribute>(value, static_cast<CUdevice_attribute>(number), device);
  });
}

HEDDLE_API cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *wish) {
  return translateQuery(
      [&] { return device && wish ? chooseDevice(*device, *wish) : CUDA_ERROR_INVALID_VALUE; });
}

HEDDLE_API cudaError_t heddle_13_cudaChooseDevice(int *device, const cuda13::cudaDeviceProp *wish) {
  return translateQuery(
      [&] { return device && wish ? chooseDevice(*device, *wish) : CUDA_ERROR_INVALID_VALUE; });
}

HEDDLE_API cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned *capabilities,
                                                           const cudaAtomicOperation *operations,
                                                           unsigned count, int device) {
  return translateQuery([&] {
    return ask<&Cu::cuDeviceGetHostAtomicCapabilities>(
        capabilities, reinterpret_cast<const CUatomicOperation *>(operations), count, device);
  });
}

HEDDLE_API cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device) {
  return translateQuery([&] { return ask<&Cu::cuDeviceGetPCIBusId>(text, length, device); });
}

HEDDLE_API cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text) {
  return translateQuery([&] { return ask<&Cu::cuDeviceGetByPCIBusId>(device, text); });
}

HEDDLE_API cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *width,
                                                            const cudaChannelFormatDesc *format,
                                                            int device) {
  return translateQuery([&]() -> CUresult {
    CUarray_format channel = {};
    unsigned channels = 0;
    if (!format)
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = widthOf(*format, channel, channels))
      return error;
    return ask<&Cu::cuDeviceGetTexture1DLinearMaxWidth>(width, channel, channels, device);
  });
}
