// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/test_support.h"

#include <cstring>
#include <thread>

HEDDLE_TEST_DEVICES("k20,gtx680")

namespace {

size_t freeMemory() {
  size_t free = 0, total = 0;
  EXPECT_OK(cudaMemGetInfo(&free, &total));
  return free;
}

/// Every test leaves the device as it found it.
class MemoryTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_OK(cudaSetDevice(0));
    before_ = freeMemory();
  }
  void TearDown() override { EXPECT_EQ(freeMemory(), before_) << "something leaks"; }

private:
  size_t before_ = 0;
};

TEST_F(MemoryTest, allocates) {
  void *p = nullptr;
  ASSERT_OK(cudaMalloc(&p, 1000));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % 256, 0u);
  EXPECT_OK(cudaFree(p));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaFree(p)); // twice
  p = &p;
  EXPECT_OK(cudaMalloc(&p, 0));
  EXPECT_EQ(p, nullptr);
  EXPECT_OK(cudaFree(nullptr));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMalloc(nullptr, 100));
}

TEST_F(MemoryTest, isBoundedByTheBoard) {
  size_t free, total;
  ASSERT_OK(cudaMemGetInfo(&free, &total));
  EXPECT_EQ(total, 5032706048u) << "a K20";
  void *p = nullptr, *q = nullptr;
  EXPECT_CUDA(cudaErrorMemoryAllocation, cudaMalloc(&p, total + 1));
  EXPECT_EQ(p, nullptr);
  ASSERT_OK(cudaMalloc(&p, free));
  EXPECT_EQ(freeMemory(), 0u);
  EXPECT_CUDA(cudaErrorMemoryAllocation, cudaMalloc(&q, 1));
  EXPECT_CUDA(cudaErrorMemoryAllocation, cudaMallocManaged(&q, 1, cudaMemAttachGlobal));
  EXPECT_OK(cudaMallocHost(&q, 1000)); // not the device's
  EXPECT_OK(cudaFreeHost(q));
  ASSERT_OK(cudaSetDevice(1));
  EXPECT_OK(cudaMalloc(&q, 1000)); // the other board has its own memory
  EXPECT_OK(cudaFree(q));
  ASSERT_OK(cudaSetDevice(0));
  EXPECT_OK(cudaFree(p));
  EXPECT_OK(cudaMemGetInfo(nullptr, nullptr));
}

TEST_F(MemoryTest, foreignPointersAreRefused) {
  int local = 0;
  void *p, *host;
  ASSERT_OK(cudaMalloc(&p, 1000));
  ASSERT_OK(cudaMallocHost(&host, 1000));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaFree(&local));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaFree(static_cast<char *>(p) + 256));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaFree(host));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaFreeHost(p));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaFreeHost(&local));
  EXPECT_OK(cudaFreeHost(host));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaFreeHost(host));
  EXPECT_OK(cudaFree(p));
}

TEST_F(MemoryTest, pitched) {
  void *p;
  size_t pitch = 0;
  ASSERT_OK(cudaMallocPitch(&p, &pitch, 1000, 7));
  EXPECT_EQ(pitch, 1024u);
  EXPECT_OK(cudaMemset2D(p, pitch, 1, 1000, 7));
  EXPECT_OK(cudaFree(p));
  cudaPitchedPtr box;
  ASSERT_OK(cudaMalloc3D(&box, {100, 5, 3}));
  EXPECT_EQ(box.pitch, 512u);
  EXPECT_EQ(box.xsize, 100u);
  EXPECT_EQ(box.ysize, 5u);
  EXPECT_OK(cudaFree(box.ptr));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMallocPitch(&p, &pitch, SIZE_MAX - 5, 2));
  EXPECT_CUDA(cudaErrorMemoryAllocation, cudaMalloc3D(&box, {100, SIZE_MAX / 2, 3}));
}

TEST_F(MemoryTest, pageLocked) {
  void *p, *device = nullptr;
  unsigned flags = 0;
  ASSERT_OK(cudaHostAlloc(&p, 100, cudaHostAllocMapped | cudaHostAllocWriteCombined));
  EXPECT_OK(cudaHostGetFlags(&flags, p));
  EXPECT_EQ(flags, unsigned(cudaHostAllocMapped | cudaHostAllocWriteCombined));
  EXPECT_OK(cudaHostGetDevicePointer(&device, static_cast<char *>(p) + 4, 0));
  EXPECT_EQ(device, static_cast<char *>(p) + 4);
  std::memset(p, 1, 100);
  EXPECT_OK(cudaFreeHost(p));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaHostAlloc(&p, 100, 8));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaHostGetDevicePointer(&device, &flags, 0));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaHostGetFlags(&flags, &flags));
}

