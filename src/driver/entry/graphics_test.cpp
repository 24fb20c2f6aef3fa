// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cannot be had without graphics.
#include "driver/context_support.h"

namespace {

class Graphics : public WithContext {};

constexpr auto OperatingSystem = CUDA_ERROR_OPERATING_SYSTEM;

TEST_F(Graphics, hasNoOpenGL) {
  unsigned count = 7;
  CUdevice devices[2];
  CUgraphicsResource resource;
  EXPECT_EQ(driver.cuGLGetDevices_v2(&count, devices, 2, CU_GL_DEVICE_LIST_ALL),
            CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
  EXPECT_EQ(driver.cuGLGetDevices(&count, devices, 2, CU_GL_DEVICE_LIST_ALL),
            CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
  EXPECT_INVALID(driver.cuGLGetDevices_v2(nullptr, devices, 2, CU_GL_DEVICE_LIST_ALL));
  EXPECT_INVALID(driver.cuGLGetDevices_v2(&count, nullptr, 2, CU_GL_DEVICE_LIST_ALL));
  EXPECT_INVALID(driver.cuGLGetDevices_v2(&count, devices, 2, static_cast<CUGLDeviceList>(0)));
  EXPECT_EQ(driver.cuGraphicsGLRegisterBuffer(&resource, 1, 0), OperatingSystem);
  EXPECT_INVALID(driver.cuGraphicsGLRegisterBuffer(nullptr, 1, 0));
  EXPECT_INVALID(driver.cuGraphicsGLRegisterBuffer(&resource, 1, 64));
  EXPECT_EQ(driver.cuGraphicsGLRegisterImage(&resource, 1, 0x0de1, 0), OperatingSystem);
  EXPECT_INVALID(driver.cuGraphicsGLRegisterImage(nullptr, 1, 0x0de1, 0));
  EXPECT_INVALID(driver.cuGraphicsGLRegisterImage(&resource, 1, 0x0de1, 64));
}

TEST_F(Graphics, hasNoBuffersOfTheOldInterface) {
  CUdeviceptr p;
  size_t bytes;
  CUcontext shared = nullptr;
  EXPECT_EQ(driver.cuGLInit(), OperatingSystem);
  EXPECT_EQ(driver.cuGLCtxCreate_v2(&shared, 0, 0), CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
  EXPECT_EQ(driver.cuGLCtxCreate(&shared, 0, 9), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_INVALID(driver.cuGLCtxCreate(nullptr, 0, 0));
  EXPECT_EQ(driver.cuGLRegisterBufferObject(1), OperatingSystem);
  EXPECT_EQ(driver.cuGLMapBufferObject_v2(&p, &bytes, 1), CUDA_ERROR_MAP_FAILED);
  EXPECT_INVALID(driver.cuGLMapBufferObject_v2(nullptr, &bytes, 1));
  EXPECT_EQ(driver.cuGLMapBufferObjectAsync_v2(&p, &bytes, 1, nullptr), CUDA_ERROR_MAP_FAILED);
  EXPECT_EQ(driver.cuGLUnmapBufferObject(1), CUDA_ERROR_UNMAP_FAILED);
  EXPECT_EQ(driver.cuGLUnmapBufferObjectAsync(1, nullptr), CUDA_ERROR_UNMAP_FAILED);
  EXPECT_EQ(driver.cuGLUnregisterBufferObject(1), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver.cuGLSetBufferObjectMapFlags(1, 0), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_INVALID(driver.cuGLSetBufferObjectMapFlags(1, 9));
}

TEST_F(Graphics, hasNoResources) {
  CUgraphicsResource resource = nullptr;
  CUdeviceptr p;
  size_t bytes;
  CUarray array;
  CUmipmappedArray mipmap;
  EXPECT_EQ(driver.cuGraphicsMapResources(1, &resource, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_INVALID(driver.cuGraphicsMapResources(0, &resource, nullptr));
  EXPECT_INVALID(driver.cuGraphicsMapResources(1, nullptr, nullptr));
  EXPECT_EQ(driver.cuGraphicsUnmapResources(1, &resource, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_INVALID(driver.cuGraphicsUnmapResources(0, &resource, nullptr));
  EXPECT_EQ(driver.cuGraphicsResourceSetMapFlags(resource, 0), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver.cuGraphicsResourceSetMapFlags_v2(resource, 0), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver.cuGraphicsResourceSetMapFlags_v2(resource, 3), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver.cuGraphicsUnregisterResource(resource), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver.cuGraphicsResourceGetMappedPointer_v2(&p, &bytes, resource),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver.cuGraphicsSubResourceGetMappedArray(&array, resource, 0, 0),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver.cuGraphicsResourceGetMappedMipmappedArray(&mipmap, resource),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver.cuGraphicsResourceGetMappedMipmappedArray(nullptr, resource),
            CUDA_ERROR_INVALID_HANDLE);
}

} // namespace
