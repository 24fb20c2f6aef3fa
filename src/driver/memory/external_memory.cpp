// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of other APIs (runtime API, "External Resource Interoperability"). There is one kind here:
// a file that can be mapped shared and for writing, such as a memfd, a POSIX shared memory object
// or what a Vulkan driver on the CPU exports. What the file holds is the memory.
#include "driver/memory/array.h"

#include "driver/handle_pool.h"
#include "driver/shared_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::driver {

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
CUresult import(cudaExternalMemory_t *out, const cudaExternalMemoryHandleDesc &desc) {
  constexpr const char *Api = "cudaImportExternalMemory";
  const char *name = nameOf(desc.type);
  if (!out || !name || !desc.size || desc.flags & ~unsigned(cudaExternalMemoryDedicated))
    return CUDA_ERROR_INVALID_VALUE;
  if (desc.type != cudaExternalMemoryHandleTypeOpaqueFd) {
    reportFailure(Api, std::string("handles of type ") + name + " are not supported");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  const uint64_t bytes = mappableBytes(desc.handle.fd);
  if (!bytes) {
    reportFailure(Api, "the descriptor is no file that can be mapped shared");
    return CUDA_ERROR_OPERATING_SYSTEM;
  }
  if (desc.size > bytes)
    return CUDA_ERROR_INVALID_VALUE;
  ExternalMemory *memory = pool().create();
  if (!memory)
    return CUDA_ERROR_OUT_OF_MEMORY;
  memory->bytes = desc.size;
  memory->file.reset(desc.handle.fd);
  *out = reinterpret_cast<cudaExternalMemory_t>(memory);
  return CUDA_SUCCESS;
}

CUresult map(const ExternalMemory &memory, uint64_t offset, size_t bytes, void *&out) {
  if (!bytes || !memory.holds(offset, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  out = mapMemory(currentContext(), memory.file.get(), offset, bytes, {Owner::External});
  return out ? CUDA_SUCCESS : CUDA_ERROR_MAP_FAILED;
}

/// Runs `body(memory)` for a live handle.
template <typename F> CUresult withMemory(cudaExternalMemory_t handle, F &&body) {
  return enterUnsafe([&]() -> CUresult {
    ExternalMemory *memory = pool().find(handle);
    return memory ? body(*memory) : CUDA_ERROR_INVALID_HANDLE;
  });
}

} // namespace
} // namespace heddle::driver

using namespace heddle::driver;

CUresult heddle::driver::cudaImportExternalMemory(cudaExternalMemory_t *memory,
                                                  const cudaExternalMemoryHandleDesc *desc) {
  return enterUnsafe([&] { return desc ? import(memory, *desc) : CUDA_ERROR_INVALID_VALUE; });
}

CUresult
heddle::driver::cudaExternalMemoryGetMappedBuffer(void **p, cudaExternalMemory_t handle,
                                                  const cudaExternalMemoryBufferDesc *desc) {
  return withMemory(handle, [&](const ExternalMemory &memory) -> CUresult {
    if (!p || !desc || desc->flags)
      return CUDA_ERROR_INVALID_VALUE;
    return map(memory, desc->offset, desc->size, *p);
  });
}

CUresult heddle::driver::cudaExternalMemoryGetMappedMipmappedArray(
    cudaMipmappedArray_t *mipmap, cudaExternalMemory_t handle,
    const cudaExternalMemoryMipmappedArrayDesc *desc) {
  return withMemory(handle, [&](const ExternalMemory &memory) -> CUresult {
    if (!desc || !desc->numLevels)
      return CUDA_ERROR_INVALID_VALUE;
    return makeMipmapped(mipmap, &desc->formatDesc, desc->extent, desc->numLevels, desc->flags,
                         [&](size_t bytes, uint8_t *&data) {
                           void *p = nullptr;
                           CUresult error = map(memory, desc->offset, bytes, p);
                           data = static_cast<uint8_t *>(p);
                           return error;
                         });
  });
}

/// What is mapped stays so until it is freed.
CUresult heddle::driver::cudaDestroyExternalMemory(cudaExternalMemory_t handle) {
  return withMemory(handle, [](ExternalMemory &memory) {
    pool().destroy(&memory);
    return CUDA_SUCCESS;
  });
}
