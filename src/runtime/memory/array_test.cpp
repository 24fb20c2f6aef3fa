// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/test_support.h"

HEDDLE_TEST_DEVICES("cpu")

namespace {

constexpr cudaChannelFormatDesc Bytes4 = {8, 8, 8, 8, cudaChannelFormatKindUnsigned};

class ArrayTest : public testing::Test {
protected:
  void SetUp() override { ASSERT_OK(cudaMallocArray(&array_, &Bytes4, 16, 8, 0)); } // 64 bytes x 8
  void TearDown() override { EXPECT_OK(cudaFreeArray(array_)); }
  void fill(const Bytes &data) {
    ASSERT_OK(cudaMemcpy2DToArray(array_, 0, 0, data.data(), 64, 64, 8, cudaMemcpyHostToDevice));
  }
  Bytes contents() {
    Bytes back(512);
    EXPECT_OK(cudaMemcpy2DFromArray(back.data(), 64, array_, 0, 0, 64, 8, cudaMemcpyDeviceToHost));
    return back;
  }
  cudaArray_t array_ = nullptr;
};

TEST_F(ArrayTest, describesItself) {
  cudaChannelFormatDesc format;
  cudaExtent extent;
  unsigned flags = 9;
  EXPECT_OK(cudaArrayGetInfo(&format, &extent, &flags, array_));
  EXPECT_EQ(format.w, 8);
  EXPECT_EQ(extent.width, 16u);
  EXPECT_EQ(extent.height, 8u);
  EXPECT_EQ(extent.depth, 0u);
  EXPECT_EQ(flags, 0u);
  EXPECT_OK(cudaGetChannelDesc(&format, array_));
  EXPECT_EQ(format.f, cudaChannelFormatKindUnsigned);
  cudaArrayMemoryRequirements needs;
  EXPECT_CUDA(cudaErrorInvalidValue, cudaArrayGetMemoryRequirements(&needs, array_, 0));
  EXPECT_CUDA(cudaErrorInvalidResourceHandle, cudaArrayGetInfo(&format, &extent, &flags, nullptr));
}

TEST_F(ArrayTest, copies) {
  const Bytes data = pattern(512);
  fill(data);
  EXPECT_EQ(contents(), data);
  Bytes part(20 * 3);
  EXPECT_OK(cudaMemcpy2DFromArrayAsync(part.data(), 20, array_, 8, 2, 20, 3, cudaMemcpyDeviceToHost,
                                       nullptr));
  for (size_t y = 0; y < 3; ++y)
    for (size_t x = 0; x < 20; ++x)
      ASSERT_EQ(part[y * 20 + x], data[(y + 2) * 64 + x + 8]);
  EXPECT_OK(cudaMemcpy2DToArrayAsync(array_, 0, 5, part.data(), 20, 20, 3, cudaMemcpyHostToDevice,
                                     nullptr));
  const Bytes after = contents();
  EXPECT_EQ(after[7 * 64 + 19], data[4 * 64 + 27]);
  EXPECT_EQ(after[7 * 64 + 20], data[7 * 64 + 20]);
  EXPECT_OK(cudaMemcpy2DArrayToArray(array_, 32, 0, array_, 0, 5, 20, 3, cudaMemcpyDeviceToDevice));
  EXPECT_EQ(contents()[32], data[2 * 64 + 8]);
}

TEST_F(ArrayTest, flatCopiesRunOverRows) {
  const Bytes data = pattern(512);
  EXPECT_OK(cudaMemcpyToArray(array_, 0, 0, data.data(), 512, cudaMemcpyHostToDevice));
  EXPECT_EQ(contents(), data);
  Bytes part(100);
  EXPECT_OK(cudaMemcpyFromArray(part.data(), array_, 32, 1, 100, cudaMemcpyDeviceToHost));
  EXPECT_EQ(part, pattern(100, 96));
  EXPECT_OK(
      cudaMemcpyFromArrayAsync(part.data(), array_, 0, 0, 100, cudaMemcpyDeviceToHost, nullptr));
  EXPECT_EQ(part, pattern(100));
  EXPECT_OK(
      cudaMemcpyToArrayAsync(array_, 60, 6, part.data(), 68, cudaMemcpyHostToDevice, nullptr));
  EXPECT_EQ(contents()[511], 67);
  EXPECT_OK(cudaMemcpyArrayToArray(array_, 0, 0, array_, 60, 6, 68, cudaMemcpyDeviceToDevice));
  EXPECT_EQ(contents()[67], 67);
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaMemcpyToArray(array_, 0, 7, data.data(), 65, cudaMemcpyHostToDevice));
  EXPECT_CUDA(cudaErrorInvalidMemcpyDirection,
              cudaMemcpyFromArray(part.data(), array_, 0, 0, 8, cudaMemcpyHostToDevice));
}

