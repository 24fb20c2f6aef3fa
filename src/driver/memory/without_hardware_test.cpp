// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/context_support.h"

#include <string>

#include <unistd.h>

namespace {

class WithoutHardware : public WithContext {};

constexpr auto NotSupported = CUDA_ERROR_NOT_SUPPORTED;

int attribute(CUdevice_attribute which) {
  int value = -1;
  EXPECT_OK(driver.cuDeviceGetAttribute(&value, which, 0));
  return value;
}

TEST_F(WithoutHardware, noMulticast) {
  CUmulticastObjectProp properties = {};
  properties.numDevices = 1;
  properties.size = 2 << 20;
  CUmemGenericAllocationHandle handle = 0;
  size_t bytes = 0;
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED), 0);
  EXPECT_EQ(driver.cuMulticastGetGranularity(&bytes, &properties, CU_MULTICAST_GRANULARITY_MINIMUM),
            NotSupported);
  EXPECT_EQ(driver.cuMulticastCreate(&handle, &properties), NotSupported);
  EXPECT_EQ(driver.cuMulticastAddDevice(handle, 0), NotSupported);
  EXPECT_EQ(driver.cuMulticastBindMem(handle, 0, handle, 0, properties.size, 0), NotSupported);
  EXPECT_EQ(driver.cuMulticastBindAddr(handle, 0, 0, properties.size, 0), NotSupported);
  EXPECT_EQ(driver.cuMulticastUnbind(handle, 0, 0, properties.size), NotSupported);
}

TEST_F(WithoutHardware, noEngineThatDecompresses) {
  CUmemDecompressParams part = {};
  size_t failed = 0;
  EXPECT_EQ(driver.cuMemBatchDecompressAsync(&part, 1, 0, &failed, nullptr), NotSupported);
}

TEST_F(WithoutHardware, noBuffersForOtherCards) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  CUdeviceptr p = 0;
  int file = -1;
  ASSERT_OK(driver.cuMemAlloc_v2(&p, 2 * page));
  const auto ask = [&](void *out, CUdeviceptr at, size_t bytes, CUmemRangeHandleType type,
                       unsigned long long flags = 0) {
    return driver.cuMemGetHandleForAddressRange(out, at, bytes, type, flags);
  };
  constexpr auto DmaBuf = CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD;
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED), 0);
  EXPECT_EQ(ask(&file, p, 2 * page, DmaBuf), NotSupported);
  EXPECT_EQ(ask(&file, p, page, DmaBuf, 1), NotSupported);
  EXPECT_INVALID(ask(nullptr, p, page, DmaBuf));
  EXPECT_INVALID(ask(&file, p + 8, page, DmaBuf));
  EXPECT_INVALID(ask(&file, p, page + 8, DmaBuf));
  EXPECT_INVALID(ask(&file, p, 3 * page, DmaBuf));
  EXPECT_INVALID(ask(&file, p, 0, DmaBuf));
  EXPECT_INVALID(ask(&file, 0, page, DmaBuf));
  EXPECT_INVALID(ask(&file, p, page, CUmemRangeHandleType(99)));
  EXPECT_INVALID(ask(&file, p, page, DmaBuf, 8));
  EXPECT_OK(driver.cuMemFree_v2(p));
}

/// Other processes are not stopped; a process that there is not gets an H200's code.
TEST(Checkpoints, areRefusedByName) {
  ASSERT_OK(driver.cuInit(0));
  EXPECT_EQ(driver.cuCheckpointProcessLock(0, nullptr), CUDA_ERROR_OPERATING_SYSTEM);
  EXPECT_EQ(driver.cuCheckpointProcessUnlock(-1, nullptr), CUDA_ERROR_OPERATING_SYSTEM);
  EXPECT_EQ(driver.cuCheckpointProcessCheckpoint(0, nullptr), CUDA_ERROR_OPERATING_SYSTEM);
  EXPECT_EQ(driver.cuCheckpointProcessRestore(0, nullptr), CUDA_ERROR_OPERATING_SYSTEM);
  EXPECT_INVALID(driver.cuCheckpointProcessGetState(0, nullptr));
  EXPECT_INVALID(driver.cuCheckpointProcessGetRestoreThreadId(0, nullptr));
  testing::internal::CaptureStderr();
  EXPECT_EQ(driver.cuCheckpointProcessLock(getpid(), nullptr), NotSupported);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("cuCheckpointProcessLock"),
            std::string::npos);
}

} // namespace
