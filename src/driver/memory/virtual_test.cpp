// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/context_support.h"

#include <string>

#include <unistd.h>

namespace {

constexpr size_t Unit = 2 << 20;
using Handle = CUmemGenericAllocationHandle;

CUmemAllocationProp propertiesOf(int device,
                                 CUmemAllocationHandleType type = CU_MEM_HANDLE_TYPE_NONE) {
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.requestedHandleTypes = type;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  return properties;
}

Handle create(size_t bytes, CUmemAllocationHandleType type = CU_MEM_HANDLE_TYPE_NONE) {
  Handle handle = 0;
  const CUmemAllocationProp properties = propertiesOf(0, type);
  EXPECT_OK(driver.cuMemCreate(&handle, bytes, &properties, 0));
  return handle;
}

CUmemAccessDesc accessOf(CUmemAccess_flags flags, int device = 0) {
  return {{CU_MEM_LOCATION_TYPE_DEVICE, device}, flags};
}

CUresult allow(CUdeviceptr p, size_t bytes,
               CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE) {
  const CUmemAccessDesc access = accessOf(flags);
  return driver.cuMemSetAccess(p, bytes, &access, 1);
}

/// Addresses of four units.
class Virtual : public WithContext {
protected:
  void SetUp() override {
    WithContext::SetUp();
    ASSERT_OK(driver.cuMemAddressReserve(&p, 4 * Unit, 0, 0, 0));
  }
  void TearDown() override {
    EXPECT_OK(driver.cuMemAddressFree(p, 4 * Unit));
    WithContext::TearDown();
  }
  /// Maps a new handle's memory and forgets the handle.
  void mapNew(CUdeviceptr at, size_t bytes) {
    const Handle handle = create(bytes);
    EXPECT_OK(driver.cuMemMap(at, bytes, 0, handle, 0));
    EXPECT_OK(driver.cuMemRelease(handle));
    EXPECT_OK(allow(at, bytes));
  }
  size_t freeBytes() {
    size_t free = 0, total = 0;
    EXPECT_OK(driver.cuMemGetInfo_v2(&free, &total));
    return free;
  }
  CUdeviceptr p = 0;
};

TEST_F(Virtual, growsBesideWhatIsThere) {
  const size_t before = freeBytes();
  mapNew(p, Unit);
  mapNew(p + Unit, 2 * Unit);
  EXPECT_EQ(before - freeBytes(), 3 * Unit);
  const Bytes mine = pattern(1000);
  Bytes seen(1000);
  EXPECT_OK(driver.cuMemcpyHtoD_v2(p + Unit - 500, mine.data(), 1000)) << "over the seam";
  EXPECT_OK(driver.cuMemcpyDtoH_v2(seen.data(), p + Unit - 500, 1000));
  EXPECT_EQ(seen, mine);
  EXPECT_OK(driver.cuMemsetD8_v2(p, 3, 3 * Unit));
  EXPECT_INVALID(driver.cuMemsetD8_v2(p, 3, 3 * Unit + 1));
  EXPECT_INVALID(driver.cuMemFree_v2(p));
  EXPECT_INVALID(driver.cuMemUnmap(p, Unit / 2));
  EXPECT_INVALID(driver.cuMemUnmap(p + Unit, Unit)) << "half of a mapping";
  EXPECT_INVALID(driver.cuMemAddressFree(p, 4 * Unit)) << "still mapped";
  EXPECT_OK(driver.cuMemUnmap(p, 3 * Unit));
  EXPECT_EQ(freeBytes(), before);
  EXPECT_INVALID(driver.cuMemcpyDtoH_v2(seen.data(), p, 1));
}

TEST_F(Virtual, holesBelongToNobody) {
  mapNew(p, Unit);
  mapNew(p + 2 * Unit, Unit);
  unsigned type = 0;
  constexpr auto Type = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
  EXPECT_OK(driver.cuPointerGetAttribute(&type, Type, p + 2 * Unit));
  EXPECT_EQ(type, unsigned(CU_MEMORYTYPE_DEVICE));
  EXPECT_INVALID(driver.cuPointerGetAttribute(&type, Type, p + Unit));
  EXPECT_INVALID(driver.cuPointerGetAttribute(&type, Type, p + 3 * Unit));
  EXPECT_INVALID(driver.cuMemUnmap(p, 3 * Unit)) << "a hole";
  EXPECT_OK(driver.cuMemUnmap(p, Unit));
  EXPECT_OK(driver.cuPointerGetAttribute(&type, Type, p + 2 * Unit));
  EXPECT_OK(driver.cuMemUnmap(p + 2 * Unit, Unit));
}

TEST_F(Virtual, pointersTellTheirMapping) {
  const auto ask = [&](CUpointer_attribute which, CUdeviceptr at) {
    uint64_t value = 0;
    EXPECT_OK(driver.cuPointerGetAttribute(&value, which, at));
    return value;
  };
  mapNew(p, Unit);
  mapNew(p + Unit, 2 * Unit);
  EXPECT_EQ(ask(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, p + 2 * Unit), p);
  EXPECT_EQ(ask(CU_POINTER_ATTRIBUTE_RANGE_SIZE, p), 3 * Unit);
  EXPECT_EQ(ask(CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR, p + 2 * Unit), p + Unit);
  EXPECT_EQ(ask(CU_POINTER_ATTRIBUTE_MAPPING_SIZE, p + 2 * Unit), 2 * Unit);
  EXPECT_EQ(ask(CU_POINTER_ATTRIBUTE_CONTEXT, p), 0u);
  EXPECT_EQ(ask(CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, p), 0u);
  EXPECT_EQ(ask(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p), 0u);
  const uint64_t id = ask(CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID, p + Unit);
  EXPECT_EQ(ask(CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID, p + 2 * Unit), id);
  EXPECT_NE(ask(CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID, p), id);
  const unsigned on = 1;
  EXPECT_OK(driver.cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p + Unit));
  EXPECT_EQ(ask(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p + 2 * Unit), 1u);
  EXPECT_EQ(ask(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p), 0u);
  EXPECT_OK(driver.cuMemUnmap(p, 3 * Unit));
}

