// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Initialisation and devices (driver API, "Initialization", "Device Management", "Peer Context
// Memory Access").
#include "driver/boards/board.h"
#include "driver/bodies.h"
#include "driver/device/context.h"
#include "driver/functions.h"

#include <algorithm>
#include <cstring>

namespace heddle::driver {

namespace {

/// What all devices can do with virtual memory.
bool isVirtualMemory(CUdevice_attribute attribute) {
  return attribute == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED ||
         attribute == CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED;
}

const cudaDeviceProp &propertiesOf(const Context &context) { return context.board->properties; }

} // namespace

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
  CUresult error = cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device);
  const bool isOnlyTheDrivers = attribute > 0 && attribute <= CU_DEVICE_ATTRIBUTE_MAX;
  if (error != CUDA_ERROR_INVALID_VALUE || !value || !isOnlyTheDrivers)
    return error;
  *value = attribute == CU_DEVICE_ATTRIBUTE_CAN_TEX2D_GATHER || isVirtualMemory(attribute);
  return CUDA_SUCCESS;
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
  return cudaDeviceGetByPCIBusId(device, busId);
}

CUresult cuDeviceGetPCIBusId(char *busId, int length, CUdevice device) {
  return cudaDeviceGetPCIBusId(busId, length, device);
}

CUresult cuDeviceCanAccessPeer(int *canAccess, CUdevice device, CUdevice peer) {
  return cudaDeviceCanAccessPeer(canAccess, device, peer);
}

CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice source,
                                 CUdevice destination) {
  return cudaDeviceGetP2PAttribute(value, static_cast<cudaDeviceP2PAttr>(attribute), source,
                                   destination);
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  Context *context = findContext(peer);
  if (!context)
    return CUDA_ERROR_INVALID_CONTEXT;
  return cudaDeviceEnablePeerAccess(context->ordinal, flags);
}

CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  Context *context = findContext(peer);
  return context ? cudaDeviceDisablePeerAccess(context->ordinal) : CUDA_ERROR_INVALID_CONTEXT;
}

} // namespace heddle::driver
