// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of other APIs (runtime API, "External Resource Interoperability"). There is one kind here:
// a file that can be mapped shared and for writing, such as a memfd, a POSIX shared memory object
// or what a Vulkan driver on the CPU exports. What the file holds is the memory.
#include "runtime/memory/array.h"

#include "runtime/handle_pool.h"
#include "runtime/shared_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::runtime {

using device::cpu::MemoryKind;

namespace {

struct ExternalMemory {
  File file;
  uint64_t bytes = 0;
  bool holds(uint64_t offset, uint64_t count) const {
    return offset <= bytes && count <= bytes - offset;
  }
};

HandlePool<ExternalMemory, 1u << 16> &pool() {
  static auto *memories = new HandlePool<ExternalMemory, 1u << 16>;
  return *memories;
}

/// The bytes of a file that can be mapped shared; 0 if it cannot.
uint64_t mappableBytes(int file) {
  struct stat status;
  if (fstat(file, &status) != 0 || status.st_size <= 0)
    return 0;
  void *byte = mmap(nullptr, 1, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (byte == MAP_FAILED)
    return 0;
  munmap(byte, 1);
  return static_cast<uint64_t>(status.st_size);
}

const char *nameOf(cudaExternalMemoryHandleType type) {
  switch (type) {
  case cudaExternalMemoryHandleTypeOpaqueFd:
    return "OpaqueFd";
  case cudaExternalMemoryHandleTypeOpaqueWin32:
    return "OpaqueWin32";
  case cudaExternalMemoryHandleTypeOpaqueWin32Kmt:
    return "OpaqueWin32Kmt";
  case cudaExternalMemoryHandleTypeD3D12Heap:
    return "D3D12Heap";
  case cudaExternalMemoryHandleTypeD3D12Resource:
    return "D3D12Resource";
  case cudaExternalMemoryHandleTypeD3D11Resource:
    return "D3D11Resource";
  case cudaExternalMemoryHandleTypeD3D11ResourceKmt:
    return "D3D11ResourceKmt";
  case cudaExternalMemoryHandleTypeNvSciBuf:
    return "NvSciBuf";
  }
  return nullptr;
}

/// The descriptor is the runtime's from now on, if all is well.
cudaError_t import(cudaExternalMemory_t *out, const cudaExternalMemoryHandleDesc &desc) {
  constexpr const char *Api = "cudaImportExternalMemory";
  const char *name = nameOf(desc.type);
  if (!out || !name || !desc.size || desc.flags & ~unsigned(cudaExternalMemoryDedicated))
    return cudaErrorInvalidValue;
  if (desc.type != cudaExternalMemoryHandleTypeOpaqueFd) {
    reportFailure(Api, std::string("handles of type ") + name + " are not supported");
    return cudaErrorNotSupported;
  }
  const uint64_t bytes = mappableBytes(desc.handle.fd);
  if (!bytes) {
    reportFailure(Api, "the descriptor is no file that can be mapped shared");
    return cudaErrorOperatingSystem;
  }
  if (desc.size > bytes)
    return cudaErrorInvalidValue;
  ExternalMemory *memory = pool().create();
  if (!memory)
    return cudaErrorMemoryAllocation;
  memory->bytes = desc.size;
  memory->file.reset(desc.handle.fd);
  *out = reinterpret_cast<cudaExternalMemory_t>(memory);
  return cudaSuccess;
}

cudaError_t map(const ExternalMemory &memory, uint64_t offset, size_t bytes, void *&out) {
  if (!bytes || !memory.holds(offset, bytes))
    return cudaErrorInvalidValue;
  out = mapMemory(currentDevice(), memory.file.get(), offset, bytes, {Owner::External});
  return out ? cudaSuccess : cudaErrorMapBufferObjectFailed;
}

/// Runs `body(memory)` for a live handle.
template <typename F> cudaError_t withMemory(cudaExternalMemory_t handle, F &&body) {
  return enterUnsafe([&]() -> cudaError_t {
    ExternalMemory *memory = pool().find(handle);
    return memory ? body(*memory) : cudaErrorInvalidResourceHandle;
  });
}

} // namespace
} // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_API cudaError_t cudaImportExternalMemory(cudaExternalMemory_t *memory,
                                                const cudaExternalMemoryHandleDesc *desc) {
  return enterUnsafe([&] { return desc ? import(memory, *desc) : cudaErrorInvalidValue; });
}

HEDDLE_API cudaError_t cudaExternalMemoryGetMappedBuffer(void **p, cudaExternalMemory_t handle,
                                                         const cudaExternalMemoryBufferDesc *desc) {
  return withMemory(handle, [&](const ExternalMemory &memory) -> cudaError_t {
    if (!p || !desc || desc->flags)
      return cudaErrorInvalidValue;
    return map(memory, desc->offset, desc->size, *p);
  });
}

HEDDLE_API cudaError_t
cudaExternalMemoryGetMappedMipmappedArray(cudaMipmappedArray_t *mipmap, cudaExternalMemory_t handle,
                                          const cudaExternalMemoryMipmappedArrayDesc *desc) {
  return withMemory(handle, [&](const ExternalMemory &memory) -> cudaError_t {
    if (!desc || !desc->numLevels)
      return cudaErrorInvalidValue;
    return makeMipmapped(mipmap, &desc->formatDesc, desc->extent, desc->numLevels, desc->flags,
                         [&](size_t bytes, uint8_t *&data) {
                           void *p = nullptr;
                           cudaError_t error = map(memory, desc->offset, bytes, p);
                           data = static_cast<uint8_t *>(p);
                           return error;
                         });
  });
}

/// What is mapped stays so until it is freed.
HEDDLE_API cudaError_t cudaDestroyExternalMemory(cudaExternalMemory_t handle) {
  return withMemory(handle, [](ExternalMemory &memory) {
    pool().destroy(&memory);
    return cudaSuccess;
  });
}