TEST_F(ArrayTest, rowsWithoutPitch) {
  const Bytes row = pattern(64);
  EXPECT_OK(cudaMemcpy2DToArray(array_, 0, 3, row.data(), 0, 64, 1, cudaMemcpyHostToDevice));
  Bytes back(64);
  EXPECT_OK(cudaMemcpy2DFromArray(back.data(), 0, array_, 0, 3, 64, 1, cudaMemcpyDeviceToHost));
  EXPECT_EQ(back, row);
  EXPECT_CUDA(cudaErrorInvalidPitchValue,
              cudaMemcpy2DToArray(array_, 0, 0, row.data(), 0, 32, 2, cudaMemcpyHostToDevice));
}

TEST_F(ArrayTest, boundsAndDirections) {
  Bytes host(512);
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaMemcpy2DToArray(array_, 4, 0, host.data(), 64, 64, 8, cudaMemcpyHostToDevice));
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaMemcpy2DToArray(array_, 0, 1, host.data(), 64, 64, 8, cudaMemcpyHostToDevice));
  EXPECT_CUDA(cudaErrorInvalidMemcpyDirection,
              cudaMemcpy2DToArray(array_, 0, 0, host.data(), 64, 64, 8, cudaMemcpyDeviceToHost));
  EXPECT_CUDA(cudaErrorInvalidPitchValue,
              cudaMemcpy2DToArray(array_, 0, 0, host.data(), 32, 64, 8, cudaMemcpyHostToDevice));
  EXPECT_CUDA(cudaErrorInvalidResourceHandle,
              cudaMemcpy2DToArray(nullptr, 0, 0, host.data(), 64, 64, 8, cudaMemcpyHostToDevice));
}

TEST(Array, formats) {
  struct {
    cudaChannelFormatDesc format;
    bool good;
  } cases[] = {{{32, 0, 0, 0, cudaChannelFormatKindFloat}, true},
               {{16, 16, 0, 0, cudaChannelFormatKindFloat}, true},
               {{8, 0, 0, 0, cudaChannelFormatKindSigned}, true},
               {{32, 32, 32, 32, cudaChannelFormatKindFloat}, true},
               {{32, 32, 32, 0, cudaChannelFormatKindFloat}, false},
               {{32, 16, 0, 0, cudaChannelFormatKindFloat}, false},
               {{8, 8, 8, 8, cudaChannelFormatKindFloat}, false},
               {{24, 0, 0, 0, cudaChannelFormatKindSigned}, false},
               {{0, 8, 0, 0, cudaChannelFormatKindSigned}, false},
               {{64, 0, 0, 0, cudaChannelFormatKindUnsigned}, false}};
  for (auto &c : cases) {
    cudaArray_t array;
    EXPECT_EQ(cudaMallocArray(&array, &c.format, 4, 4, 0),
              c.good ? cudaSuccess : cudaErrorInvalidChannelDescriptor);
    if (c.good)
      EXPECT_OK(cudaFreeArray(array));
  }
  cudaGetLastError();
  cudaChannelFormatDesc made = cudaCreateChannelDesc(1, 2, 3, 4, cudaChannelFormatKindSigned);
  EXPECT_EQ(made.x + made.y * 10 + made.z * 100 + made.w * 1000, 4321);
}

