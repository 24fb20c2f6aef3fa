// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of other APIs (runtime API, "External Resource Interoperability"). There is one kind here:
// a file that can be mapped shared and for writing, such as a memfd, a POSIX shared memory object
// or what a Vulkan driver on the CPU exports. What the file holds is the memory.
#include "driver/functions.h"
#include "driver/handle_pool.h"
#include "driver/memory/addresses.h"
#include "driver/memory/array.h"
#include "driver/memory/array_format.h"
#include "driver/rooms.h"
#include "driver/shared_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::driver {

using device::cpu::MemoryKind;

struct ExternalMemory {
  File file;
  uint64_t bytes = 0;
  bool holds(uint64_t offset, uint64_t count) const {
    return offset <= bytes && count <= bytes - offset;
  }
};

namespace {

HandlePool<ExternalMemory, 1u << 16> &pool() { return rooms().externalMemory.get(); }

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

const char *nameOf(CUexternalMemoryHandleType type) {
  switch (type) {
  case CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD:
    return "OpaqueFd";
  case CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32:
    return "OpaqueWin32";
  case CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT:
    return "OpaqueWin32Kmt";
  case CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP:
    return "D3D12Heap";
  case CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE:
    return "D3D12Resource";
  case CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE:
    return "D3D11Resource";
  case CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT:
    return "D3D11ResourceKmt";
  case CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF:
    return "NvSciBuf";
  default:
    return nullptr;
  }
}

/// The descriptor is the runtime's from now on, if all is well.
CUresult import(CUexternalMemory *out, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC &desc) {
  constexpr const char *Api = "external memory";
  const char *name = nameOf(desc.type);
  if (!out || !name || !desc.size || desc.flags & ~unsigned(CUDA_EXTERNAL_MEMORY_DEDICATED))
    return CUDA_ERROR_INVALID_VALUE;
  if (desc.type != CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD) {
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
  *out = reinterpret_cast<CUexternalMemory>(memory);
  return CUDA_SUCCESS;
}

CUresult map(const ExternalMemory &memory, uint64_t offset, size_t bytes, void *&out) {
  if (!bytes || !memory.holds(offset, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  out = mapMemory(currentContext(), memory.file.get(), offset, bytes,
                  device::cpu::MemoryKind::Device, {Owner::External});
  return out ? CUDA_SUCCESS : CUDA_ERROR_MAP_FAILED;
}

/// Runs `body(memory)` for a live handle.
template <typename F> CUresult withMemory(CUexternalMemory handle, F &&body) {
  ExternalMemory *memory = pool().find(handle);
  return memory ? body(*memory) : CUDA_ERROR_INVALID_HANDLE;
}

} // namespace

CUresult cuImportExternalMemory(CUexternalMemory *memory,
                                const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *descriptor) {
  return descriptor ? import(memory, *descriptor) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuExternalMemoryGetMappedBuffer(CUdeviceptr *address, CUexternalMemory handle,
                                         const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *descriptor) {
  return withMemory(handle, [&](const ExternalMemory &memory) -> CUresult {
    if (!address || !descriptor || descriptor->flags)
      return CUDA_ERROR_INVALID_VALUE;
    return makeAddress(
        address, [&](void **p) { return map(memory, descriptor->offset, descriptor->size, *p); });
  });
}

CUresult cuExternalMemoryGetMappedMipmappedArray(
    CUmipmappedArray *array, CUexternalMemory handle,
    const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *descriptor) {
  return withMemory(handle, [&](const ExternalMemory &memory) -> CUresult {
    if (!array || !descriptor || !descriptor->numLevels || descriptor->arrayDesc.Flags & LateFlags)
      return CUDA_ERROR_INVALID_VALUE;
    const CUDA_ARRAY3D_DESCRIPTOR &shape = descriptor->arrayDesc;
    cudaChannelFormatDesc format;
    if (CUresult error = channelFormat(shape.Format, shape.NumChannels, format))
      return error;
    return makeMipmapped(*array, format, {shape.Width, shape.Height, shape.Depth},
                         descriptor->numLevels, shape.Flags, [&](size_t bytes, uint8_t *&data) {
                           void *p = nullptr;
                           CUresult error = map(memory, descriptor->offset, bytes, p);
                           data = static_cast<uint8_t *>(p);
                           return error;
                         });
  });
}

/// What is mapped stays so until it is freed.
CUresult cuDestroyExternalMemory(CUexternalMemory handle) {
  return withMemory(handle, [](ExternalMemory &memory) {
    pool().destroy(&memory);
    return CUDA_SUCCESS;
  });
}

} // namespace heddle::driver
