// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cannot be had without graphics, and what other parties of a GPU would say.
#include "runtime/test_support.h"

#include "cuda_gl_interop.h"

HEDDLE_TEST_DEVICES("cpu,h200")

extern "C" cudaError_t cudaProfilerInitialize(const char *, const char *, int);

namespace {

TEST(Graphics, hasNoOpenGL) {
  unsigned count = 7;
  int devices[2];
  testing::internal::CaptureStderr();
  EXPECT_CUDA(cudaErrorInvalidGraphicsContext,
              cudaGLGetDevices(&count, devices, 2, cudaGLDeviceListAll));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "heddle: OpenGL interoperability: no OpenGL context shares with this device\n");
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGLGetDevices(nullptr, devices, 2, cudaGLDeviceListAll));
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaGLGetDevices(&count, devices, 2, static_cast<cudaGLDeviceList>(0)));
  cudaGraphicsResource *resource;
  EXPECT_CUDA(cudaErrorOperatingSystem, cudaGraphicsGLRegisterBuffer(&resource, 1, 0));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGraphicsGLRegisterBuffer(nullptr, 1, 0));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGraphicsGLRegisterBuffer(&resource, 1, 64));
  EXPECT_CUDA(cudaErrorOperatingSystem, cudaGraphicsGLRegisterImage(&resource, 1, 0x0de1, 0));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGraphicsGLRegisterImage(nullptr, 1, 0x0de1, 0));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGraphicsGLRegisterImage(&resource, 1, 0x0de1, 64));
}

TEST(Graphics, hasNoBuffersOfTheOldInterface) {
  void *p;
  EXPECT_OK(cudaGLSetGLDevice(1));
  int device;
  EXPECT_OK(cudaGetDevice(&device));
  EXPECT_EQ(device, 1);
  EXPECT_OK(cudaGLSetGLDevice(0));
  EXPECT_CUDA(cudaErrorInvalidDevice, cudaGLSetGLDevice(2));
  EXPECT_CUDA(cudaErrorOperatingSystem, cudaGLRegisterBufferObject(1));
  EXPECT_CUDA(cudaErrorMapBufferObjectFailed, cudaGLMapBufferObject(&p, 1));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGLMapBufferObject(nullptr, 1));
  EXPECT_CUDA(cudaErrorMapBufferObjectFailed, cudaGLMapBufferObjectAsync(&p, 1, nullptr));
  EXPECT_CUDA(cudaErrorUnmapBufferObjectFailed, cudaGLUnmapBufferObject(1));
  EXPECT_CUDA(cudaErrorUnmapBufferObjectFailed, cudaGLUnmapBufferObjectAsync(1, nullptr));
  EXPECT_CUDA(cudaErrorInvalidResourceHandle, cudaGLUnregisterBufferObject(1));
  EXPECT_CUDA(cudaErrorInvalidResourceHandle, cudaGLSetBufferObjectMapFlags(1, 0));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGLSetBufferObjectMapFlags(1, 9));
}

TEST(Graphics, hasNoResources) {
  cudaGraphicsResource_t resource = nullptr;
  void *p;
  size_t bytes;
  cudaArray_t array;
  cudaMipmappedArray_t mipmap;
  EXPECT_CUDA(cudaErrorInvalidResourceHandle, cudaGraphicsMapResources(1, &resource, nullptr));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGraphicsMapResources(0, &resource, nullptr));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGraphicsMapResources(1, nullptr, nullptr));
  EXPECT_CUDA(cudaErrorInvalidResourceHandle, cudaGraphicsUnmapResources(1, &resource, nullptr));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGraphicsUnmapResources(-1, &resource, nullptr));
  EXPECT_CUDA(cudaErrorInvalidResourceHandle, cudaGraphicsUnregisterResource(resource));
  EXPECT_CUDA(cudaErrorInvalidResourceHandle, cudaGraphicsResourceSetMapFlags(resource, 0));
  EXPECT_CUDA(cudaErrorInvalidResourceHandle, cudaGraphicsResourceSetMapFlags(resource, 3));
  EXPECT_CUDA(cudaErrorInvalidResourceHandle,
              cudaGraphicsResourceGetMappedPointer(&p, &bytes, resource));
  EXPECT_CUDA(cudaErrorInvalidResourceHandle,
              cudaGraphicsSubResourceGetMappedArray(&array, resource, 0, 0));
  EXPECT_CUDA(cudaErrorInvalidResourceHandle,
              cudaGraphicsResourceGetMappedMipmappedArray(&mipmap, resource));
  EXPECT_CUDA(cudaErrorInvalidResourceHandle,
              cudaGraphicsResourceGetMappedMipmappedArray(nullptr, resource));
}

