// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of older and newer toolkits, whose names cuda.h does not give.
#include "driver/test_support.h"

#include <cstdlib>
#include <cstring>

namespace {

const heddle::driver::Table driver = exportedTable();

#define EXPECT_CU(call) EXPECT_EQ(call, CUDA_SUCCESS)

TEST(Versions, contexts) {
  setenv("HEDDLE_MACHINE", "", 1);
  setenv("HEDDLE_DEVICE", "h200", 1);
  ASSERT_EQ(driver.cuInit(0), CUDA_SUCCESS);
  CUuuid a, b;
  EXPECT_CU(driver.cuDeviceGetUuid(&a, 0));
  EXPECT_CU(driver.cuDeviceGetUuid_v2(&b, 0));
  EXPECT_EQ(std::memcmp(&a, &b, sizeof a), 0);
  CUcontext first = nullptr, second = nullptr, popped = nullptr;
  EXPECT_CU(driver.cuCtxCreate(&first, 0, 0));
  EXPECT_CU(driver.cuCtxPopCurrent(&popped));
  EXPECT_EQ(popped, first);
  EXPECT_EQ(driver.cuCtxPushCurrent(first), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_CU(driver.cuCtxPushCurrent_v2(first));
  CUexecAffinityParam affinity = {};
  EXPECT_EQ(driver.cuCtxCreate_v3(&second, &affinity, 1, 0, 0),
            CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
  EXPECT_EQ(driver.cuCtxCreate_v3(&second, nullptr, 1, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(driver.cuCtxCreate_v3(&second, nullptr, 0, 0, 0));
  EXPECT_CU(driver.cuCtxDestroy_v2(second));
  CUctxCreateParams params = {};
  EXPECT_CU(driver.cuCtxCreate_v4(&second, &params, 0, 0));
  params.numExecAffinityParams = 1;
  EXPECT_EQ(driver.cuCtxCreate_v4(&second, &params, 0, 0), CUDA_ERROR_NOT_SUPPORTED);
  CUdevice device = -1;
  EXPECT_CU(driver.cuCtxGetDevice_v2(&device, first));
  EXPECT_EQ(device, 0);
  EXPECT_CU(driver.cuCtxSynchronize_v2(first));
  EXPECT_CU(driver.cuCtxSynchronize_v2(nullptr));
  EXPECT_CU(driver.cuCtxDestroy_v2(second));
  EXPECT_EQ(driver.cuCtxDestroy(first), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_CU(driver.cuCtxDestroy_v2(first));
  EXPECT_EQ(driver.cuCtxSynchronize_v2(first), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(Versions, primaryContexts) {
  ASSERT_EQ(driver.cuInit(0), CUDA_SUCCESS);
  CUcontext context = nullptr;
  unsigned flags = 0;
  int active = 0;
  EXPECT_CU(driver.cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_YIELD));
  EXPECT_CU(driver.cuDevicePrimaryCtxRetain(&context, 0));
  EXPECT_CU(driver.cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT_EQ(flags, unsigned(CU_CTX_SCHED_YIELD));
  EXPECT_CU(driver.cuDevicePrimaryCtxReset(0));
  EXPECT_CU(driver.cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT_EQ(active, 0);
  EXPECT_EQ(driver.cuDevicePrimaryCtxRelease_v2(0), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_CU(driver.cuDevicePrimaryCtxRelease(0)); // the first version does not tell
}

} // namespace