TEST_F(Virtual, devicesHaveIt) {
  for (auto which : {CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
                     CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED}) {
    int has = 0;
    EXPECT_OK(driver.cuDeviceGetAttribute(&has, which, 1));
    EXPECT_EQ(has, 1);
    EXPECT_INVALID(driver.cuDeviceGetAttribute(nullptr, which, 1));
  }
}

TEST_F(Virtual, memoryOutlivesItsMappings) {
  const Handle handle = create(2 * Unit);
  Handle same = 0;
  unsigned char seen = 0;
  ASSERT_OK(driver.cuMemMap(p, Unit, Unit, handle, 0));
  ASSERT_OK(allow(p, Unit));
  EXPECT_OK(driver.cuMemsetD8_v2(p + 5, 77, 1));
  EXPECT_OK(driver.cuMemUnmap(p, Unit));
  ASSERT_OK(driver.cuMemMap(p, Unit, Unit, handle, 0));
  ASSERT_OK(driver.cuMemMap(p + 2 * Unit, 2 * Unit, 0, handle, 0)) << "twice";
  ASSERT_OK(allow(p, Unit));
  ASSERT_OK(allow(p + 2 * Unit, 2 * Unit));
  EXPECT_OK(driver.cuMemcpyDtoH_v2(&seen, p + 5, 1));
  EXPECT_EQ(seen, 77);
  EXPECT_OK(driver.cuMemcpyDtoH_v2(&seen, p + 3 * Unit + 5, 1));
  EXPECT_EQ(seen, 77);
  EXPECT_OK(driver.cuMemRetainAllocationHandle(&same, reinterpret_cast<void *>(p + 9)));
  EXPECT_EQ(same, handle);
  EXPECT_INVALID(driver.cuMemRetainAllocationHandle(&same, reinterpret_cast<void *>(p + Unit)));
  EXPECT_INVALID(driver.cuMemRetainAllocationHandle(nullptr, reinterpret_cast<void *>(p)));
  EXPECT_OK(driver.cuMemRelease(handle));
  EXPECT_OK(driver.cuMemRelease(same));
  EXPECT_INVALID(driver.cuMemRelease(handle));
  EXPECT_OK(driver.cuMemRetainAllocationHandle(&same, reinterpret_cast<void *>(p)));
  EXPECT_OK(driver.cuMemRelease(same));
  EXPECT_OK(driver.cuMemUnmap(p, Unit));
  EXPECT_OK(driver.cuMemUnmap(p + 2 * Unit, 2 * Unit));
}

