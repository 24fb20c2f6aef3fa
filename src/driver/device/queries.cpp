// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What devices there are and what they are like (driver API, "Initialization", "Device Management").
// None of it is work for a device: it answers on a lost context too.
#include "driver/boards/board.h"
#include "driver/device/attributes.h"
#include "driver/device/context.h"
#include "driver/functions.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>

namespace heddle::driver {

namespace {

const cudaDeviceProp &propertiesOf(const Context &context) { return context.board->properties; }

/// Attributes that the runtime API has no name for.
int driversAttribute(CUdevice_attribute attribute, const cudaDeviceProp &p) {
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_CAN_TEX2D_GATHER:
  case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
    return 1;
  case CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED:
    return p.memoryPoolsSupported;
  default:
    return 0;
  }
}

/// What depends on the GPU and not on its board: its place in the machine, its mode. False for all
/// else.
bool isOfGpu(const Gpu &gpu, cudaDeviceAttr attribute, int &value) {
  switch (attribute) {
  case cudaDevAttrPciDomainId:
    value = static_cast<int>(gpu.pciDomain);
    return true;
  case cudaDevAttrPciBusId:
    value = static_cast<int>(gpu.pciBus);
    return true;
  case cudaDevAttrMultiGpuBoardGroupID:
    value = static_cast<int>(gpu.card);
    return true;
  case cudaDevAttrComputeMode:
    value = Ledger::get().computeMode(gpu.uuid);
    return true;
  default:
    return false;
  }
}

/// Of a format of linear textures; 0 for others.
size_t channelBytes(CUarray_format format) {
  switch (format) {
  case CU_AD_FORMAT_UNSIGNED_INT8:
  case CU_AD_FORMAT_SIGNED_INT8:
    return 1;
  case CU_AD_FORMAT_UNSIGNED_INT16:
  case CU_AD_FORMAT_SIGNED_INT16:
  case CU_AD_FORMAT_HALF:
    return 2;
  case CU_AD_FORMAT_UNSIGNED_INT32:
  case CU_AD_FORMAT_SIGNED_INT32:
  case CU_AD_FORMAT_FLOAT:
    return 4;
  default:
    return 0;
  }
}

/// "domain:bus:device.function", the domain and the function may be missing.
CUresult findByPciBusId(int &ordinal, const char *text) {
  unsigned domain = 0, bus = 0, slot = 0, function = 0;
  if (std::sscanf(text, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3) {
    domain = function = 0;
    if (std::sscanf(text, "%x:%x.%x", &bus, &slot, &function) < 2)
      return CUDA_ERROR_INVALID_VALUE;
  }
  for (auto &device : state().devices)
    if (domain == device->gpu->pciDomain && slot == 0 && function == 0 &&
        bus == device->gpu->pciBus) {
      ordinal = device->ordinal;
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_INVALID_DEVICE;
}

/// What kernels do at once in memory of the host: all that compiled code does in its own.
unsigned atomicsOf(CUatomicOperation operation) {
  constexpr unsigned Words = CU_ATOMIC_CAPABILITY_SCALAR_32 | CU_ATOMIC_CAPABILITY_SCALAR_64;
  constexpr unsigned Both = CU_ATOMIC_CAPABILITY_SIGNED | CU_ATOMIC_CAPABILITY_UNSIGNED;
  switch (operation) {
  case CU_ATOMIC_OPERATION_INTEGER_ADD:
  case CU_ATOMIC_OPERATION_INTEGER_MIN:
  case CU_ATOMIC_OPERATION_INTEGER_MAX:
    return Both | CU_ATOMIC_CAPABILITY_REDUCTION | Words;
  case CU_ATOMIC_OPERATION_INTEGER_INCREMENT:
  case CU_ATOMIC_OPERATION_INTEGER_DECREMENT:
    return CU_ATOMIC_CAPABILITY_UNSIGNED | CU_ATOMIC_CAPABILITY_REDUCTION |
           CU_ATOMIC_CAPABILITY_SCALAR_32;
  case CU_ATOMIC_OPERATION_AND:
  case CU_ATOMIC_OPERATION_OR:
  case CU_ATOMIC_OPERATION_XOR:
    return CU_ATOMIC_CAPABILITY_UNSIGNED | CU_ATOMIC_CAPABILITY_REDUCTION | Words;
  case CU_ATOMIC_OPERATION_EXCHANGE:
  case CU_ATOMIC_OPERATION_CAS:
    return CU_ATOMIC_CAPABILITY_UNSIGNED | Words;
  case CU_ATOMIC_OPERATION_FLOAT_ADD:
    return CU_ATOMIC_CAPABILITY_SIGNED | CU_ATOMIC_CAPABILITY_REDUCTION | Words;
  default:
    return 0;
  }
}

CUresult tellAtomics(unsigned *capabilities, const CUatomicOperation *operations, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    if (static_cast<unsigned>(operations[i]) >= CU_ATOMIC_OPERATION_MAX)
      return CUDA_ERROR_INVALID_VALUE;
  std::transform(operations, operations + count, capabilities, atomicsOf);
  return CUDA_SUCCESS;
}

} // namespace

CUresult cuDeviceGetHostAtomicCapabilities(unsigned *capabilities,
                                           const CUatomicOperation *operations, unsigned count,
                                           CUdevice device) {
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  return isDevice(device) ? tellAtomics(capabilities, operations, count)
                          : CUDA_ERROR_INVALID_DEVICE;
}

/// Of one device in the memory of another.
CUresult cuDeviceGetP2PAtomicCapabilities(unsigned *capabilities,
                                          const CUatomicOperation *operations, unsigned count,
                                          CUdevice source, CUdevice destination) {
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  if (!isDevice(source) || !isDevice(destination) || source == destination)
    return CUDA_ERROR_INVALID_DEVICE;
  return tellAtomics(capabilities, operations, count);
}

CUresult attributeOf(const Context &device, cudaDeviceAttr attribute, int &value) {
  if (isOfGpu(*device.gpu, attribute, value))
    return CUDA_SUCCESS;
  const cudaDeviceProp &p = propertiesOf(device);
  switch (static_cast<int>(attribute)) {
#define HEDDLE_ATTRIBUTE(name, expression)                                                         \
  case cudaDevAttr##name:                                                                          \
    value = static_cast<int>(expression);                                                          \
    return CUDA_SUCCESS;
#include "driver/device/attributes.def"
#undef HEDDLE_ATTRIBUTE
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuInit(unsigned flags) {
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  return device::isForkedCopy() ? CUDA_ERROR_NOT_INITIALIZED : initialize();
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  if (!isDevice(ordinal))
    return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count) {
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  *count = static_cast<int>(state().devices.size());
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  if (!name || length <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  return withPrimary(device, [&](const Context &context) {
    const char *text = propertiesOf(context).name;
    size_t bytes = std::min(static_cast<size_t>(length) - 1, std::strlen(text));
    std::memcpy(name, text, bytes);
    name[bytes] = 0;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
  if (!uuid)
    return CUDA_ERROR_INVALID_VALUE;
  return withPrimary(device, [&](const Context &context) {
    std::memcpy(uuid->bytes, context.gpu->uuid.data(), context.gpu->uuid.size());
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) { return cuDeviceGetUuid(uuid, device); }

/// Of Windows.
CUresult cuDeviceGetLuid(char *luid, unsigned *nodeMask, CUdevice device) {
  if (!luid || !nodeMask)
    return CUDA_ERROR_INVALID_VALUE;
  return isDevice(device) ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_DEVICE;
}

/// The first version: what 32 bits can say.
CUresult cuDeviceTotalMem(unsigned *bytes, CUdevice device) {
  size_t all = 0;
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = cuDeviceTotalMem_v2(&all, device))
    return error;
  *bytes = static_cast<unsigned>(std::min<size_t>(all, UINT_MAX));
  return CUDA_SUCCESS;
}

/// No multiprocessors are set apart for a context, as on a GPU without MPS.
CUresult cuDeviceGetExecAffinitySupport(int *isSupported, CUexecAffinityType, CUdevice device) {
  if (!isSupported)
    return CUDA_ERROR_INVALID_VALUE;
  *isSupported = 0;
  return isDevice(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  return withPrimary(device, [&](const Context &context) {
    *bytes = propertiesOf(context).totalGlobalMem;
    return CUDA_SUCCESS;
  });
}

/// The numbers are those of the runtime API, which leaves some out: what these stand for (handles of
/// Windows, compression) is not there, but for virtual memory and for gathers from textures.
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  return withPrimary(device, [&](const Context &context) {
    if (!value)
      return CUDA_ERROR_INVALID_VALUE;
    CUresult error = attributeOf(context, static_cast<cudaDeviceAttr>(attribute), *value);
    if (error == CUDA_SUCCESS || attribute <= 0 ||
        attribute > CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED)
      return error;
    *value = driversAttribute(attribute, propertiesOf(context));
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
  if (!major || !minor)
    return CUDA_ERROR_INVALID_VALUE;
  return withPrimary(device, [&](const Context &context) {
    *major = propertiesOf(context).major;
    *minor = propertiesOf(context).minor;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetProperties(CUdevprop *properties, CUdevice device) {
  if (!properties)
    return CUDA_ERROR_INVALID_VALUE;
  return withPrimary(device, [&](const Context &context) {
    const cudaDeviceProp &p = propertiesOf(context);
    *properties = {};
    properties->maxThreadsPerBlock = p.maxThreadsPerBlock;
    std::copy_n(p.maxThreadsDim, 3, properties->maxThreadsDim);
    std::copy_n(p.maxGridSize, 3, properties->maxGridSize);
    properties->sharedMemPerBlock = static_cast<int>(p.sharedMemPerBlock);
    properties->totalConstantMemory = static_cast<int>(p.totalConstMem);
    properties->SIMDWidth = p.warpSize;
    properties->memPitch = static_cast<int>(p.memPitch);
    properties->regsPerBlock = p.regsPerBlock;
    properties->clockRate = p.clockRate;
    properties->textureAlign = static_cast<int>(p.textureAlignment);
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *busId) {
  return device && busId ? findByPciBusId(*device, busId) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetPCIBusId(char *busId, int length, CUdevice device) {
  return withPrimary(device, [&](const Context &context) {
    constexpr int Needed = 13; // 0000:01:00.0 and the null byte
    if (!busId || length < Needed)
      return CUDA_ERROR_INVALID_VALUE;
    std::snprintf(busId, static_cast<size_t>(length), "%s", pciText(*context.gpu).c_str());
    return CUDA_SUCCESS;
  });
}

/// The manual gives no rule. On an H200 it is the limit on linear textures in texels of 16 bytes,
/// so there are more of smaller ones, up to 2^30.
CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *elements, CUarray_format format,
                                            unsigned channels, CUdevice device) {
  return withPrimary(device, [&](const Context &context) -> CUresult {
    if (!elements)
      return CUDA_ERROR_INVALID_VALUE;
    const size_t bytes = channelBytes(format) * channels;
    if (!bytes || channels > 4 || channels == 3)
      return CUDA_ERROR_INVALID_VALUE;
    constexpr size_t Most = size_t(1) << 30;
    *elements =
        std::min(Most, static_cast<size_t>(propertiesOf(context).maxTexture1DLinear) * 16 / bytes);
    return CUDA_SUCCESS;
  });
}

} // namespace heddle::driver
