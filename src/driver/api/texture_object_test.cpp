// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels read of texture objects is in tests/run/driver_programs.cu.
#include "runtime/test_support.h"

#include "cuda.h"

#include <cstring>

HEDDLE_TEST_DEVICES("h200")

namespace {

class Textures : public testing::Test {
protected:
  void SetUp() override {
    const cudaChannelFormatDesc bytes = {8, 8, 8, 8, cudaChannelFormatKindUnsigned};
    ASSERT_OK(cudaMallocArray(&array, &bytes, 32, 16, cudaArraySurfaceLoadStore));
    ASSERT_OK(cudaMalloc(&memory, 4096));
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = reinterpret_cast<CUarray>(array);
    settings.addressMode[0] = CU_TR_ADDRESS_MODE_MIRROR;
    settings.addressMode[1] = CU_TR_ADDRESS_MODE_BORDER;
    settings.filterMode = CU_TR_FILTER_MODE_LINEAR;
    settings.flags = CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB;
    settings.maxAnisotropy = 4;
    settings.mipmapLevelBias = 0.5f;
    settings.borderColor[2] = 0.25f;
  }
  void TearDown() override {
    EXPECT_OK(cudaFreeArray(array));
    EXPECT_OK(cudaFree(memory));
  }
  CUresult create() { return cuTexObjectCreate(&object, &resource, &settings, nullptr); }