TEST_F(MemoryTest, registered) {
  Bytes memory(10000);
  unsigned flags = 0;
  void *device = nullptr;
  ASSERT_OK(cudaHostRegister(memory.data(), 5000, cudaHostRegisterMapped));
  EXPECT_CUDA(cudaErrorHostMemoryAlreadyRegistered,
              cudaHostRegister(memory.data() + 4000, 5000, 0));
  EXPECT_CUDA(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(memory.data(), 1, 0));
  EXPECT_OK(cudaHostRegister(memory.data() + 5000, 5000, 0)); // side by side
  EXPECT_OK(cudaHostGetFlags(&flags, memory.data() + 4999));
  EXPECT_EQ(flags, unsigned(cudaHostRegisterMapped));
  EXPECT_OK(cudaHostGetDevicePointer(&device, memory.data() + 5, 0));
  EXPECT_EQ(device, memory.data() + 5);
  EXPECT_CUDA(cudaErrorInvalidValue, cudaHostUnregister(memory.data() + 1));
  EXPECT_OK(cudaHostUnregister(memory.data()));
  EXPECT_CUDA(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(memory.data()));
  EXPECT_OK(cudaHostUnregister(memory.data() + 5000));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaHostRegister(memory.data(), 0, 0));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaHostRegister(memory.data(), 1, 0x100));
}

TEST_F(MemoryTest, pointerAttributes) {
  struct {
    const void *p;
    cudaMemoryType type;
    int device;
    bool onDevice, onHost;
  } cases[5] = {};
  void *device, *managed, *host;
  int local = 0;
  ASSERT_OK(cudaSetDevice(1));
  ASSERT_OK(cudaMalloc(&device, 100));
  ASSERT_OK(cudaSetDevice(0));
  ASSERT_OK(cudaMallocManaged(&managed, 100, cudaMemAttachHost));
  ASSERT_OK(cudaMallocHost(&host, 100));
  cases[0] = {static_cast<char *>(device) + 50, cudaMemoryTypeDevice, 1, true, false};
  cases[1] = {managed, cudaMemoryTypeManaged, 0, true, true};
  cases[2] = {host, cudaMemoryTypeHost, 0, true, true};
  cases[3] = {&local, cudaMemoryTypeUnregistered, cudaInvalidDeviceId, false, true};
  cases[4] = {static_cast<char *>(device) + 100, cudaMemoryTypeUnregistered, cudaInvalidDeviceId,
              false, true};
  for (auto &c : cases) {
    cudaPointerAttributes a;
    EXPECT_OK(cudaPointerGetAttributes(&a, c.p));
    EXPECT_EQ(a.type, c.type);
    EXPECT_EQ(a.device, c.device);
    EXPECT_EQ(a.devicePointer, c.onDevice ? c.p : nullptr);
    EXPECT_EQ(a.hostPointer, c.onHost ? c.p : nullptr);
  }
  EXPECT_CUDA(cudaErrorInvalidValue, cudaPointerGetAttributes(nullptr, device));
  EXPECT_OK(cudaFree(device)); // of the other device, while this one is current
  EXPECT_OK(cudaFree(managed));
  EXPECT_OK(cudaFreeHost(host));
}

TEST_F(MemoryTest, managedFlags) {
  void *p;
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMallocManaged(&p, 100, 0));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMallocManaged(&p, 100, cudaMemAttachSingle));
}