TEST(Others, mayAskForNotices) {
  auto never = [](cudaAsyncNotificationInfo_t *, void *, cudaAsyncCallbackHandle_t) { FAIL(); };
  cudaAsyncCallbackHandle_t first, second;
  ASSERT_OK(cudaDeviceRegisterAsyncNotification(0, never, nullptr, &first));
  ASSERT_OK(cudaDeviceRegisterAsyncNotification(1, never, nullptr, &second));
  EXPECT_CUDA(cudaErrorInvalidDevice,
              cudaDeviceRegisterAsyncNotification(2, never, nullptr, &first));
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaDeviceRegisterAsyncNotification(0, nullptr, nullptr, &first));
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaDeviceRegisterAsyncNotification(0, never, nullptr, nullptr));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaDeviceUnregisterAsyncNotification(1, first));
  EXPECT_CUDA(cudaErrorInvalidDevice, cudaDeviceUnregisterAsyncNotification(2, first));
  EXPECT_OK(cudaDeviceUnregisterAsyncNotification(0, first));
  EXPECT_OK(cudaDeviceUnregisterAsyncNotification(1, second));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaDeviceUnregisterAsyncNotification(0, first));
}

TEST(Others, writeNothing) {
  const auto target = cudaFlushGPUDirectRDMAWritesTargetCurrentDevice;
  int supported = 1;
  EXPECT_OK(cudaDeviceGetAttribute(&supported, cudaDevAttrGPUDirectRDMASupported, 0));
  EXPECT_EQ(supported, 0);
  EXPECT_CUDA(cudaErrorNotSupported,
              cudaDeviceFlushGPUDirectRDMAWrites(target, cudaFlushGPUDirectRDMAWritesToOwner));
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaDeviceFlushGPUDirectRDMAWrites(
                  target, static_cast<cudaFlushGPUDirectRDMAWritesScope>(1)));
}

TEST(Others, haveNoTables) {
  const void *table;
  cudaUUID_t id = {};
  EXPECT_CUDA(cudaErrorSymbolNotFound, cudaGetExportTable(&table, &id));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGetExportTable(nullptr, &id));
  EXPECT_CUDA(cudaErrorNotSupported, cudaProfilerInitialize("a", "b", 0));
}

TEST(Arrays, haveOnePlaneAndAreDense) {
  cudaChannelFormatDesc format = cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindUnsigned);
  cudaArray_t array, plane;
  cudaMipmappedArray_t mipmap;
  cudaArraySparseProperties sparse;
  ASSERT_OK(cudaMallocArray(&array, &format, 8, 8));
  ASSERT_OK(cudaMallocMipmappedArray(&mipmap, &format, {8, 8, 0}, 2));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaArrayGetPlane(&plane, array, 0));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaArrayGetSparseProperties(&sparse, array));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMipmappedArrayGetSparseProperties(&sparse, mipmap));
  EXPECT_OK(cudaFreeArray(array));
  EXPECT_OK(cudaFreeMipmappedArray(mipmap));
  EXPECT_CUDA(cudaErrorInvalidResourceHandle, cudaArrayGetPlane(&plane, array, 0));
  EXPECT_CUDA(cudaErrorInvalidResourceHandle, cudaArrayGetSparseProperties(&sparse, array));
  EXPECT_CUDA(cudaErrorInvalidResourceHandle,
              cudaMipmappedArrayGetSparseProperties(&sparse, mipmap));
}

} // namespace
