// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/context_support.h"

#include <algorithm>

namespace {

class Memory : public WithContext {};

TEST_F(Memory, isAllocatedAndCounted) {
  size_t free = 0, total = 0, freeNow = 0;
  ASSERT_OK(driver.cuMemGetInfo_v2(&free, &total));
  EXPECT_LE(free, total);
  CUdeviceptr p = 0, base = 0;
  size_t bytes = 0;
  ASSERT_OK(driver.cuMemAlloc_v2(&p, 1 << 20));
  EXPECT_EQ(p % 256, 0u);
  ASSERT_OK(driver.cuMemGetInfo_v2(&freeNow, &total));
  EXPECT_EQ(free - freeNow, size_t(1) << 20);
  EXPECT_OK(driver.cuMemGetAddressRange_v2(&base, &bytes, p + 12345));
  EXPECT_EQ(base, p);
  EXPECT_EQ(bytes, size_t(1) << 20);
  EXPECT_OK(driver.cuMemGetAddressRange_v2(nullptr, nullptr, p));
  EXPECT_OK(driver.cuMemFree_v2(p));
  EXPECT_EQ(driver.cuMemGetAddressRange_v2(&base, &bytes, p), CUDA_ERROR_NOT_FOUND);
  EXPECT_INVALID(driver.cuMemFree_v2(p));
  EXPECT_OK(driver.cuMemFree_v2(0));
}

TEST_F(Memory, wrongSizesAndNulls) {
  CUdeviceptr p = 7;
  size_t size = 0;
  EXPECT_INVALID(driver.cuMemAlloc_v2(&p, 0));
  EXPECT_INVALID(driver.cuMemAlloc_v2(nullptr, 16));
  EXPECT_EQ(driver.cuMemAlloc_v2(&p, size_t(1) << 50), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(p, 7u) << "untouched";
  EXPECT_OK(driver.cuMemGetInfo_v2(nullptr, &size));
  EXPECT_OK(driver.cuMemGetInfo_v2(&size, nullptr));
  EXPECT_INVALID(driver.cuMemAllocManaged(&p, 0, CU_MEM_ATTACH_GLOBAL));
  EXPECT_INVALID(driver.cuMemAllocManaged(&p, 16, 0));
  EXPECT_INVALID(driver.cuMemAllocManaged(nullptr, 16, CU_MEM_ATTACH_GLOBAL));
  EXPECT_INVALID(driver.cuMemFree_v2(p));
}

TEST_F(Memory, pitch) {
  CUdeviceptr p = 0;
  size_t pitch = 0;
  ASSERT_OK(driver.cuMemAllocPitch_v2(&p, &pitch, 1000, 10, 4));
  EXPECT_EQ(pitch, 1024u);
  EXPECT_OK(driver.cuMemFree_v2(p));
  for (unsigned wrong : {0u, 1u, 2u, 3u, 32u})
    EXPECT_INVALID(driver.cuMemAllocPitch_v2(&p, &pitch, 1000, 10, wrong));
  EXPECT_INVALID(driver.cuMemAllocPitch_v2(&p, &pitch, 0, 10, 4));
  EXPECT_INVALID(driver.cuMemAllocPitch_v2(&p, &pitch, 1000, 0, 4));
  EXPECT_INVALID(driver.cuMemAllocPitch_v2(nullptr, &pitch, 1000, 10, 4));
  EXPECT_INVALID(driver.cuMemAllocPitch_v2(&p, nullptr, 1000, 10, 4));
}

TEST_F(Memory, managedIsTheHostsToo) {
  CUdeviceptr p = 0;
  ASSERT_OK(driver.cuMemAllocManaged(&p, 64, CU_MEM_ATTACH_GLOBAL));
  auto *bytes = reinterpret_cast<unsigned char *>(p);
  bytes[63] = 9;
  unsigned char seen = 0;
  EXPECT_OK(driver.cuMemcpyDtoH_v2(&seen, p + 63, 1));
  EXPECT_EQ(seen, 9);
  EXPECT_OK(driver.cuMemFree_v2(p));
}

TEST_F(Memory, ofTheHost) {
  void *all[3] = {};
  ASSERT_OK(driver.cuMemAllocHost_v2(&all[0], 4096));
  ASSERT_OK(driver.cuMemAllocHost_v2(&all[1], 4096));
  ASSERT_OK(driver.cuMemHostAlloc(&all[2], 4096, CU_MEMHOSTALLOC_WRITECOMBINED));
  for (void *p : all) {
    CUdeviceptr device = 0;
    unsigned flags = 0;
    EXPECT_OK(driver.cuMemHostGetDevicePointer_v2(&device, p, 0));
    EXPECT_EQ(device, addressOf(p));
    EXPECT_OK(driver.cuMemHostGetFlags(&flags, p));
    EXPECT_EQ(flags & CU_MEMHOSTALLOC_DEVICEMAP, unsigned(CU_MEMHOSTALLOC_DEVICEMAP));
    EXPECT_EQ(!(flags & CU_MEMHOSTALLOC_WRITECOMBINED), p != all[2]);
    EXPECT_INVALID(driver.cuMemFree_v2(addressOf(p)));
    EXPECT_OK(driver.cuMemFreeHost(p));
    EXPECT_INVALID(driver.cuMemFreeHost(p));
  }
  EXPECT_OK(driver.cuMemAllocHost_v2(&all[0], 0));
  EXPECT_EQ(all[0], nullptr);
  EXPECT_INVALID(driver.cuMemAllocHost_v2(nullptr, 16));
  EXPECT_EQ(driver.cuMemAllocHost(&all[0], 16), CUDA_ERROR_INVALID_CONTEXT); // the first version
  EXPECT_INVALID(driver.cuMemHostAlloc(&all[0], 16, 0x80));
  EXPECT_OK(driver.cuMemHostAlloc(&all[0], 0, 0));
  EXPECT_EQ(all[0], nullptr);
}

TEST_F(Memory, registered) {
  std::vector<char> mine(8192);
  CUdeviceptr device = 0;
  unsigned flags = 0;
  EXPECT_INVALID(driver.cuMemHostGetDevicePointer_v2(&device, mine.data(), 0));
  EXPECT_INVALID(driver.cuMemHostGetFlags(&flags, mine.data()));
  ASSERT_OK(driver.cuMemHostRegister_v2(mine.data(), mine.size(), 0));
  EXPECT_OK(driver.cuMemHostGetDevicePointer_v2(&device, mine.data() + 100, 0));
  EXPECT_EQ(device, addressOf(mine.data() + 100));
  EXPECT_INVALID(driver.cuMemHostGetDevicePointer_v2(&device, mine.data(), 1));
  EXPECT_INVALID(driver.cuMemHostGetDevicePointer_v2(nullptr, mine.data(), 0));
  EXPECT_OK(driver.cuMemHostGetFlags(&flags, mine.data()));
  EXPECT_INVALID(driver.cuMemHostGetFlags(nullptr, mine.data()));
  EXPECT_EQ(driver.cuMemHostRegister_v2(mine.data(), mine.size(), 0),
            CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  EXPECT_OK(driver.cuMemHostUnregister(mine.data()));
  EXPECT_EQ(driver.cuMemHostUnregister(mine.data()), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  ASSERT_OK(driver.cuMemHostRegister(mine.data(), mine.size(), CU_MEMHOSTREGISTER_PORTABLE));
  EXPECT_OK(driver.cuMemHostUnregister(mine.data()));
  EXPECT_INVALID(driver.cuMemHostRegister_v2(nullptr, 16, 0));
  EXPECT_INVALID(driver.cuMemHostRegister_v2(mine.data(), 0, 0));
  EXPECT_INVALID(driver.cuMemHostUnregister(nullptr));
}

TEST_F(Memory, endsWithItsContext) {
  CUcontext other = nullptr;
  CUdeviceptr p = 0;
  ASSERT_OK(driver.cuCtxCreate_v2(&other, 0, 1));
  ASSERT_OK(driver.cuMemAlloc_v2(&p, 4096));
  ASSERT_OK(driver.cuCtxDestroy_v2(other));
  EXPECT_EQ(driver.cuMemGetAddressRange_v2(nullptr, nullptr, p), CUDA_ERROR_NOT_FOUND);
}

TEST(MemoryWithoutContext, isRefused) {
  CUdeviceptr p = 0;
  size_t size = 0;
  ASSERT_OK(driver.cuInit(0));
  EXPECT_EQ(driver.cuMemAlloc_v2(&p, 16), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(driver.cuMemGetInfo_v2(&size, &size), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(driver.cuMemFree_v2(4096), CUDA_ERROR_INVALID_CONTEXT);
}

// ---------------------------------------------------------------------------------------------------
// Fills.

class Fill : public WithContext {};

template <typename T> std::vector<T> elements(const Buffer &buffer) {
  const Bytes bytes = buffer.read();
  const T *first = reinterpret_cast<const T *>(bytes.data());
  return {first, first + bytes.size() / sizeof(T)};
}

/// `set(address, value, count)` and `setRows(address, pitch, value, width, height)` of a width.
template <typename T, typename Set, typename SetRows>
void checkFill(T value, T other, const Set &set, const SetRows &setRows) {
  constexpr size_t Pitch = 16 * sizeof(T);
  Buffer buffer(4 * Pitch);
  ASSERT_OK(set(buffer.get(), value, 64));
  EXPECT_EQ(elements<T>(buffer), std::vector<T>(64, value));
  ASSERT_OK(setRows(buffer.get() + sizeof(T), Pitch, other, 3, 2));
  std::vector<T> expected(64, value);
  for (size_t at : {1, 2, 3, 17, 18, 19})
    expected[at] = other;
  EXPECT_EQ(elements<T>(buffer), expected);
  EXPECT_OK(set(buffer.get(), other, 0));
  EXPECT_OK(setRows(buffer.get(), Pitch, other, 3, 0));
  EXPECT_INVALID(set(buffer.get(), value, 65));
  EXPECT_INVALID(set(0, value, 1));
  EXPECT_INVALID(setRows(buffer.get(), 2 * sizeof(T), value, 3, 2));
  std::vector<T> mine(4);
  EXPECT_INVALID(set(addressOf(mine.data()), value, 1)) << "pageable";
  if (sizeof(T) > 1)
    EXPECT_INVALID(set(buffer.get() + 1, value, 1)) << "alignment";
  EXPECT_EQ(elements<T>(buffer), expected);
}

TEST_F(Fill, synchronous) {
  checkFill<unsigned char>(
      0xab, 3, [](auto... a) { return driver.cuMemsetD8_v2(a...); },
      [](auto... a) { return driver.cuMemsetD2D8_v2(a...); });
  checkFill<unsigned short>(
      0xabcd, 3, [](auto... a) { return driver.cuMemsetD16_v2(a...); },
      [](auto... a) { return driver.cuMemsetD2D16_v2(a...); });
  checkFill<unsigned>(
      0xabcdef01, 3, [](auto... a) { return driver.cuMemsetD32_v2(a...); },
      [](auto... a) { return driver.cuMemsetD2D32_v2(a...); });
}

TEST_F(Fill, ofTheThreadsStream) {
  checkFill<unsigned char>(
      0xab, 3, [](auto... a) { return driver.cuMemsetD8_v2_ptds(a...); },
      [](auto... a) { return driver.cuMemsetD2D8_v2_ptds(a...); });
  checkFill<unsigned short>(
      0xabcd, 3, [](auto... a) { return driver.cuMemsetD16_v2_ptds(a...); },
      [](auto... a) { return driver.cuMemsetD2D16_v2_ptds(a...); });
  checkFill<unsigned>(
      0xabcdef01, 3, [](auto... a) { return driver.cuMemsetD32_v2_ptds(a...); },
      [](auto... a) { return driver.cuMemsetD2D32_v2_ptds(a...); });
}

TEST_F(Fill, asynchronous) {
  checkFill<unsigned char>(
      0xab, 3, [](auto... a) { return driver.cuMemsetD8Async(a..., OwnStream); },
      [](auto... a) { return driver.cuMemsetD2D8Async(a..., OwnStream); });
  checkFill<unsigned short>(
      0xabcd, 3, [](auto... a) { return driver.cuMemsetD16Async(a..., OwnStream); },
      [](auto... a) { return driver.cuMemsetD2D16Async(a..., OwnStream); });
  checkFill<unsigned>(
      0xabcdef01, 3, [](auto... a) { return driver.cuMemsetD32Async(a..., OwnStream); },
      [](auto... a) { return driver.cuMemsetD2D32Async(a..., OwnStream); });
  Buffer buffer(16);
  EXPECT_EQ(driver.cuMemsetD8Async(buffer.get(), 1, 16, reinterpret_cast<CUstream>(&buffer)),
            CUDA_ERROR_INVALID_HANDLE);
}

} // namespace
