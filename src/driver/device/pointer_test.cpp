// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/context_support.h"

namespace {

class Pointer : public WithContext {};

/// The 64 or 32 bits of an attribute.
template <typename T = unsigned> T attribute(CUpointer_attribute which, CUdeviceptr p) {
  T value = T(0);
  EXPECT_OK(driver.cuPointerGetAttribute(&value, which, p)) << which;
  return value;
}

TEST_F(Pointer, ofDeviceMemory) {
  Buffer buffer(1000);
  const CUdeviceptr p = buffer.get() + 10;
  void *host = nullptr;
  EXPECT_EQ(attribute<CUcontext>(CU_POINTER_ATTRIBUTE_CONTEXT, p), context);
  EXPECT_EQ(attribute(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p), unsigned(CU_MEMORYTYPE_DEVICE));
  EXPECT_EQ(attribute<CUdeviceptr>(CU_POINTER_ATTRIBUTE_DEVICE_POINTER, p), p);
  EXPECT_INVALID(driver.cuPointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, p));
  EXPECT_EQ(attribute(CU_POINTER_ATTRIBUTE_IS_MANAGED, p), 0u);
  EXPECT_EQ(attribute(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p), 0u);
  EXPECT_EQ(attribute(CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, p), 1u);
  EXPECT_EQ(attribute<CUdeviceptr>(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, p), buffer.get());
  EXPECT_EQ(attribute<size_t>(CU_POINTER_ATTRIBUTE_RANGE_SIZE, p), 1000u);
  EXPECT_EQ(attribute<CUdeviceptr>(CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR, p), buffer.get());
  EXPECT_EQ(attribute<size_t>(CU_POINTER_ATTRIBUTE_MAPPING_SIZE, p), 1000u);
  EXPECT_EQ(attribute(CU_POINTER_ATTRIBUTE_MAPPED, p), 1u);
  EXPECT_EQ(attribute<uint64_t>(CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, p), 0u);
  EXPECT_EQ(attribute(CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE, p), 0u);
  EXPECT_EQ(attribute(CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE, p), 0u);
  EXPECT_EQ(attribute(CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, p),
            unsigned(CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE));
  EXPECT_EQ(attribute<CUmemoryPool>(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p), nullptr);
}

TEST_F(Pointer, ofManagedAndHostMemory) {
  CUdeviceptr managed = 0;
  void *pinned = nullptr;
  std::vector<char> mine(4096);
  ASSERT_OK(driver.cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
  ASSERT_OK(driver.cuMemAllocHost_v2(&pinned, 64));
  ASSERT_OK(driver.cuMemHostRegister_v2(mine.data(), 4096, CU_MEMHOSTREGISTER_READ_ONLY));
  EXPECT_EQ(attribute(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, managed), unsigned(CU_MEMORYTYPE_DEVICE));
  EXPECT_EQ(attribute(CU_POINTER_ATTRIBUTE_IS_MANAGED, managed), 1u);
  EXPECT_EQ(attribute<CUdeviceptr>(CU_POINTER_ATTRIBUTE_HOST_POINTER, managed), managed);
  for (void *host : {pinned, static_cast<void *>(mine.data())}) {
    const CUdeviceptr p = addressOf(host);
    EXPECT_EQ(attribute(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p), unsigned(CU_MEMORYTYPE_HOST));
    EXPECT_EQ(attribute<void *>(CU_POINTER_ATTRIBUTE_HOST_POINTER, p), host);
    EXPECT_EQ(attribute<CUdeviceptr>(CU_POINTER_ATTRIBUTE_DEVICE_POINTER, p), p);
    EXPECT_EQ(attribute(CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, p), 0u);
  }
  EXPECT_EQ(attribute(CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, addressOf(mine.data())),
            unsigned(CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ));
  EXPECT_OK(driver.cuMemHostUnregister(mine.data()));
  EXPECT_OK(driver.cuMemFreeHost(pinned));
  EXPECT_OK(driver.cuMemFree_v2(managed));
}

TEST_F(Pointer, ofAPool) {
  CUdeviceptr p = 0;
  CUmemoryPool pool = nullptr;
  ASSERT_OK(driver.cuDeviceGetDefaultMemPool(&pool, 0));
  ASSERT_OK(driver.cuMemAllocAsync(&p, 64, nullptr));
  EXPECT_EQ(attribute<CUmemoryPool>(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p), pool);
  EXPECT_EQ(attribute<CUcontext>(CU_POINTER_ATTRIBUTE_CONTEXT, p), nullptr);
  EXPECT_EQ(attribute(CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, p), 0u);
  const auto id = attribute<uint64_t>(CU_POINTER_ATTRIBUTE_BUFFER_ID, p);
  EXPECT_OK(driver.cuMemFreeAsync(p, nullptr));
  ASSERT_OK(driver.cuMemAllocAsync(&p, 64, nullptr));
  EXPECT_NE(attribute<uint64_t>(CU_POINTER_ATTRIBUTE_BUFFER_ID, p), id) << "another allocation";
  EXPECT_OK(driver.cuMemFreeAsync(p, nullptr));
}

TEST_F(Pointer, idsAreNeverUsedAgain) {
  std::vector<uint64_t> ids;
  for (int i = 0; i < 3; ++i) {
    Buffer buffer(64);
    ids.push_back(attribute<uint64_t>(CU_POINTER_ATTRIBUTE_BUFFER_ID, buffer.get()));
    EXPECT_EQ(attribute<uint64_t>(CU_POINTER_ATTRIBUTE_BUFFER_ID, buffer.get() + 63), ids.back());
  }
  EXPECT_NE(ids[0], 0u);
  EXPECT_NE(ids[0], ids[1]);
  EXPECT_NE(ids[1], ids[2]);
}

TEST_F(Pointer, whatCudaDoesNotKnow) {
  int mine = 0, ordinal = 0;
  unsigned type = 7;
  CUcontext owner = context;
  const CUdeviceptr p = addressOf(&mine);
  EXPECT_INVALID(driver.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                      CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                      CU_POINTER_ATTRIBUTE_CONTEXT};
  void *values[] = {&type, &ordinal, &owner};
  EXPECT_OK(driver.cuPointerGetAttributes(3, attributes, values, p));
  EXPECT_EQ(type, 0u);
  EXPECT_EQ(ordinal, -2);
  EXPECT_EQ(owner, nullptr);
}

TEST_F(Pointer, manyAttributes) {
  Buffer buffer(64);
  unsigned type = 0;
  void *host = &type;
  CUdeviceptr start = 0;
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                      CU_POINTER_ATTRIBUTE_HOST_POINTER,
                                      CU_POINTER_ATTRIBUTE_RANGE_START_ADDR};
  void *values[] = {&type, &host, &start};
  EXPECT_OK(driver.cuPointerGetAttributes(3, attributes, values, buffer.get() + 8));
  EXPECT_EQ(type, unsigned(CU_MEMORYTYPE_DEVICE));
  EXPECT_EQ(host, nullptr);
  EXPECT_EQ(start, buffer.get());
  EXPECT_INVALID(driver.cuPointerGetAttributes(0, attributes, values, buffer.get()));
  EXPECT_INVALID(driver.cuPointerGetAttributes(3, nullptr, values, buffer.get()));
  EXPECT_INVALID(driver.cuPointerGetAttributes(3, attributes, nullptr, buffer.get()));
  attributes[1] = CUpointer_attribute(99);
  EXPECT_INVALID(driver.cuPointerGetAttributes(3, attributes, values, buffer.get()));
  EXPECT_INVALID(driver.cuPointerGetAttribute(&type, CUpointer_attribute(99), buffer.get()));
  EXPECT_INVALID(
      driver.cuPointerGetAttribute(nullptr, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, buffer.get()));
}

