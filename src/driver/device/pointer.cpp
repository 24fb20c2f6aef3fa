// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an address is (driver API, "Unified Addressing").
#include "driver/device/context.h"
#include "driver/functions.h"
#include "driver/memory/addresses.h"
#include "driver/memory/pointer_notes.h"
#include "driver/memory/pool.h"
#include "driver/memory/virtual.h"

#include <cstring>

namespace heddle::driver {

namespace {

/// The value of an attribute, of which the program gets that many bytes.
struct Answer {
  size_t bytes = 0; ///< 0: there is no such attribute
  uint64_t value = 0;
  bool isKnown = true; ///< false: this memory has none
};

/// What cuPointerGetAttributes tells of memory that CUDA does not know.
Answer defaultOf(Answer answer, CUpointer_attribute attribute) {
  constexpr int NoDevice = cudaInvalidDeviceId;
  answer.value = attribute == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL ? uint64_t(NoDevice) : 0;
  return answer;
}

Tag tagOf(const void *p) {
  device::cpu::Allocation a;
  return device::cpu::Allocator::get().find(p, a) ? Tag::unpack(a.use.tag) : Tag{Owner::Module};
}

/// Memory of a pool and virtual memory are the device's, not a context's.
Answer contextOf(const void *p, const PointerInfo &info) {
  const Owner owner = tagOf(p).owner;
  const bool isDevices = owner == Owner::Pool || owner == Owner::Virtual;
  return {sizeof(CUcontext),
          isDevices ? 0 : reinterpret_cast<uint64_t>(handleOf(contextAt(info.device)))};
}

std::shared_ptr<Pool> poolAt(const void *p) {
  const Tag tag = tagOf(p);
  if (tag.owner != Owner::Pool)
    return nullptr;
  std::shared_lock lock(memoryTable().mutex);
  return memoryTable().pools[tag.value];
}

/// A device's mapping of its own; other memory is one.
MappedRange mappingOf(const void *p, const PointerInfo &info) {
  if (tagOf(p).owner == Owner::Virtual)
    return mappedAt(p);
  return {reinterpret_cast<uintptr_t>(info.base), info.bytes, nullptr};
}

uint64_t ordinalOf(const void *p, const PointerInfo &info) {
  const auto memory = mappingOf(p, info).memory;
  if (!memory)
    return static_cast<uint64_t>(contextAt(info.device).ordinal);
  return static_cast<uint64_t>(memory->isHosts() ? CU_DEVICE_CPU : memory->properties.location.id);
}

uint64_t handleTypesOf(const void *p) {
  if (tagOf(p).owner == Owner::Virtual)
    if (const auto memory = mappedAt(p).memory)
      return memory->properties.requestedHandleTypes;
  const auto pool = poolAt(p);
  return pool && pool->file ? CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR : CU_MEM_HANDLE_TYPE_NONE;
}

uint64_t accessTo(const PointerInfo &info) {
  return info.registered && info.flags & cudaHostRegisterReadOnly
             ? CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ
             : CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE;
}

/// One address serves both sides. Yes and no are told as 32 bits.
Answer answerOf(CUpointer_attribute attribute, const void *p, const PointerInfo &info) {
  const auto number = [](uint64_t value) { return Answer{sizeof(uint32_t), value}; };
  const auto wide = [](uint64_t value) { return Answer{sizeof(uint64_t), value}; };
  const bool isHost = info.type == cudaMemoryTypeHost;
  const auto address = reinterpret_cast<uint64_t>(p);
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT:
    return contextOf(p, info);
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    return number(isHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    return wide(address);
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    return {sizeof(void *), address, info.type != cudaMemoryTypeDevice};
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    return number(isSynchronous(notedAt(p)));
  case CU_POINTER_ATTRIBUTE_BUFFER_ID:
  case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
    return wide(info.base ? bufferId(notedAt(p)) : 0);
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    return number(info.type == cudaMemoryTypeManaged);
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    return number(ordinalOf(p, info));
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    return number(info.type == cudaMemoryTypeDevice && tagOf(p).owner == Owner::User);
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    return wide(reinterpret_cast<uint64_t>(info.base));
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    return wide(info.bytes);
  case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    return wide(mappingOf(p, info).start);
  case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    return wide(mappingOf(p, info).bytes);
  case CU_POINTER_ATTRIBUTE_MAPPED:
    return number(1);
  case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    return wide(handleTypesOf(p));
  case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
    return number(0);
  case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    return number(accessTo(info));
  case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: {
    const auto pool = poolAt(p);
    return {sizeof(CUmemoryPool), pool ? reinterpret_cast<uint64_t>(handleOf(*pool)) : 0};
  }
  default: // P2P_TOKENS, too, which are the kernel driver's
    return {};
  }
}

void tell(void *value, const Answer &answer) { std::memcpy(value, &answer.value, answer.bytes); }

} // namespace

CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr address) {
  const void *p = pointerTo(address);
  const PointerInfo info = lookUp(p);
  if (!value || !info.onDevice())
    return CUDA_ERROR_INVALID_VALUE;
  const Answer answer = answerOf(attribute, p, info);
  if (!answer.bytes || !answer.isKnown)
    return CUDA_ERROR_INVALID_VALUE;
  tell(value, answer);
  return CUDA_SUCCESS;
}

CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **values,
                                CUdeviceptr address) {
  if (!count || !attributes || !values)
    return CUDA_ERROR_INVALID_VALUE;
  const void *p = pointerTo(address);
  const PointerInfo info = lookUp(p);
  for (unsigned i = 0; i < count; ++i) {
    Answer answer = answerOf(attributes[i], p, info);
    if (!answer.bytes || !values[i])
      return CUDA_ERROR_INVALID_VALUE;
    if (!info.onDevice() || !answer.isKnown)
      answer = defaultOf(answer, attributes[i]);
    tell(values[i], answer);
  }
  return CUDA_SUCCESS;
}

CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute,
                               CUdeviceptr address) {
  const PointerInfo info = lookUp(pointerTo(address));
  uint32_t isOn;
  if (!value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS || !info.onDevice() ||
      info.registered)
    return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(&isOn, value, sizeof isOn);
  setSynchronous(notedAt(pointerTo(address)), isOn);
  return CUDA_SUCCESS;
}

} // namespace heddle::driver
