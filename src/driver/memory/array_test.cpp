// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/context_support.h"

namespace {

class Arrays : public WithContext {};

CUDA_ARRAY3D_DESCRIPTOR shapeOf(size_t width, size_t height, size_t depth, CUarray_format format,
                                unsigned channels, unsigned flags = 0) {
  return {width, height, depth, format, channels, flags};
}

TEST_F(Arrays, haveTheFormatThatWasAskedFor) {
  struct Row {
    CUarray_format format;
    unsigned channels;
  };
  const Row rows[] = {
      {CU_AD_FORMAT_UNSIGNED_INT8, 1},  {CU_AD_FORMAT_UNSIGNED_INT16, 2},
      {CU_AD_FORMAT_UNSIGNED_INT32, 4}, {CU_AD_FORMAT_SIGNED_INT8, 4},
      {CU_AD_FORMAT_SIGNED_INT16, 1},   {CU_AD_FORMAT_SIGNED_INT32, 2},
      {CU_AD_FORMAT_HALF, 4},           {CU_AD_FORMAT_FLOAT, 2},
      {CU_AD_FORMAT_UNORM_INT8X1, 1},   {CU_AD_FORMAT_UNORM_INT16X2, 2},
      {CU_AD_FORMAT_SNORM_INT8X4, 4},   {CU_AD_FORMAT_SNORM_INT16X4, 4},
  };
  for (const Row &row : rows) {
    SCOPED_TRACE(int(row.format));
    CUarray array = nullptr;
    CUDA_ARRAY_DESCRIPTOR told = {};
    const CUDA_ARRAY_DESCRIPTOR shape = {64, 32, row.format, row.channels};
    ASSERT_OK(driver.cuArrayCreate_v2(&array, &shape));
    EXPECT_OK(driver.cuArrayGetDescriptor_v2(&told, array));
    EXPECT_EQ(told.Format, row.format);
    EXPECT_EQ(told.NumChannels, row.channels);
    EXPECT_EQ(told.Width, 64u);
    EXPECT_EQ(told.Height, 32u);
    EXPECT_OK(driver.cuArrayDestroy(array));
    EXPECT_EQ(driver.cuArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
  }
}

/// A destroyed handle does not name what is made next.
TEST_F(Arrays, doNotComeBack) {
  const CUDA_ARRAY3D_DESCRIPTOR shape = shapeOf(16, 8, 0, CU_AD_FORMAT_FLOAT, 1);
  CUarray gone = nullptr, next = nullptr;
  CUmipmappedArray goneLevels = nullptr, nextLevels = nullptr;
  ASSERT_OK(driver.cuArray3DCreate_v2(&gone, &shape));
  ASSERT_OK(driver.cuMipmappedArrayCreate(&goneLevels, &shape, 2));
  EXPECT_OK(driver.cuArrayDestroy(gone));
  EXPECT_OK(driver.cuMipmappedArrayDestroy(goneLevels));
  ASSERT_OK(driver.cuArray3DCreate_v2(&next, &shape));
  ASSERT_OK(driver.cuMipmappedArrayCreate(&nextLevels, &shape, 2));
  EXPECT_EQ(driver.cuArrayDestroy(gone), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver.cuMipmappedArrayDestroy(goneLevels), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_OK(driver.cuArrayDestroy(next));
  EXPECT_OK(driver.cuMipmappedArrayDestroy(nextLevels));
}

TEST_F(Arrays, ofThreeDimensions) {
  CUarray array = nullptr;
  CUDA_ARRAY3D_DESCRIPTOR told = {};
  const auto shape =
      shapeOf(8, 8, 12, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
  ASSERT_OK(driver.cuArray3DCreate_v2(&array, &shape));
  EXPECT_OK(driver.cuArray3DGetDescriptor_v2(&told, array));
  EXPECT_EQ(told.Depth, 12u);
  EXPECT_EQ(told.Flags, unsigned(CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP));
  CUDA_ARRAY_MEMORY_REQUIREMENTS needs = {};
  EXPECT_INVALID(driver.cuArrayGetMemoryRequirements(&needs, array, 0)) << "it has its memory";
  CUarray plane = nullptr;
  CUDA_ARRAY_SPARSE_PROPERTIES sparse = {};
  EXPECT_INVALID(driver.cuArrayGetPlane(&plane, array, 0));
  EXPECT_INVALID(driver.cuArrayGetSparseProperties(&sparse, array));
  EXPECT_OK(driver.cuArrayDestroy(array));
}

/// First versions are for contexts with addresses of 32 bits.
TEST_F(Arrays, ofVersion1) {
  CUarray array = nullptr;
  const CUDA_ARRAY_DESCRIPTOR_v1 shape = {16, 8, CU_AD_FORMAT_UNSIGNED_INT8, 4};
  const CUDA_ARRAY3D_DESCRIPTOR_v1 deep = {16, 8, 4, CU_AD_FORMAT_FLOAT, 1, 0};
  EXPECT_EQ(driver.cuArrayCreate(&array, &shape), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(driver.cuArray3DCreate(&array, &deep), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(Arrays, wrongArguments) {
  CUarray array = nullptr;
  CUDA_ARRAY_DESCRIPTOR told;
  CUDA_ARRAY3D_DESCRIPTOR toldDeep;
  const auto create = [&](const CUDA_ARRAY3D_DESCRIPTOR &shape) {
    return driver.cuArray3DCreate_v2(&array, &shape);
  };
  EXPECT_INVALID(create(shapeOf(0, 8, 0, CU_AD_FORMAT_FLOAT, 1)));
  EXPECT_INVALID(create(shapeOf(8, 8, 0, CU_AD_FORMAT_FLOAT, 3)));
  EXPECT_INVALID(create(shapeOf(8, 8, 0, CU_AD_FORMAT_FLOAT, 0)));
  EXPECT_INVALID(create(shapeOf(8, 8, 0, CUarray_format(0x77), 1)));
  EXPECT_INVALID(create(shapeOf(8, 8, 0, CU_AD_FORMAT_UNORM_INT8X2, 1)));
  EXPECT_INVALID(create(shapeOf(8, 8, 0, CU_AD_FORMAT_FLOAT, 1, 0x8000)));
  EXPECT_INVALID(create(shapeOf(8, 8, 5, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP)));
  testing::internal::CaptureStderr();
  EXPECT_EQ(create(shapeOf(8, 8, 0, CU_AD_FORMAT_BC1_UNORM, 4)), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(create(shapeOf(8, 8, 0, CU_AD_FORMAT_NV12, 3)), CUDA_ERROR_NOT_SUPPORTED);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("BC1"), said.npos);
  EXPECT_NE(said.find("176"), said.npos);
  EXPECT_INVALID(driver.cuArrayCreate_v2(&array, nullptr));
  EXPECT_INVALID(driver.cuArray3DCreate_v2(&array, nullptr));
  const auto good = shapeOf(8, 8, 0, CU_AD_FORMAT_FLOAT, 1);
  EXPECT_INVALID(driver.cuArray3DCreate_v2(nullptr, &good));
  EXPECT_EQ(driver.cuArrayDestroy(nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver.cuArrayGetDescriptor_v2(&told, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver.cuArray3DGetDescriptor_v2(&toldDeep, nullptr), CUDA_ERROR_INVALID_HANDLE);
  ASSERT_OK(create(good));
  EXPECT_INVALID(driver.cuArrayGetDescriptor_v2(nullptr, array));
  EXPECT_INVALID(driver.cuArray3DGetDescriptor_v2(nullptr, array));
  EXPECT_OK(driver.cuArrayDestroy(array));
}

TEST_F(Arrays, mipmapped) {
  CUmipmappedArray mipmap = nullptr;
  CUarray level = nullptr;
  CUDA_ARRAY3D_DESCRIPTOR told = {};
  const auto shape = shapeOf(32, 16, 0, CU_AD_FORMAT_HALF, 2);
  ASSERT_OK(driver.cuMipmappedArrayCreate(&mipmap, &shape, 3));
  ASSERT_OK(driver.cuMipmappedArrayGetLevel(&level, mipmap, 2));
  EXPECT_OK(driver.cuArray3DGetDescriptor_v2(&told, level));
  EXPECT_EQ(told.Width, 8u);
  EXPECT_EQ(told.Height, 4u);
  EXPECT_EQ(told.Format, CU_AD_FORMAT_HALF);
  EXPECT_INVALID(driver.cuMipmappedArrayGetLevel(&level, mipmap, 3));
  EXPECT_INVALID(driver.cuMipmappedArrayGetLevel(nullptr, mipmap, 0));
  EXPECT_EQ(driver.cuMipmappedArrayGetLevel(&level, nullptr, 0), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_INVALID(driver.cuArrayDestroy(level)) << "it goes with the others";
  CUDA_ARRAY_MEMORY_REQUIREMENTS needs = {};
  CUDA_ARRAY_SPARSE_PROPERTIES sparse = {};
  EXPECT_INVALID(driver.cuMipmappedArrayGetMemoryRequirements(&needs, mipmap, 0));
  EXPECT_INVALID(driver.cuMipmappedArrayGetSparseProperties(&sparse, mipmap));
  EXPECT_OK(driver.cuMipmappedArrayDestroy(mipmap));
  EXPECT_EQ(driver.cuMipmappedArrayDestroy(mipmap), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_INVALID(driver.cuMipmappedArrayCreate(nullptr, &shape, 3));
  EXPECT_INVALID(driver.cuMipmappedArrayCreate(&mipmap, nullptr, 3));
  ASSERT_OK(driver.cuMipmappedArrayCreate(&mipmap, &shape, 0)) << "one level";
  EXPECT_INVALID(driver.cuMipmappedArrayGetLevel(&level, mipmap, 1));
  EXPECT_OK(driver.cuMipmappedArrayDestroy(mipmap));
}

} // namespace
