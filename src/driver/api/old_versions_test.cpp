// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First versions of functions, for which cuda.h has no names. The second ones are tested in
// tests/run/driver_linking.cu.
#include "driver/test_support.h"

namespace {

const heddle::driver::Table driver = exportedTable();

TEST(OldVersions, linkAsTheNewOnes) {
  CUcontext context = nullptr;
  CUlinkState link = nullptr;
  ASSERT_EQ(driver.cuInit(0), CUDA_SUCCESS);
  ASSERT_EQ(driver.cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
  ASSERT_EQ(driver.cuCtxSetCurrent(context), CUDA_SUCCESS);
  ASSERT_EQ(driver.cuLinkCreate(0, nullptr, nullptr, &link), CUDA_SUCCESS);
  char ptx[] = ".version 8.7\n";
  EXPECT_EQ(
      driver.cuLinkAddData(link, CU_JIT_INPUT_PTX, ptx, sizeof ptx, "ptx", 0, nullptr, nullptr),
      CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(driver.cuLinkAddFile(link, CU_JIT_INPUT_CUBIN, "/nonexistent", 0, nullptr, nullptr),
            CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT_EQ(driver.cuLinkDestroy(link), CUDA_SUCCESS);
  EXPECT_EQ(driver.cuLinkDestroy(link), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver.cuLinkCreate(1, nullptr, nullptr, &link), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver.cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(driver.cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
}

TEST(OldVersions, sayWhat32BitsCan) {
  unsigned bytes = 0;
  ASSERT_EQ(driver.cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(driver.cuDeviceTotalMem(&bytes, 0), CUDA_SUCCESS);
  EXPECT_GT(bytes, 1u << 30);
  EXPECT_EQ(driver.cuDeviceTotalMem(&bytes, 99), CUDA_ERROR_INVALID_DEVICE);
}

/// The third one is tested in tests/run/driver_references.cu.
TEST(OldVersions, bindAsTheNewOne) {
  CUcontext context = nullptr;
  CUtexref reference = nullptr;
  CUdeviceptr memory = 0, bound = 0;
  size_t pitch = 0;
  ASSERT_EQ(driver.cuInit(0), CUDA_SUCCESS);
  ASSERT_EQ(driver.cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
  ASSERT_EQ(driver.cuCtxSetCurrent(context), CUDA_SUCCESS);
  ASSERT_EQ(driver.cuMemAllocPitch_v2(&memory, &pitch, 16, 16, 4), CUDA_SUCCESS);
  ASSERT_EQ(driver.cuTexRefCreate(&reference), CUDA_SUCCESS);
  const CUDA_ARRAY_DESCRIPTOR shape = {16, 16, CU_AD_FORMAT_UNSIGNED_INT8, 1};
  EXPECT_EQ(driver.cuTexRefSetAddress2D_v2(reference, &shape, memory, pitch), CUDA_SUCCESS);
  EXPECT_EQ(driver.cuTexRefGetAddress_v2(&bound, reference), CUDA_SUCCESS);
  EXPECT_EQ(bound, memory);
  EXPECT_EQ(driver.cuTexRefSetAddress2D_v2(reference, nullptr, memory, pitch),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver.cuTexRefDestroy(reference), CUDA_SUCCESS);
  EXPECT_EQ(driver.cuMemFree_v2(memory), CUDA_SUCCESS);
  EXPECT_EQ(driver.cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(driver.cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
}

} // namespace
