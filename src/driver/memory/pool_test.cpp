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
  EXPECT_EQ(driver.cuDeviceSetMemPool(9, first), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(driver.cuDeviceGetMemPool(&current, 9), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_INVALID(driver.cuDeviceGetDefaultMemPool(nullptr, 0));
  EXPECT_INVALID(driver.cuMemGetMemPool(&current, nullptr, Pinned));
  EXPECT_INVALID(driver.cuMemGetMemPool(&current, &where, CU_MEM_ALLOCATION_TYPE_INVALID));
  where.type = CU_MEM_LOCATION_TYPE_HOST;
  testing::internal::CaptureStderr();
  EXPECT_EQ(driver.cuMemGetDefaultMemPool(&current, &where, Pinned), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(driver.cuMemSetMemPool(&where, Pinned, first), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("of the host"), std::string::npos);
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