TEST(Array, extents) {
  struct {
    cudaExtent extent;
    unsigned flags;
    cudaError_t error;
  } cases[] = {{{64, 0, 0}, 0, cudaSuccess},
               {{64, 32, 0}, 0, cudaSuccess},
               {{64, 32, 16}, 0, cudaSuccess},
               {{0, 32, 0}, 0, cudaErrorInvalidValue},
               {{64, 0, 4}, 0, cudaErrorInvalidValue},
               {{64, 0, 4}, cudaArrayLayered, cudaSuccess},
               {{64, 32, 0}, cudaArrayLayered, cudaErrorInvalidValue},
               {{64, 64, 6}, cudaArrayCubemap, cudaSuccess},
               {{64, 32, 6}, cudaArrayCubemap, cudaErrorInvalidValue},
               {{64, 64, 5}, cudaArrayCubemap, cudaErrorInvalidValue},
               {{64, 64, 12}, cudaArrayCubemap | cudaArrayLayered, cudaSuccess},
               {{1 << 20, 0, 0}, 0, cudaErrorInvalidValue},
               {{64, 32, 0}, 0x1000, cudaErrorInvalidValue}};
  for (auto &c : cases) {
    cudaArray_t array = nullptr;
    EXPECT_EQ(cudaMalloc3DArray(&array, &Bytes4, c.extent, c.flags), c.error)
        << c.extent.width << " " << c.extent.height << " " << c.extent.depth << " " << c.flags;
    EXPECT_OK(cudaFreeArray(array));
  }
  cudaGetLastError();
}

TEST(Array, threeDimensions) {
  cudaArray_t array;
  ASSERT_OK(cudaMalloc3DArray(&array, &Bytes4, {4, 3, 2}, 0));
  Bytes data = pattern(4 * 4 * 3 * 2), back(data.size());
  cudaMemcpy3DParms p = {};
  p.srcPtr = {data.data(), 16, 16, 3};
  p.dstArray = array;
  p.extent = {4, 3, 2}; // elements
  p.kind = cudaMemcpyHostToDevice;
  EXPECT_OK(cudaMemcpy3D(&p));
  cudaMemcpy3DParms q = {};
  q.srcArray = array;
  q.srcPos = {1, 1, 1};
  q.dstPtr = {back.data(), 16, 16, 3};
  q.extent = {3, 2, 1};
  q.kind = cudaMemcpyDeviceToHost;
  EXPECT_OK(cudaMemcpy3D(&q));
  for (size_t y = 0; y < 2; ++y)
    for (size_t x = 0; x < 12; ++x)
      ASSERT_EQ(back[y * 16 + x], data[(3 + y + 1) * 16 + x + 4]);
  q.kind = cudaMemcpyHostToDevice;
  EXPECT_CUDA(cudaErrorInvalidMemcpyDirection, cudaMemcpy3D(&q));
  EXPECT_OK(cudaFreeArray(array));
}

TEST(Array, mipmaps) {
  cudaMipmappedArray_t mipmap;
  ASSERT_OK(cudaMallocMipmappedArray(&mipmap, &Bytes4, {16, 4, 0}, 9, 0)); // at most 5 levels
  cudaArray_t level;
  cudaExtent extent;
  EXPECT_OK(cudaGetMipmappedArrayLevel(&level, mipmap, 4));
  EXPECT_OK(cudaArrayGetInfo(nullptr, &extent, nullptr, level));
  EXPECT_EQ(extent.width, 1u);
  EXPECT_EQ(extent.height, 1u);
  EXPECT_OK(cudaGetMipmappedArrayLevel(&level, mipmap, 1));
  const Bytes data = pattern(8 * 4 * 2);
  EXPECT_OK(cudaMemcpy2DToArray(level, 0, 0, data.data(), 32, 32, 2, cudaMemcpyHostToDevice));
  Bytes back(64);
  EXPECT_OK(cudaMemcpy2DFromArray(back.data(), 32, level, 0, 0, 32, 2, cudaMemcpyDeviceToHost));
  EXPECT_EQ(back, data);
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGetMipmappedArrayLevel(&level, mipmap, 5));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaFreeArray(level));
  cudaArrayMemoryRequirements needs;
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMipmappedArrayGetMemoryRequirements(&needs, mipmap, 0));
  EXPECT_OK(cudaFreeMipmappedArray(mipmap));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaFreeMipmappedArray(mipmap));
}

} // namespace