  cudaArray_t array = nullptr;
  void *memory = nullptr;
  CUDA_RESOURCE_DESC resource = {};
  CUDA_TEXTURE_DESC settings = {};
  CUtexObject object = 0;
};

TEST_F(Textures, tellWhatTheyWereMadeOf) {
  ASSERT_EQ(create(), CUDA_SUCCESS);
  CUDA_RESOURCE_DESC of = {};
  EXPECT_EQ(cuTexObjectGetResourceDesc(&of, object), CUDA_SUCCESS);
  EXPECT_EQ(of.resType, CU_RESOURCE_TYPE_ARRAY);
  EXPECT_EQ(of.res.array.hArray, resource.res.array.hArray);
  CUDA_TEXTURE_DESC with = {};
  EXPECT_EQ(cuTexObjectGetTextureDesc(&with, object), CUDA_SUCCESS);
  EXPECT_EQ(std::memcmp(&with, &settings, sizeof with), 0);
  EXPECT_EQ(cuTexObjectDestroy(object), CUDA_SUCCESS);
  EXPECT_EQ(cuTexObjectGetResourceDesc(&of, object), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuTexObjectDestroy(object), CUDA_SUCCESS); // as on an H200
}

/// Integers are promoted unless the flag says otherwise; then they cannot be filtered.
TEST_F(Textures, readIntegersWhereTheFlagSaysSo) {
  settings.flags = CU_TRSF_READ_AS_INTEGER;
  EXPECT_EQ(create(), CUDA_ERROR_INVALID_VALUE);
  settings.filterMode = CU_TR_FILTER_MODE_POINT;
  ASSERT_EQ(create(), CUDA_SUCCESS);
  cudaTextureDesc same;
  EXPECT_OK(cudaGetTextureObjectTextureDesc(&same, object));
  EXPECT_EQ(same.readMode, cudaReadModeElementType);
  CUDA_TEXTURE_DESC with = {};
  EXPECT_EQ(cuTexObjectGetTextureDesc(&with, object), CUDA_SUCCESS);
  EXPECT_EQ(with.flags, unsigned(CU_TRSF_READ_AS_INTEGER));
  EXPECT_EQ(cuTexObjectDestroy(object), CUDA_SUCCESS);
}

TEST_F(Textures, readLinearAndPitchedMemory) {
  settings = {};
  resource = {};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear.devPtr = reinterpret_cast<CUdeviceptr>(memory);
  resource.res.linear.format = CU_AD_FORMAT_HALF;
  resource.res.linear.numChannels = 2;
  resource.res.linear.sizeInBytes = 4096;
  ASSERT_EQ(create(), CUDA_SUCCESS);
  CUDA_RESOURCE_DESC of = {};
  EXPECT_EQ(cuTexObjectGetResourceDesc(&of, object), CUDA_SUCCESS);
  EXPECT_EQ(std::memcmp(&of, &resource, sizeof of), 0);
  EXPECT_EQ(cuTexObjectDestroy(object), CUDA_SUCCESS);

  resource = {};
  resource.resType = CU_RESOURCE_TYPE_PITCH2D;
  resource.res.pitch2D.devPtr = reinterpret_cast<CUdeviceptr>(memory);
  resource.res.pitch2D.format = CU_AD_FORMAT_SIGNED_INT32;
  resource.res.pitch2D.numChannels = 1;
  resource.res.pitch2D.width = 16;
  resource.res.pitch2D.height = 8;
  resource.res.pitch2D.pitchInBytes = 256;
  ASSERT_EQ(create(), CUDA_SUCCESS);
  EXPECT_EQ(cuTexObjectGetResourceDesc(&of, object), CUDA_SUCCESS);
  EXPECT_EQ(std::memcmp(&of, &resource, sizeof of), 0);
  EXPECT_EQ(cuTexObjectDestroy(object), CUDA_SUCCESS);
  resource.res.pitch2D.numChannels = 3;
  EXPECT_EQ(create(), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Textures, haveViews) {
  CUDA_RESOURCE_VIEW_DESC view = {};
  view.format = CU_RES_VIEW_FORMAT_UINT_1X32;
  view.width = 32;
  view.height = 16;
  settings = {};
  ASSERT_EQ(cuTexObjectCreate(&object, &resource, &settings, &view), CUDA_SUCCESS);
  CUDA_RESOURCE_VIEW_DESC found = {};
  EXPECT_EQ(cuTexObjectGetResourceViewDesc(&found, object), CUDA_SUCCESS);
  EXPECT_EQ(std::memcmp(&found, &view, sizeof found), 0);
  EXPECT_EQ(cuTexObjectDestroy(object), CUDA_SUCCESS);
  view.width = 31;
  EXPECT_EQ(cuTexObjectCreate(&object, &resource, &settings, &view), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Textures, areRefused) {
  EXPECT_EQ(cuTexObjectCreate(nullptr, &resource, &settings, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuTexObjectCreate(&object, nullptr, &settings, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuTexObjectCreate(&object, &resource, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  settings.flags = 0x1000;
  EXPECT_EQ(create(), CUDA_ERROR_INVALID_VALUE);
  settings.flags = 0;
  resource.flags = 1;
  EXPECT_EQ(create(), CUDA_ERROR_INVALID_VALUE);
  resource.flags = 0;
  resource.res.array.hArray = reinterpret_cast<CUarray>(memory);
  EXPECT_EQ(create(), CUDA_ERROR_INVALID_HANDLE);
  resource.resType = static_cast<CUresourcetype>(9);
  EXPECT_EQ(create(), CUDA_ERROR_INVALID_VALUE);
  CUDA_TEXTURE_DESC with;
  CUDA_RESOURCE_VIEW_DESC view;
  EXPECT_EQ(cuTexObjectGetTextureDesc(&with, 1234), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuTexObjectGetResourceViewDesc(&view, 1234), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuTexObjectGetResourceDesc(nullptr, object), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Textures, haveSurfacesBesideThem) {
  CUsurfObject surface = 0;
  ASSERT_EQ(cuSurfObjectCreate(&surface, &resource), CUDA_SUCCESS);
  CUDA_RESOURCE_DESC of = {};
  EXPECT_EQ(cuSurfObjectGetResourceDesc(&of, surface), CUDA_SUCCESS);
  EXPECT_EQ(of.res.array.hArray, resource.res.array.hArray);
  EXPECT_EQ(cuSurfObjectDestroy(surface), CUDA_SUCCESS);
  EXPECT_EQ(cuSurfObjectGetResourceDesc(&of, surface), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuSurfObjectCreate(nullptr, &resource), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuSurfObjectCreate(&surface, nullptr), CUDA_ERROR_INVALID_VALUE);
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear = {};
  EXPECT_EQ(cuSurfObjectCreate(&surface, &resource), CUDA_ERROR_INVALID_VALUE);
}

} // namespace