TEST_F(Virtual, access) {
  const Handle handle = create(Unit);
  const CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  const CUmemLocation peer = {CU_MEM_LOCATION_TYPE_DEVICE, 1};
  unsigned long long flags = 9;
  unsigned char byte = 0;
  EXPECT_INVALID(allow(p, Unit)) << "nothing is mapped";
  EXPECT_INVALID(driver.cuMemGetAccess(&flags, &here, p));
  ASSERT_OK(driver.cuMemMap(p, Unit, 0, handle, 0));
  EXPECT_OK(driver.cuMemGetAccess(&flags, &here, p));
  EXPECT_EQ(flags, 0u);
  testing::internal::CaptureStderr();
  EXPECT_NE(driver.cuMemcpyDtoH_v2(&byte, p, 1), CUDA_SUCCESS) << "there is no access yet";
  testing::internal::GetCapturedStderr();
  const CUmemAccessDesc both[] = {accessOf(CU_MEM_ACCESS_FLAGS_PROT_READ),
                                  accessOf(CU_MEM_ACCESS_FLAGS_PROT_READWRITE, 1)};
  EXPECT_OK(driver.cuMemSetAccess(p, Unit, both, 2));
  EXPECT_OK(driver.cuMemGetAccess(&flags, &here, p + Unit - 1));
  EXPECT_EQ(flags, unsigned(CU_MEM_ACCESS_FLAGS_PROT_READ));
  EXPECT_OK(driver.cuMemGetAccess(&flags, &peer, p));
  EXPECT_EQ(flags, unsigned(CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
  EXPECT_OK(driver.cuMemcpyDtoH_v2(&byte, p, 1));
  EXPECT_INVALID(driver.cuMemSetAccess(p, Unit, both, 0));
  EXPECT_INVALID(driver.cuMemSetAccess(p, Unit, nullptr, 1));
  EXPECT_INVALID(driver.cuMemGetAccess(nullptr, &here, p));
  CUmemAccessDesc wrong = accessOf(CUmemAccess_flags(2));
  EXPECT_INVALID(driver.cuMemSetAccess(p, Unit, &wrong, 1));
  wrong = accessOf(CU_MEM_ACCESS_FLAGS_PROT_READ, 9);
  EXPECT_INVALID(driver.cuMemSetAccess(p, Unit, &wrong, 1));
  EXPECT_OK(driver.cuMemUnmap(p, Unit));
  EXPECT_OK(driver.cuMemRelease(handle));
}

TEST_F(Virtual, properties) {
  CUmemAllocationProp properties = propertiesOf(1), told = {};
  size_t bytes = 0;
  Handle handle = 0;
  for (auto kind : {CU_MEM_ALLOC_GRANULARITY_MINIMUM, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED}) {
    EXPECT_OK(driver.cuMemGetAllocationGranularity(&bytes, &properties, kind));
    EXPECT_EQ(bytes, Unit);
  }
  properties.allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_GENERIC;
  ASSERT_OK(driver.cuMemCreate(&handle, Unit, &properties, 0));
  EXPECT_OK(driver.cuMemGetAllocationPropertiesFromHandle(&told, handle));
  EXPECT_EQ(told.location.id, 1);
  EXPECT_EQ(told.allocFlags.compressionType, CU_MEM_ALLOCATION_COMP_NONE);
  EXPECT_OK(driver.cuMemRelease(handle));
  EXPECT_INVALID(driver.cuMemGetAllocationPropertiesFromHandle(&told, handle));
  EXPECT_INVALID(
      driver.cuMemGetAllocationGranularity(&bytes, nullptr, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  EXPECT_INVALID(driver.cuMemGetAllocationGranularity(&bytes, &properties,
                                                      CUmemAllocationGranularity_flags(7)));
  EXPECT_INVALID(driver.cuMemCreate(&handle, Unit / 2, &properties, 0));
  EXPECT_INVALID(driver.cuMemCreate(&handle, 0, &properties, 0));
  EXPECT_INVALID(driver.cuMemCreate(&handle, Unit, nullptr, 0));
  EXPECT_INVALID(driver.cuMemCreate(nullptr, Unit, &properties, 0));
  EXPECT_INVALID(driver.cuMemCreate(&handle, Unit, &properties, 1));
  EXPECT_EQ(driver.cuMemCreate(&handle, size_t(1) << 50, &properties, 0), CUDA_ERROR_OUT_OF_MEMORY);
  properties.location.id = 9;
  EXPECT_EQ(driver.cuMemCreate(&handle, Unit, &properties, 0), CUDA_ERROR_INVALID_DEVICE);
  properties.location.type = CU_MEM_LOCATION_TYPE_HOST;
  EXPECT_INVALID(driver.cuMemCreate(&handle, Unit, &properties, 0)) << "a node must be named";
  properties.location = {CU_MEM_LOCATION_TYPE_HOST_NUMA, 100000};
  EXPECT_INVALID(driver.cuMemCreate(&handle, Unit, &properties, 0));
  properties = propertiesOf(0, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  properties.allocFlags.usage = CU_MEM_CREATE_USAGE_TILE_POOL;
  EXPECT_INVALID(driver.cuMemCreate(&handle, Unit, &properties, 0)) << "tiles are not shared";
  testing::internal::CaptureStderr();
  properties = propertiesOf(0);
  properties.allocFlags.gpuDirectRDMACapable = 1;
  EXPECT_EQ(driver.cuMemCreate(&handle, Unit, &properties, 0), CUDA_ERROR_NOT_SUPPORTED);
  properties = propertiesOf(0, CU_MEM_HANDLE_TYPE_FABRIC);
  EXPECT_EQ(driver.cuMemCreate(&handle, Unit, &properties, 0), CUDA_ERROR_NOT_PERMITTED);
  properties = propertiesOf(0, CU_MEM_HANDLE_TYPE_WIN32);
  EXPECT_INVALID(driver.cuMemCreate(&handle, Unit, &properties, 0));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("RDMA"), said.npos);
}

TEST_F(Virtual, memoryOfTheHost) {
  const size_t before = freeBytes();
  CUmemAllocationProp properties = propertiesOf(0, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  const CUmemLocation node = {CU_MEM_LOCATION_TYPE_HOST_NUMA, 0};
  const CUmemLocation host = {CU_MEM_LOCATION_TYPE_HOST, 0};
  properties.location = node;
  Handle handle = 0, imported = 0;
  ASSERT_OK(driver.cuMemCreate(&handle, Unit, &properties, 0));
  ASSERT_OK(driver.cuMemMap(p, Unit, 0, handle, 0));
  EXPECT_EQ(freeBytes(), before) << "no device pays";
  unsigned long long flags = 9;
  EXPECT_OK(driver.cuMemGetAccess(&flags, &host, p));
  EXPECT_EQ(flags, 0u);
  const CUmemAccessDesc both[] = {{node, CU_MEM_ACCESS_FLAGS_PROT_READWRITE},
                                  accessOf(CU_MEM_ACCESS_FLAGS_PROT_READWRITE)};
  EXPECT_OK(driver.cuMemSetAccess(p, Unit, both, 2));
  EXPECT_OK(driver.cuMemGetAccess(&flags, &host, p));
  EXPECT_EQ(flags, unsigned(CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
  unsigned type = 0;
  EXPECT_OK(driver.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
  EXPECT_EQ(type, unsigned(CU_MEMORYTYPE_HOST));
  int ordinal = 9;
  EXPECT_OK(driver.cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p));
  EXPECT_EQ(ordinal, CU_DEVICE_CPU);
  EXPECT_OK(driver.cuMemsetD8_v2(p, 9, Unit));
  EXPECT_EQ(reinterpret_cast<const unsigned char *>(p)[Unit - 1], 9);
  int file = -1;
  ASSERT_OK(driver.cuMemExportToShareableHandle(&file, handle,
                                                CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  ASSERT_OK(driver.cuMemImportFromShareableHandle(
      &imported, reinterpret_cast<void *>(static_cast<intptr_t>(file)),
      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  EXPECT_OK(driver.cuMemGetAllocationPropertiesFromHandle(&properties, imported));
  EXPECT_EQ(properties.location.type, CU_MEM_LOCATION_TYPE_HOST_NUMA);
  EXPECT_OK(driver.cuMemUnmap(p, Unit));
  mapNew(p, Unit);
  EXPECT_EQ(driver.cuMemSetAccess(p, Unit, both, 1), CUDA_ERROR_NOT_SUPPORTED)
      << "the host's, to a device's memory";
  EXPECT_OK(driver.cuMemUnmap(p, Unit));
  EXPECT_OK(driver.cuMemRelease(imported));
  EXPECT_OK(driver.cuMemRelease(handle));
  close(file);
}

TEST_F(Virtual, addresses) {
  CUdeviceptr other = 0;
  constexpr size_t Alignment = size_t(64) << 20;
  ASSERT_OK(driver.cuMemAddressReserve(&other, Unit, Alignment, p, 0));
  EXPECT_EQ(other % Alignment, 0u);
  EXPECT_INVALID(driver.cuMemAddressFree(other, 2 * Unit));
  EXPECT_OK(driver.cuMemAddressFree(other, Unit));
  EXPECT_INVALID(driver.cuMemAddressFree(other, Unit));
  EXPECT_INVALID(driver.cuMemAddressReserve(nullptr, Unit, 0, 0, 0));
  EXPECT_INVALID(driver.cuMemAddressReserve(&other, 0, 0, 0, 0));
  EXPECT_INVALID(driver.cuMemAddressReserve(&other, Unit, 3, 0, 0));
  EXPECT_INVALID(driver.cuMemAddressReserve(&other, Unit, 0, 0, 1));
  EXPECT_EQ(driver.cuMemAddressReserve(&other, size_t(1) << 60, 0, 0, 0), CUDA_ERROR_OUT_OF_MEMORY);
  const Handle handle = create(Unit);
  EXPECT_INVALID(driver.cuMemMap(p + 4 * Unit, Unit, 0, handle, 0)) << "beyond the reservation";
  EXPECT_INVALID(driver.cuMemMap(p + 1, Unit, 0, handle, 0));
  EXPECT_EQ(driver.cuMemMap(p, 2 * Unit, 0, handle, 0), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(driver.cuMemMap(p, Unit, Unit, handle, 0), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_INVALID(driver.cuMemMap(p, Unit, 0, handle, 1));
  EXPECT_INVALID(driver.cuMemMap(p, Unit, 0, handle + 1, 0));
  ASSERT_OK(driver.cuMemMap(p, Unit, 0, handle, 0));
  EXPECT_INVALID(driver.cuMemMap(p, Unit, 0, handle, 0)) << "there is something";
  EXPECT_OK(driver.cuMemUnmap(p, Unit));
  EXPECT_INVALID(driver.cuMemUnmap(p, Unit));
  EXPECT_OK(driver.cuMemRelease(handle));
}

TEST_F(Virtual, shared) {
  constexpr auto Descriptor = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  const Handle handle = create(Unit, Descriptor), unshared = create(Unit);
  Handle imported = 0;
  int file = -1;
  ASSERT_OK(driver.cuMemExportToShareableHandle(&file, handle, Descriptor, 0));
  void *shared = reinterpret_cast<void *>(static_cast<intptr_t>(file));
  const size_t before = freeBytes();
  ASSERT_OK(driver.cuMemImportFromShareableHandle(&imported, shared, Descriptor));
  EXPECT_EQ(freeBytes(), before) << "it is paid for";
  ASSERT_OK(driver.cuMemMap(p, Unit, 0, handle, 0));
  ASSERT_OK(driver.cuMemMap(p + Unit, Unit, 0, imported, 0));
  ASSERT_OK(allow(p, 2 * Unit));
  unsigned char seen = 0;
  EXPECT_OK(driver.cuMemsetD8_v2(p + 7, 55, 1));
  EXPECT_OK(driver.cuMemcpyDtoH_v2(&seen, p + Unit + 7, 1));
  EXPECT_EQ(seen, 55);
  EXPECT_INVALID(driver.cuMemExportToShareableHandle(&file, unshared, Descriptor, 0));
  EXPECT_INVALID(driver.cuMemExportToShareableHandle(nullptr, handle, Descriptor, 0));
  EXPECT_INVALID(driver.cuMemExportToShareableHandle(&file, handle, CU_MEM_HANDLE_TYPE_NONE, 0));
  EXPECT_INVALID(driver.cuMemImportFromShareableHandle(nullptr, shared, Descriptor));
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  void *wrong = reinterpret_cast<void *>(static_cast<intptr_t>(pipes[0]));
  EXPECT_INVALID(driver.cuMemImportFromShareableHandle(&imported, wrong, Descriptor));
  for (int end : {pipes[0], pipes[1], file})
    close(end);
  EXPECT_OK(driver.cuMemUnmap(p, 2 * Unit));
  for (Handle one : {handle, unshared, imported})
    EXPECT_OK(driver.cuMemRelease(one));
}

} // namespace