TEST_F(Pointer, synchronousMemory) {
  const unsigned on = 1, off = 0;
  int mine = 0;
  {
    Buffer buffer(64), other(64);
    const CUdeviceptr p = buffer.get();
    EXPECT_EQ(attribute(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p), 0u);
    EXPECT_OK(driver.cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p + 4));
    EXPECT_EQ(attribute(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p), 1u);
    EXPECT_EQ(attribute(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, other.get()), 0u);
    EXPECT_OK(driver.cuMemsetD8_v2(p, 5, 64));
    EXPECT_EQ(*reinterpret_cast<volatile unsigned char *>(p + 63), 5) << "it has waited";
    EXPECT_OK(driver.cuMemcpyDtoD_v2(other.get(), p, 64));
    EXPECT_EQ(*reinterpret_cast<volatile unsigned char *>(other.get() + 63), 5);
    EXPECT_INVALID(driver.cuPointerSetAttribute(nullptr, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
    EXPECT_INVALID(driver.cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_BUFFER_ID, p));
    EXPECT_INVALID(
        driver.cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, addressOf(&mine)));
    EXPECT_OK(driver.cuPointerSetAttribute(&off, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
    EXPECT_EQ(attribute(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p), 0u);
  }
}

TEST(PointerWithoutContext, isKnown) {
  CUcontext context = nullptr;
  CUdeviceptr p = 0;
  ASSERT_OK(driver.cuInit(0));
  ASSERT_OK(driver.cuCtxCreate_v2(&context, 0, 1));
  ASSERT_OK(driver.cuMemAlloc_v2(&p, 16));
  ASSERT_OK(driver.cuCtxPopCurrent_v2(nullptr));
  EXPECT_EQ(attribute(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p), 1u);
  EXPECT_EQ(attribute<CUcontext>(CU_POINTER_ATTRIBUTE_CONTEXT, p), context);
  EXPECT_OK(driver.cuCtxDestroy_v2(context));
}

// ---------------------------------------------------------------------------------------------------
// Managed memory.

class Managed : public WithContext {
protected:
  static constexpr size_t Size = 1 << 16;
  void SetUp() override {
    WithContext::SetUp();
    ASSERT_OK(driver.cuMemAllocManaged(&p, Size, CU_MEM_ATTACH_GLOBAL));
  }
  void TearDown() override {
    EXPECT_OK(driver.cuMemFree_v2(p));
    WithContext::TearDown();
  }
  int ask(CUmem_range_attribute which) {
    int value = -7;
    EXPECT_OK(driver.cuMemRangeGetAttribute(&value, sizeof value, which, p, Size));
    return value;
  }
  CUdeviceptr p = 0;
};

constexpr CUmemLocation OnDevice1 = {CU_MEM_LOCATION_TYPE_DEVICE, 1};
constexpr CUmemLocation OnHost = {CU_MEM_LOCATION_TYPE_HOST, 0};

TEST_F(Managed, advice) {
  EXPECT_OK(driver.cuMemAdvise(p, Size, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
  EXPECT_EQ(ask(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY), 1);
  EXPECT_OK(driver.cuMemAdvise_v2(p, Size, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, OnDevice1));
  EXPECT_EQ(ask(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION), 1);
  int readMostly = 0, type = 0;
  void *data[] = {&readMostly, &type};
  size_t sizes[] = {sizeof(int), sizeof(int)};
  CUmem_range_attribute attributes[] = {CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
                                        CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE};
  EXPECT_OK(driver.cuMemRangeGetAttributes(data, sizes, attributes, 2, p, Size));
  EXPECT_EQ(readMostly, 1);
  EXPECT_EQ(type, CU_MEM_LOCATION_TYPE_DEVICE);
  EXPECT_INVALID(driver.cuMemRangeGetAttributes(data, sizes, attributes, 0, p, Size));
  EXPECT_INVALID(driver.cuMemRangeGetAttribute(&type, 3, attributes[0], p, Size));
  EXPECT_INVALID(driver.cuMemAdvise(p, Size + 1, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
  EXPECT_INVALID(driver.cuMemAdvise(p, Size, CUmem_advise(77), 0));
  EXPECT_EQ(driver.cuMemAdvise(p, Size, CU_MEM_ADVISE_SET_ACCESSED_BY, 5),
            CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(Managed, prefetch) {
  EXPECT_OK(driver.cuMemPrefetchAsync(p, Size, 1, nullptr));
  EXPECT_EQ(ask(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION), 1);
  EXPECT_OK(driver.cuMemPrefetchAsync(p, Size, CU_DEVICE_CPU, nullptr));
  EXPECT_EQ(ask(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION), CU_DEVICE_CPU);
  EXPECT_OK(driver.cuMemPrefetchAsync_v2(p, Size, OnDevice1, 0, OwnStream));
  EXPECT_EQ(ask(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION), 1);
  EXPECT_INVALID(driver.cuMemPrefetchAsync_v2(p, Size, OnDevice1, 1, OwnStream));
  EXPECT_EQ(driver.cuMemPrefetchAsync(p, Size, 9, nullptr), CUDA_ERROR_INVALID_DEVICE);
  Buffer buffer(64);
  EXPECT_INVALID(driver.cuMemPrefetchAsync(buffer.get(), 64, 0, nullptr));
}

TEST_F(Managed, batches) {
  CUdeviceptr ranges[] = {p, p + Size / 2};
  size_t sizes[] = {Size / 2, Size / 2}, starts[] = {0, 1};
  CUmemLocation where[] = {OnDevice1, OnHost};
  const auto prefetched = [&](CUdeviceptr at) {
    int value = -7;
    EXPECT_OK(driver.cuMemRangeGetAttribute(
        &value, sizeof value, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, at, Size / 2));
    return value;
  };
  EXPECT_OK(driver.cuMemPrefetchBatchAsync(ranges, sizes, 2, where, starts, 2, 0, OwnStream));
  EXPECT_EQ(prefetched(ranges[0]), 1);
  EXPECT_EQ(prefetched(ranges[1]), CU_DEVICE_CPU);
  EXPECT_OK(
      driver.cuMemDiscardAndPrefetchBatchAsync(ranges, sizes, 2, where, starts, 1, 0, OwnStream));
  EXPECT_EQ(prefetched(ranges[1]), 1);
  EXPECT_OK(driver.cuMemDiscardBatchAsync(ranges, sizes, 2, 0, OwnStream));
  EXPECT_INVALID(driver.cuMemDiscardBatchAsync(ranges, sizes, 2, 1, OwnStream));
  EXPECT_INVALID(driver.cuMemDiscardBatchAsync(ranges, sizes, 2, 0, nullptr));
  EXPECT_INVALID(driver.cuMemDiscardBatchAsync(ranges, sizes, 0, 0, OwnStream));
  EXPECT_INVALID(driver.cuMemPrefetchBatchAsync(ranges, sizes, 2, where, starts, 3, 0, OwnStream));
  EXPECT_INVALID(
      driver.cuMemPrefetchBatchAsync(ranges, sizes, 2, nullptr, starts, 2, 0, OwnStream));
  starts[1] = 0;
  EXPECT_INVALID(
      driver.cuMemDiscardAndPrefetchBatchAsync(ranges, sizes, 2, where, starts, 2, 0, OwnStream));
  starts[1] = 1, sizes[1] = Size;
  EXPECT_INVALID(driver.cuMemPrefetchBatchAsync(ranges, sizes, 2, where, starts, 2, 0, OwnStream));
}

} // namespace
