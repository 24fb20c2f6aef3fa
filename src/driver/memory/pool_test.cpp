// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/context_support.h"

#include <unistd.h>

namespace {

class Pools : public WithContext {};

CUmemPoolProps propertiesOf(int device,
                            CUmemAllocationHandleType handles = CU_MEM_HANDLE_TYPE_NONE) {
  CUmemPoolProps properties = {};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.handleTypes = handles;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  return properties;
}

template <typename T> T ask(CUmemoryPool pool, CUmemPool_attribute attribute) {
  T value = T(-1);
  EXPECT_OK(driver.cuMemPoolGetAttribute(pool, attribute, &value));
  return value;
}

TEST_F(Pools, allocateInStreams) {
  for (CUstream stream : {CUstream(nullptr), OwnStream}) {
    CUdeviceptr p = 0;
    const Bytes mine = pattern(100);
    Bytes seen(100);
    ASSERT_OK(driver.cuMemAllocAsync(&p, 100, stream));
    EXPECT_OK(driver.cuMemcpyHtoDAsync_v2(p, mine.data(), 100, stream));
    EXPECT_OK(driver.cuMemcpyDtoHAsync_v2(seen.data(), p, 100, stream));
    EXPECT_EQ(seen, mine);
    EXPECT_OK(driver.cuMemFreeAsync(p, stream));
    EXPECT_INVALID(driver.cuMemFreeAsync(p, stream));
  }
  CUdeviceptr p = 0;
  EXPECT_OK(driver.cuMemAllocAsync(&p, 0, nullptr)); // no memory and no error
  EXPECT_EQ(p, 0u);
  EXPECT_INVALID(driver.cuMemAllocAsync(nullptr, 16, nullptr));
  EXPECT_EQ(driver.cuMemAllocAsync(&p, 16, reinterpret_cast<CUstream>(&p)),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver.cuMemAllocAsync(&p, size_t(1) << 50, nullptr), CUDA_ERROR_OUT_OF_MEMORY);
}

TEST_F(Pools, ofTheProgram) {
  CUmemoryPool pool = nullptr;
  CUdeviceptr p = 0;
  const CUmemPoolProps properties = propertiesOf(0);
  ASSERT_OK(driver.cuMemPoolCreate(&pool, &properties));
  uint64_t threshold = 1 << 20;
  int no = 0;
  EXPECT_OK(driver.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
  EXPECT_EQ(ask<uint64_t>(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD), threshold);
  EXPECT_OK(driver.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &no));
  EXPECT_EQ(ask<int>(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC), 0);
  ASSERT_OK(driver.cuMemAllocFromPoolAsync(&p, 4096, pool, nullptr));
  EXPECT_EQ(ask<uint64_t>(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 4096u);
  EXPECT_OK(driver.cuMemFreeAsync(p, nullptr));
  EXPECT_EQ(ask<uint64_t>(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 0u);
  EXPECT_OK(driver.cuCtxSynchronize());
  EXPECT_EQ(ask<uint64_t>(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 4096u);
  EXPECT_OK(driver.cuMemPoolTrimTo(pool, 0));
  EXPECT_EQ(ask<uint64_t>(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0u);
  EXPECT_INVALID(driver.cuMemPoolGetAttribute(pool, CUmemPool_attribute(99), &threshold));
  EXPECT_INVALID(driver.cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, nullptr));
  EXPECT_INVALID(driver.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &threshold));
  EXPECT_OK(driver.cuMemAllocFromPoolAsync(&p, 0, pool, nullptr));
  EXPECT_OK(driver.cuMemPoolDestroy(pool));
  EXPECT_INVALID(driver.cuMemPoolDestroy(pool));
  EXPECT_INVALID(driver.cuMemPoolTrimTo(pool, 0));
  EXPECT_INVALID(driver.cuMemAllocFromPoolAsync(&p, 16, pool, nullptr));
  EXPECT_INVALID(driver.cuMemPoolCreate(&pool, nullptr));
  EXPECT_INVALID(driver.cuMemPoolCreate(nullptr, &properties));
  const CUmemPoolProps nowhere = propertiesOf(9);
  EXPECT_INVALID(driver.cuMemPoolCreate(&pool, &nowhere));
}

TEST_F(Pools, access) {
  CUmemoryPool pool = nullptr;
  const CUmemPoolProps properties = propertiesOf(0);
  ASSERT_OK(driver.cuMemPoolCreate(&pool, &properties));
  CUmemLocation peer = {CU_MEM_LOCATION_TYPE_DEVICE, 1};
  CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_MAX;
  EXPECT_OK(driver.cuMemPoolGetAccess(&flags, pool, &peer));
  EXPECT_EQ(flags, CU_MEM_ACCESS_FLAGS_PROT_NONE);
  const CUmemAccessDesc access = {peer, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  EXPECT_OK(driver.cuMemPoolSetAccess(pool, &access, 1));
  EXPECT_OK(driver.cuMemPoolGetAccess(&flags, pool, &peer));
  EXPECT_EQ(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  EXPECT_INVALID(driver.cuMemPoolSetAccess(pool, nullptr, 1));
  EXPECT_INVALID(driver.cuMemPoolGetAccess(nullptr, pool, &peer));
  peer.id = 9;
  EXPECT_INVALID(driver.cuMemPoolGetAccess(&flags, pool, &peer));
  EXPECT_OK(driver.cuMemPoolDestroy(pool));
}

TEST(PoolsOfDevices, needNoContext) {
  CUmemoryPool first = nullptr, pool = nullptr, current = nullptr;
  CUcontext context = nullptr;
  ASSERT_OK(driver.cuInit(0));
  EXPECT_OK(driver.cuDeviceGetDefaultMemPool(&first, 0));
  const CUmemPoolProps properties = propertiesOf(0);
  ASSERT_OK(driver.cuMemPoolCreate(&pool, &properties));
  EXPECT_OK(driver.cuDeviceSetMemPool(0, pool));
  EXPECT_OK(driver.cuDeviceGetMemPool(&current, 0));
  EXPECT_EQ(current, pool);
  CUmemLocation where = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  constexpr auto Pinned = CU_MEM_ALLOCATION_TYPE_PINNED;
  EXPECT_OK(driver.cuMemSetMemPool(&where, Pinned, first));
  EXPECT_OK(driver.cuMemGetMemPool(&current, &where, Pinned));
  EXPECT_EQ(current, first);
  EXPECT_OK(driver.cuMemGetDefaultMemPool(&current, &where, Pinned));
  EXPECT_EQ(current, first);
  EXPECT_OK(driver.cuMemPoolDestroy(pool));
  EXPECT_OK(driver.cuCtxGetCurrent(&context));
  EXPECT_EQ(context, nullptr);
  EXPECT_INVALID(driver.cuDeviceSetMemPool(0, pool)) << "destroyed";
  EXPECT_INVALID(driver.cuDeviceSetMemPool(9, first));
  EXPECT_EQ(driver.cuDeviceGetDefaultMemPool(&current, 9), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_INVALID(driver.cuDeviceGetDefaultMemPool(nullptr, 0));
  EXPECT_INVALID(driver.cuMemGetMemPool(&current, nullptr, Pinned));
  EXPECT_INVALID(driver.cuMemGetMemPool(&current, &where, CU_MEM_ALLOCATION_TYPE_INVALID));
  EXPECT_INVALID(driver.cuDeviceGetMemPool(&current, 9));
  EXPECT_INVALID(driver.cuMemGetMemPool(nullptr, &where, Pinned));
  where.type = CUmemLocationType(9);
  EXPECT_EQ(driver.cuMemGetDefaultMemPool(&current, &where, Pinned), CUDA_ERROR_NOT_SUPPORTED);
  where.type = CU_MEM_LOCATION_TYPE_NONE;
  EXPECT_INVALID(driver.cuMemGetDefaultMemPool(&current, &where, Pinned));
}

TEST(PoolsOfPlaces, haveADefaultAndACurrentOne) {
  ASSERT_OK(driver.cuInit(0));
  const CUmemLocation places[] = {{CU_MEM_LOCATION_TYPE_HOST, 0},
                                  {CU_MEM_LOCATION_TYPE_HOST_NUMA, 0},
                                  {CU_MEM_LOCATION_TYPE_DEVICE, 1}};
  CUmemoryPool last = nullptr;
  for (CUmemLocation where : places)
    for (auto type : {CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_ALLOCATION_TYPE_MANAGED}) {
      CUmemoryPool initial = nullptr, current = nullptr, mine = nullptr;
      ASSERT_OK(driver.cuMemGetDefaultMemPool(&initial, &where, type));
      EXPECT_NE(initial, last) << "each place has its own";
      EXPECT_INVALID(driver.cuMemPoolDestroy(initial));
      EXPECT_OK(driver.cuMemGetMemPool(&current, &where, type));
      EXPECT_EQ(current, initial);
      CUmemPoolProps properties = propertiesOf(0);
      properties.allocType = type;
      properties.location = where;
      ASSERT_OK(driver.cuMemPoolCreate(&mine, &properties));
      EXPECT_OK(driver.cuMemSetMemPool(&where, type, mine));
      EXPECT_OK(driver.cuMemGetMemPool(&current, &where, type));
      EXPECT_EQ(current, mine);
      EXPECT_INVALID(driver.cuDeviceSetMemPool(0, mine)) << "of another place";
      EXPECT_OK(driver.cuMemPoolDestroy(mine));
      EXPECT_OK(driver.cuMemGetMemPool(&current, &where, type));
      EXPECT_EQ(current, initial);
      last = initial;
    }
}

CUmemoryPool poolAt(CUmemAllocationType type, CUmemLocation where) {
  CUmemoryPool pool = nullptr;
  CUmemPoolProps properties = propertiesOf(0);
  properties.allocType = type;
  properties.location = where;
  EXPECT_OK(driver.cuMemPoolCreate(&pool, &properties));
  return pool;
}

template <typename T> T ofPointer(CUpointer_attribute attribute, CUdeviceptr p) {
  T value = {};
  EXPECT_OK(driver.cuPointerGetAttribute(&value, attribute, p));
  return value;
}

/// Both sides may use such memory.
TEST_F(Pools, ofTheHostAndManaged) {
  size_t free = 0, left = 0, total = 0;
  const struct {
    CUmemAllocationType type;
    CUmemLocation where;
    unsigned memoryType, isManaged;
  } cases[] = {
      {CU_MEM_ALLOCATION_TYPE_PINNED, {CU_MEM_LOCATION_TYPE_HOST, 77}, CU_MEMORYTYPE_HOST, 0},
      {CU_MEM_ALLOCATION_TYPE_PINNED, {CU_MEM_LOCATION_TYPE_HOST_NUMA, 0}, CU_MEMORYTYPE_HOST, 0},
      {CU_MEM_ALLOCATION_TYPE_MANAGED, {CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEMORYTYPE_DEVICE, 1},
      {CU_MEM_ALLOCATION_TYPE_MANAGED, {CU_MEM_LOCATION_TYPE_HOST, 0}, CU_MEMORYTYPE_DEVICE, 1},
      {CU_MEM_ALLOCATION_TYPE_MANAGED, {CU_MEM_LOCATION_TYPE_NONE, 0}, CU_MEMORYTYPE_DEVICE, 1}};
  for (const auto &[type, where, memoryType, isManaged] : cases) {
    const CUmemoryPool pool = poolAt(type, where);
    CUdeviceptr p = 0, again = 0;
    EXPECT_OK(driver.cuMemGetInfo_v2(&free, &total));
    ASSERT_OK(driver.cuMemAllocFromPoolAsync(&p, 1 << 20, pool, OwnStream));
    EXPECT_OK(driver.cuMemGetInfo_v2(&left, &total));
    EXPECT_EQ(free - left, isManaged ? size_t(1) << 20 : 0u) << "what is the host's is not charged";
    EXPECT_EQ(ofPointer<unsigned>(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p), memoryType);
    EXPECT_EQ(ofPointer<unsigned>(CU_POINTER_ATTRIBUTE_IS_MANAGED, p), isManaged);
    EXPECT_EQ(ofPointer<CUmemoryPool>(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p), pool);
    EXPECT_EQ(ofPointer<CUcontext>(CU_POINTER_ATTRIBUTE_CONTEXT, p), nullptr);
    EXPECT_OK(driver.cuMemsetD8Async(p, 7, 1 << 20, OwnStream));
    EXPECT_OK(driver.cuStreamSynchronize(OwnStream));
    EXPECT_EQ(reinterpret_cast<const unsigned char *>(p)[(1 << 20) - 1], 7);
    EXPECT_INVALID(driver.cuMemFreeHost(reinterpret_cast<void *>(p)));
    EXPECT_OK(driver.cuMemFreeAsync(p, OwnStream));
    EXPECT_INVALID(driver.cuMemFreeAsync(p, OwnStream));
    ASSERT_OK(driver.cuMemAllocFromPoolAsync(&again, 1 << 20, pool, OwnStream));
    EXPECT_EQ(again, p) << "in the stream that freed it";
    EXPECT_OK(driver.cuMemFree_v2(again));
    ASSERT_OK(driver.cuMemAllocFromPoolAsync(&p, 100, pool, OwnStream));
    EXPECT_OK(driver.cuMemPoolDestroy(pool));
    EXPECT_OK(driver.cuMemFreeAsync(p, OwnStream)) << "it outlives its pool";
    EXPECT_OK(driver.cuStreamSynchronize(OwnStream));
    EXPECT_OK(driver.cuMemGetInfo_v2(&left, &total));
    EXPECT_EQ(left, free);
  }
}

TEST_F(Pools, ofTheHostAreAnAttribute) {
  for (auto which : {CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED,
                     CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED,
                     CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
                     CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED,
                     CU_DEVICE_ATTRIBUTE_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED}) {
    int has = 0;
    EXPECT_OK(driver.cuDeviceGetAttribute(&has, which, 0));
    EXPECT_EQ(has, 1) << which;
  }
}

TEST_F(Pools, ofTheHostAndManagedAreRefused) {
  CUmemoryPool pool = nullptr;
  const auto refuse = [&](CUmemAllocationType type, CUmemLocation where,
                          CUmemAllocationHandleType handles) {
    CUmemPoolProps properties = propertiesOf(0, handles);
    properties.allocType = type;
    properties.location = where;
    EXPECT_INVALID(driver.cuMemPoolCreate(&pool, &properties));
  };
  constexpr auto Pinned = CU_MEM_ALLOCATION_TYPE_PINNED, Managed = CU_MEM_ALLOCATION_TYPE_MANAGED;
  constexpr auto None = CU_MEM_HANDLE_TYPE_NONE, File = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  refuse(Pinned, {CU_MEM_LOCATION_TYPE_HOST, 0}, File);
  refuse(Managed, {CU_MEM_LOCATION_TYPE_DEVICE, 0}, File);
  refuse(Pinned, {CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT, 0}, None);
  refuse(Pinned, {CU_MEM_LOCATION_TYPE_HOST_NUMA, 100000}, None);
  refuse(Pinned, {CU_MEM_LOCATION_TYPE_NONE, 0}, None);
  refuse(CUmemAllocationType(3), {CU_MEM_LOCATION_TYPE_DEVICE, 0}, None);
  pool = poolAt(Pinned, {CU_MEM_LOCATION_TYPE_HOST, 0});
  CUdeviceptr p = 0;
  testing::internal::CaptureStderr();
  ASSERT_OK(driver.cuStreamBeginCapture_v2(OwnStream, CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_EQ(driver.cuMemAllocFromPoolAsync(&p, 100, pool, OwnStream), CUDA_ERROR_NOT_SUPPORTED);
  CUgraph graph = nullptr;
  driver.cuStreamEndCapture(OwnStream, &graph);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("the host's"), std::string::npos);
  EXPECT_OK(driver.cuMemPoolDestroy(pool));
}

/// A block that a smaller allocation has taken over counts with what that has, once the pool is gone.
TEST_F(Pools, memoryThatOutlivesThemIsGivenBackWhole) {
  size_t before = 0, after = 0, total = 0;
  EXPECT_OK(driver.cuMemGetInfo_v2(&before, &total));
  const CUmemoryPool pool = poolAt(CU_MEM_ALLOCATION_TYPE_PINNED, {CU_MEM_LOCATION_TYPE_DEVICE, 0});
  CUdeviceptr p = 0, again = 0;
  ASSERT_OK(driver.cuMemAllocFromPoolAsync(&p, 64 << 10, pool, nullptr));
  EXPECT_OK(driver.cuMemFreeAsync(p, nullptr));
  ASSERT_OK(driver.cuMemAllocFromPoolAsync(&again, 60 << 10, pool, nullptr));
  EXPECT_EQ(again, p);
  EXPECT_OK(driver.cuMemPoolDestroy(pool));
  EXPECT_OK(driver.cuMemFreeAsync(again, nullptr));
  EXPECT_OK(driver.cuCtxSynchronize());
  EXPECT_OK(driver.cuMemGetInfo_v2(&after, &total));
  EXPECT_EQ(before, after);
}

/// No device owns a pool of the host.
TEST_F(Pools, ofTheHostOutliveAReset) {
  const CUmemoryPool pool = poolAt(CU_MEM_ALLOCATION_TYPE_PINNED, {CU_MEM_LOCATION_TYPE_HOST, 0});
  CUdeviceptr p = 0;
  ASSERT_OK(driver.cuMemAllocFromPoolAsync(&p, 100, pool, nullptr));
  EXPECT_OK(driver.cuDevicePrimaryCtxReset_v2(0));
  EXPECT_EQ(ask<uint64_t>(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 100u);
  reinterpret_cast<char *>(p)[99] = 1;
  EXPECT_OK(driver.cuMemFreeAsync(p, nullptr));
  EXPECT_OK(driver.cuMemPoolDestroy(pool));
}

TEST_F(Pools, accessToTheHosts) {
  const CUmemLocation host = {CU_MEM_LOCATION_TYPE_HOST, 0};
  CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, own = host;
  const CUmemoryPool pool = poolAt(CU_MEM_ALLOCATION_TYPE_PINNED, host);
  CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_MAX;
  EXPECT_OK(driver.cuMemPoolGetAccess(&flags, pool, &here));
  EXPECT_EQ(flags, CU_MEM_ACCESS_FLAGS_PROT_NONE);
  EXPECT_OK(driver.cuMemPoolGetAccess(&flags, pool, &own));
  EXPECT_EQ(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  CUmemAccessDesc access = {here, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  EXPECT_OK(driver.cuMemPoolSetAccess(pool, &access, 1));
  EXPECT_OK(driver.cuMemPoolGetAccess(&flags, pool, &here));
  EXPECT_EQ(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  access = {host, CU_MEM_ACCESS_FLAGS_PROT_NONE};
  EXPECT_EQ(driver.cuMemPoolSetAccess(pool, &access, 1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_OK(driver.cuMemPoolDestroy(pool));
}

/// A pool of a node of the host may have a descriptor.
TEST_F(Pools, ofTheHostAreShared) {
  CUmemoryPool pool = nullptr, imported = nullptr;
  constexpr auto Descriptor = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  CUmemPoolProps properties = propertiesOf(0, Descriptor);
  properties.location = {CU_MEM_LOCATION_TYPE_HOST_NUMA, 0};
  ASSERT_OK(driver.cuMemPoolCreate(&pool, &properties));
  int file = -1;
  ASSERT_OK(driver.cuMemPoolExportToShareableHandle(&file, pool, Descriptor, 0));
  void *handle = reinterpret_cast<void *>(static_cast<intptr_t>(file));
  ASSERT_OK(driver.cuMemPoolImportFromShareableHandle(&imported, handle, Descriptor, 0));
  CUdeviceptr p = 0, same = 0;
  CUmemPoolPtrExportData data = {};
  ASSERT_OK(driver.cuMemAllocFromPoolAsync(&p, 100, pool, nullptr));
  ASSERT_OK(driver.cuMemPoolExportPointer(&data, p));
  ASSERT_OK(driver.cuMemPoolImportPointer(&same, imported, &data));
  EXPECT_EQ(ofPointer<unsigned>(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, same),
            unsigned(CU_MEMORYTYPE_HOST));
  reinterpret_cast<char *>(p)[99] = 5;
  EXPECT_EQ(reinterpret_cast<char *>(same)[99], 5);
  EXPECT_OK(driver.cuMemFreeAsync(same, nullptr));
  EXPECT_OK(driver.cuMemFreeAsync(p, nullptr));
  EXPECT_OK(driver.cuMemPoolDestroy(imported));
  EXPECT_OK(driver.cuMemPoolDestroy(pool));
  close(file);
}

/// A process may import its own pool.
TEST_F(Pools, areShared) {
  CUmemoryPool pool = nullptr, imported = nullptr;
  constexpr auto Descriptor = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  const CUmemPoolProps properties = propertiesOf(0, Descriptor);
  ASSERT_OK(driver.cuMemPoolCreate(&pool, &properties));
  int file = -1;
  ASSERT_OK(driver.cuMemPoolExportToShareableHandle(&file, pool, Descriptor, 0));
  void *handle = reinterpret_cast<void *>(static_cast<intptr_t>(file));
  ASSERT_OK(driver.cuMemPoolImportFromShareableHandle(&imported, handle, Descriptor, 0));
  CUdeviceptr p = 0, same = 0;
  CUmemPoolPtrExportData data = {};
  ASSERT_OK(driver.cuMemAllocFromPoolAsync(&p, 100, pool, nullptr));
  uint64_t handles = 0;
  EXPECT_OK(driver.cuPointerGetAttribute(&handles, CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, p));
  EXPECT_EQ(handles, uint64_t(Descriptor));
  ASSERT_OK(driver.cuMemPoolExportPointer(&data, p));
  ASSERT_OK(driver.cuMemPoolImportPointer(&same, imported, &data));
  EXPECT_NE(same, p);
  const Bytes mine = pattern(100);
  Bytes seen(100);
  EXPECT_OK(driver.cuMemcpyHtoD_v2(p, mine.data(), 100));
  EXPECT_OK(driver.cuMemcpyDtoH_v2(seen.data(), same, 100));
  EXPECT_EQ(seen, mine);
  EXPECT_INVALID(driver.cuMemPoolExportPointer(&data, same));
  EXPECT_INVALID(driver.cuMemPoolExportPointer(nullptr, p));
  EXPECT_INVALID(driver.cuMemPoolImportPointer(nullptr, imported, &data));
  EXPECT_INVALID(driver.cuMemPoolImportPointer(&same, pool, &data));
  EXPECT_INVALID(driver.cuMemPoolExportToShareableHandle(&file, pool, Descriptor, 1));
  EXPECT_INVALID(driver.cuMemPoolExportToShareableHandle(nullptr, pool, Descriptor, 0));
  EXPECT_INVALID(
      driver.cuMemPoolImportFromShareableHandle(&imported, handle, Descriptor, uint64_t(1) << 32));
  EXPECT_EQ(driver.cuMemPoolExportToShareableHandle(&file, pool, CU_MEM_HANDLE_TYPE_FABRIC, 0),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_OK(driver.cuMemFree_v2(same));
  EXPECT_OK(driver.cuMemFreeAsync(p, nullptr));
  EXPECT_OK(driver.cuMemPoolDestroy(imported));
  EXPECT_OK(driver.cuMemPoolDestroy(pool));
  close(file);
}

} // namespace
