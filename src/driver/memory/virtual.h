// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Virtual memory (driver API, "Virtual Memory Management"): memory, which is a file, and addresses,
// into which the program maps it. Devices and host share the process's addresses, so what one of
// them may do there, all may.
#pragma once

#include "heddle/driver_types.h"

#include "driver/shared_file.h"

#include <memory>

namespace heddle::driver {

/// Sizes and places of memory are multiples of it.
inline constexpr size_t VirtualUnit = size_t(2) << 20;

/// What a handle stands for. It is freed with the last handle and mapping.
struct VirtualMemory {
  File file;
  size_t bytes = 0;
  CUmemAllocationProp properties = {};
  uint64_t handle = 0;     ///< names it for as long as it lives
  bool isImported = false; ///< another process's, which pays for it
  bool isHosts() const { return properties.location.type != CU_MEM_LOCATION_TYPE_DEVICE; }
  ~VirtualMemory();
};

// The functions return the codes of those of the driver API that they stand for.

CUresult reserveAddresses(uintptr_t &start, size_t bytes, size_t alignment);
CUresult freeAddresses(uintptr_t start, size_t bytes);

CUresult createVirtual(uint64_t &handle, size_t bytes, const CUmemAllocationProp &);
/// Errors: CUDA_ERROR_INVALID_VALUE.
CUresult releaseVirtual(uint64_t handle);
/// Null: there is none.
std::shared_ptr<VirtualMemory> findVirtual(uint64_t handle);
/// Another reference for what is mapped at an address.
CUresult retainVirtual(uint64_t &handle, uintptr_t at);

CUresult mapVirtual(uintptr_t at, size_t bytes, uint64_t offset, uint64_t handle);
/// Whole mappings, which follow each other. Waits for what may use them.
CUresult unmapVirtual(uintptr_t at, size_t bytes);
/// Whose access is set or asked for: a device by its number, or the host, which is asked of its own
/// memory only.
inline constexpr int HostAccess = 63;
/// Error: CUDA_ERROR_NOT_SUPPORTED for the host's access to a device's memory.
CUresult setAccess(uintptr_t at, size_t bytes, int whose, CUmemAccess_flags);
/// What is mapped at an address.
struct MappedRange {
  uintptr_t start = 0;
  size_t bytes = 0;
  std::shared_ptr<VirtualMemory> memory; ///< null: nothing
};
MappedRange mappedAt(const void *);
CUresult accessOf(uintptr_t at, int whose, CUmemAccess_flags &);

/// A descriptor, which is the caller's, and memory from one that stays the
/// caller's.
CUresult exportVirtual(uint64_t handle, int &file);
CUresult importVirtual(uint64_t &handle, int file);

} // namespace heddle::driver
