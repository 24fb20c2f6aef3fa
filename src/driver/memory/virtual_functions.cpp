// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Virtual memory (driver API, "Virtual Memory Management"): memory of devices and of the host's NUMA
// nodes, in handles that are their own or files.
#include "driver/functions.h"
#include "driver/memory/memory.h"
#include "driver/memory/virtual.h"
#include "driver/state.h"

#include <algorithm>
#include <cstring>

namespace heddle::driver {

namespace {

CUresult refuse(const char *what) {
  reportFailure("virtual memory", what);
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult checkLocation(const CUmemLocation &where) {
  switch (where.type) {
  case CU_MEM_LOCATION_TYPE_DEVICE:
    return isDevice(where.id) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
  case CU_MEM_LOCATION_TYPE_HOST_NUMA:
    return isNumaNode(where.id) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

/// Whose access is meant.
CUresult accessorOf(const CUmemLocation &where, int &whose) {
  whose = where.type == CU_MEM_LOCATION_TYPE_DEVICE ? where.id : HostAccess;
  if (where.type == CU_MEM_LOCATION_TYPE_HOST ||
      where.type == CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT)
    return CUDA_SUCCESS;
  return checkLocation(where);
}

CUresult checkHandleType(CUmemAllocationHandleType type) {
  switch (type) {
  case CU_MEM_HANDLE_TYPE_NONE:
  case CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR:
    return CUDA_SUCCESS;
  case CU_MEM_HANDLE_TYPE_FABRIC:
    return CUDA_ERROR_NOT_PERMITTED; // as on a GPU that is in no fabric
  default:                           // Windows' among them
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult checkProperties(const CUmemAllocationProp *properties) {
  if (!properties || properties->type != CU_MEM_ALLOCATION_TYPE_PINNED)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = checkHandleType(properties->requestedHandleTypes))
    return error;
  const auto &flags = properties->allocFlags;
  const bool isShared = properties->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE;
  if (flags.usage & ~CU_MEM_CREATE_USAGE_TILE_POOL || (flags.usage && isShared) ||
      flags.compressionType > CU_MEM_ALLOCATION_COMP_GENERIC ||
      std::ranges::any_of(flags.reserved, [](unsigned char c) { return c != 0; }))
    return CUDA_ERROR_INVALID_VALUE;
  if (flags.gpuDirectRDMACapable)
    return refuse("memory for RDMA is not supported");
  return checkLocation(properties->location); // of the host, a node must be named
}

CUresult checkAccess(const CUmemAccessDesc &access, int &whose) {
  if (access.flags != CU_MEM_ACCESS_FLAGS_PROT_NONE &&
      access.flags != CU_MEM_ACCESS_FLAGS_PROT_READ &&
      access.flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult error = accessorOf(access.location, whose);
  return error == CUDA_ERROR_INVALID_DEVICE ? CUDA_ERROR_INVALID_VALUE : error;
}

/// Runs `make(handle)`, which goes to `out` if all is well.
template <typename F> CUresult makeHandle(CUmemGenericAllocationHandle *out, F &&make) {
  uint64_t handle = 0;
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = make(handle))
    return error;
  *out = handle;
  return CUDA_SUCCESS;
}

/// Of descriptors there is one kind.
CUresult checkShared(const void *shared, CUmemAllocationHandleType type) {
  if (!shared || type == CU_MEM_HANDLE_TYPE_NONE)
    return CUDA_ERROR_INVALID_VALUE;
  return checkHandleType(type);
}

} // namespace

// ---------------------------------------------------------------------------------------------------
// Addresses. Which ones are wanted is a wish.

CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t alignment,
                             CUdeviceptr wanted, unsigned long long flags) {
  uintptr_t start = 0;
  if (!address || flags || wanted % VirtualUnit)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = reserveAddresses(start, bytes, alignment))
    return error;
  *address = start;
  return CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  return freeAddresses(address, bytes);
}

// ---------------------------------------------------------------------------------------------------
// Memory.

CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *properties,
                                       CUmemAllocationGranularity_flags kind) {
  if (!bytes || !properties || // of which a GPU's driver looks at nothing
      (kind != CU_MEM_ALLOC_GRANULARITY_MINIMUM && kind != CU_MEM_ALLOC_GRANULARITY_RECOMMENDED))
    return CUDA_ERROR_INVALID_VALUE;
  *bytes = VirtualUnit;
  return CUDA_SUCCESS;
}

/// Nothing is compressed, as the properties then tell.
CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                     const CUmemAllocationProp *properties, unsigned long long flags) {
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = checkProperties(properties))
    return error;
  CUmemAllocationProp granted = *properties;
  granted.allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_NONE;
  return makeHandle(handle, [&](uint64_t &made) { return createVirtual(made, bytes, granted); });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) { return releaseVirtual(handle); }

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  return makeHandle(handle, [&](uint64_t &kept) { return retainVirtual(kept, at); });
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties,
                                                CUmemGenericAllocationHandle handle) {
  const auto memory = findVirtual(handle);
  if (!properties || !memory)
    return CUDA_ERROR_INVALID_VALUE;
  *properties = memory->properties;
  return CUDA_SUCCESS;
}

// ---------------------------------------------------------------------------------------------------
// Mappings.

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags) {
  return flags ? CUDA_ERROR_INVALID_VALUE : mapVirtual(address, bytes, offset, handle);
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) { return unmapVirtual(address, bytes); }

CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *accesses,
                        size_t count) {
  if (!accesses || !count)
    return CUDA_ERROR_INVALID_VALUE;
  int whose;
  for (size_t i = 0; i < count; ++i)
    if (CUresult error = checkAccess(accesses[i], whose))
      return error;
  for (size_t i = 0; i < count; ++i) {
    CUresult error = accessorOf(accesses[i].location, whose);
    if (!error)
      error = setAccess(address, bytes, whose, accesses[i].flags);
    if (error)
      return error;
  }
  return CUDA_SUCCESS;
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location,
                        CUdeviceptr address) {
  if (!flags || !location)
    return CUDA_ERROR_INVALID_VALUE;
  int whose;
  if (CUresult error = accessorOf(*location, whose))
    return error;
  CUmemAccess_flags access;
  if (CUresult error = accessOf(address, whose, access))
    return error;
  *flags = access;
  return CUDA_SUCCESS;
}

// ---------------------------------------------------------------------------------------------------
// Other processes.

CUresult cuMemExportToShareableHandle(void *shared, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long flags) {
  int file = -1;
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = checkShared(shared, type))
    return error;
  if (CUresult error = exportVirtual(handle, file))
    return error;
  std::memcpy(shared, &file, sizeof file);
  return CUDA_SUCCESS;
}

/// The descriptor is given as the value of the pointer, and may be 0.
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *shared,
                                        CUmemAllocationHandleType type) {
  if (CUresult error = checkShared(&shared, type))
    return error;
  const int file = static_cast<int>(reinterpret_cast<intptr_t>(shared));
  return makeHandle(handle, [&](uint64_t &made) { return importVirtual(made, file); });
}

} // namespace heddle::driver