TEST_F(MemoryTest, managedHints) {
  char *p;
  const size_t page = 4096;
  ASSERT_OK(cudaMallocManaged(reinterpret_cast<void **>(&p), 16 * page, cudaMemAttachGlobal));
  auto attribute = [&](cudaMemRangeAttribute which, size_t first, size_t count) {
    int value = -99;
    EXPECT_OK(
        cudaMemRangeGetAttribute(&value, sizeof value, which, p + first * page, count * page));
    return value;
  };
  EXPECT_OK(cudaMemAdvise(p + 4 * page, 4 * page, cudaMemAdviseSetReadMostly, 0));
  EXPECT_EQ(attribute(cudaMemRangeAttributeReadMostly, 4, 4), 1);
  EXPECT_EQ(attribute(cudaMemRangeAttributeReadMostly, 5, 1), 1);
  EXPECT_EQ(attribute(cudaMemRangeAttributeReadMostly, 3, 2), 0) << "not all of it";
  EXPECT_OK(cudaMemAdvise(p + 5 * page, page, cudaMemAdviseUnsetReadMostly, 0));
  EXPECT_EQ(attribute(cudaMemRangeAttributeReadMostly, 4, 1), 1);
  EXPECT_EQ(attribute(cudaMemRangeAttributeReadMostly, 5, 1), 0);
  EXPECT_EQ(attribute(cudaMemRangeAttributeReadMostly, 6, 2), 1);
  EXPECT_OK(cudaMemAdvise_v2(p, 16 * page, cudaMemAdviseSetPreferredLocation,
                             {cudaMemLocationTypeDevice, 1}));
  EXPECT_EQ(attribute(cudaMemRangeAttributePreferredLocation, 0, 16), 1);
  EXPECT_EQ(attribute(cudaMemRangeAttributePreferredLocationType, 0, 16),
            cudaMemLocationTypeDevice);
  EXPECT_EQ(attribute(cudaMemRangeAttributePreferredLocationId, 0, 16), 1);
  EXPECT_OK(cudaMemAdvise(p, 8 * page, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId));
  EXPECT_EQ(attribute(cudaMemRangeAttributePreferredLocation, 0, 8), cudaCpuDeviceId);
  EXPECT_EQ(attribute(cudaMemRangeAttributePreferredLocation, 0, 16), cudaInvalidDeviceId);
  EXPECT_OK(cudaMemAdvise(p, 16 * page, cudaMemAdviseUnsetPreferredLocation, 0));
  EXPECT_EQ(attribute(cudaMemRangeAttributePreferredLocation, 0, 16), cudaInvalidDeviceId);
  EXPECT_OK(cudaMemPrefetchAsync(p, 16 * page, 0, nullptr));
  EXPECT_EQ(attribute(cudaMemRangeAttributeLastPrefetchLocation, 0, 16), 0);
  EXPECT_OK(cudaMemPrefetchAsync_v2(p, 8 * page, {cudaMemLocationTypeHost, 0}, 0, nullptr));
  EXPECT_EQ(attribute(cudaMemRangeAttributeLastPrefetchLocationType, 0, 8),
            cudaMemLocationTypeHost);
  EXPECT_EQ(attribute(cudaMemRangeAttributeLastPrefetchLocationId, 8, 8), 0);
  EXPECT_OK(cudaMemAdvise(p, page, cudaMemAdviseSetAccessedBy, 1));
  EXPECT_OK(cudaMemAdvise(p, page, cudaMemAdviseSetAccessedBy, cudaCpuDeviceId));
  int list[4], mostly = -1;
  EXPECT_OK(cudaMemRangeGetAttribute(list, sizeof list, cudaMemRangeAttributeAccessedBy, p, page));
  EXPECT_EQ(list[0], 1);
  EXPECT_EQ(list[1], cudaCpuDeviceId);
  EXPECT_EQ(list[2], cudaInvalidDeviceId);
  void *data[] = {list, &mostly};
  size_t sizes[] = {sizeof list, sizeof mostly};
  cudaMemRangeAttribute which[] = {cudaMemRangeAttributeAccessedBy,
                                   cudaMemRangeAttributeReadMostly};
  EXPECT_OK(cudaMemRangeGetAttributes(data, sizes, which, 2, p + 4 * page, page));
  EXPECT_EQ(list[0], cudaInvalidDeviceId);
  EXPECT_EQ(mostly, 1);
  EXPECT_OK(cudaStreamAttachMemAsync(nullptr, p, 0, cudaMemAttachHost));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaStreamAttachMemAsync(nullptr, p, 0, 77));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemAdvise(p, 17 * page, cudaMemAdviseSetReadMostly, 0));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemAdvise(p, page, static_cast<cudaMemoryAdvise>(99), 0));
  EXPECT_CUDA(cudaErrorInvalidDevice, cudaMemAdvise(p, page, cudaMemAdviseSetAccessedBy, 9));
  EXPECT_CUDA(cudaErrorInvalidDevice, cudaMemPrefetchAsync(p, page, 9, nullptr));
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaMemPrefetchAsync_v2(p, page, {cudaMemLocationTypeHost, 0}, 1, nullptr));
  EXPECT_OK(cudaFree(p));
  Buffer device(page);
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaMemAdvise(device.get(), page, cudaMemAdviseSetReadMostly, 0));
}

TEST_F(MemoryTest, pools) {
  cudaMemPool_t pool, current, mine;
  cudaStream_t stream;
  ASSERT_OK(cudaStreamCreate(&stream));
  ASSERT_OK(cudaDeviceGetDefaultMemPool(&pool, 0));
  ASSERT_OK(cudaDeviceGetMemPool(&current, 0));
  EXPECT_EQ(pool, current);
  auto attribute = [](cudaMemPool_t of, cudaMemPoolAttr which) {
    uint64_t value = 0;
    EXPECT_OK(cudaMemPoolGetAttribute(of, which, &value));
    return value;
  };
  void *p = nullptr;
  ASSERT_OK(cudaMallocAsync(&p, 1000, stream));
  EXPECT_OK(cudaMemsetAsync(p, 7, 1000, stream));
  EXPECT_EQ(attribute(pool, cudaMemPoolAttrUsedMemCurrent), 1000u);
  EXPECT_EQ(attribute(pool, cudaMemPoolAttrReservedMemCurrent), 1000u);
  EXPECT_OK(cudaFreeAsync(p, stream));
  EXPECT_OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(attribute(pool, cudaMemPoolAttrUsedMemCurrent), 0u);
  EXPECT_EQ(attribute(pool, cudaMemPoolAttrReservedMemCurrent), 0u);
  EXPECT_EQ(attribute(pool, cudaMemPoolAttrUsedMemHigh), 1000u);
  uint64_t zero = 0, some = 5;
  EXPECT_OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
  EXPECT_EQ(attribute(pool, cudaMemPoolAttrUsedMemHigh), 0u);
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &some));
  EXPECT_OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &some));
  EXPECT_EQ(attribute(pool, cudaMemPoolAttrReleaseThreshold), 5u);
  int off = 0;
  EXPECT_OK(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &off));
  EXPECT_EQ(attribute(pool, cudaMemPoolReuseAllowOpportunistic), 0u);
  EXPECT_OK(cudaMemPoolTrimTo(pool, 0));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemPoolDestroy(pool));

  cudaMemPoolProps properties = {};
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemPoolCreate(&mine, &properties));
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  properties.maxSize = 4096;
  ASSERT_OK(cudaMemPoolCreate(&mine, &properties));
  EXPECT_OK(cudaDeviceSetMemPool(0, mine));
  ASSERT_OK(cudaMallocAsync(&p, 64, stream));
  EXPECT_EQ(attribute(mine, cudaMemPoolAttrUsedMemCurrent), 64u);
  EXPECT_OK(cudaFree(p)); // a plain free works too
  EXPECT_EQ(attribute(mine, cudaMemPoolAttrUsedMemCurrent), 0u);
  EXPECT_CUDA(cudaErrorMemoryAllocation, cudaMallocFromPoolAsync(&p, 5000, mine, stream));
  ASSERT_OK(cudaMallocFromPoolAsync(&p, 64, mine, stream));
  cudaMemLocation peer = {cudaMemLocationTypeDevice, 1};
  cudaMemAccessFlags access;
  EXPECT_OK(cudaMemPoolGetAccess(&access, mine, &peer));
  EXPECT_EQ(access, cudaMemAccessFlagsProtNone);
  cudaMemAccessDesc wanted = {peer, cudaMemAccessFlagsProtReadWrite};
  EXPECT_OK(cudaMemPoolSetAccess(mine, &wanted, 1));
  EXPECT_OK(cudaMemPoolGetAccess(&access, mine, &peer));
  EXPECT_EQ(access, cudaMemAccessFlagsProtReadWrite);
  EXPECT_OK(cudaMemPoolDestroy(mine));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemPoolTrimTo(mine, 0));
  ASSERT_OK(cudaDeviceGetMemPool(&current, 0));
  EXPECT_EQ(pool, current) << "back to the default";
  EXPECT_OK(cudaFreeAsync(p, stream)); // memory outlives its pool
  EXPECT_OK(cudaStreamSynchronize(stream));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaFreeAsync(&p, stream));
  EXPECT_CUDA(cudaErrorInvalidDevice, cudaDeviceGetDefaultMemPool(&pool, 9));
  EXPECT_OK(cudaStreamDestroy(stream));
}

TEST_F(MemoryTest, manyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      std::vector<void *> all(200);
      for (int round = 0; round < 10; ++round) {
        for (size_t i = 0; i < all.size(); ++i)
          ASSERT_OK(cudaMalloc(&all[i], 1 + i * 37));
        for (void *p : all)
          ASSERT_OK(cudaFree(p));
      }
    });
  for (auto &thread : threads)
    thread.join();
}

/// 1,000,000 small allocations: in a loop, and alive together.
TEST_F(MemoryTest, aMillion) {
  std::vector<void *> all(100000);
  for (void *&p : all)
    ASSERT_OK(cudaMalloc(&p, 16));
  for (void *p : all)
    ASSERT_OK(cudaFree(p));
  for (int i = 0; i < 900000; ++i) {
    void *p;
    ASSERT_OK(cudaMalloc(&p, 16));
    ASSERT_OK(cudaFree(p));
  }
}

} // namespace
