// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/test_support.h"

#include <cstring>
#include <string>
#include <thread>

/// Five boards, of which one has two GPUs and one sits behind a hub of its own.
HEDDLE_TEST_DEVICES("k20,c2050,h200,k10/k40")

// As cuda_profiler_api.h declares them.
extern "C" cudaError_t cudaProfilerStart();
extern "C" cudaError_t cudaProfilerStop();

namespace {

class DeviceTest : public testing::Test {
protected:
  void SetUp() override { ASSERT_OK(cudaSetDevice(0)); }
};

TEST_F(DeviceTest, countsAndChooses) {
  int count = 0, device = -1;
  EXPECT_OK(cudaGetDeviceCount(&count));
  EXPECT_EQ(count, 6);
  EXPECT_OK(cudaSetDevice(2));
  EXPECT_OK(cudaGetDevice(&device));
  EXPECT_EQ(device, 2);
  std::thread([] {
    int own = -1;
    EXPECT_OK(cudaGetDevice(&own));
    EXPECT_EQ(own, 0) << "a new thread starts with device 0";
  }).join();
  EXPECT_CUDA(cudaErrorInvalidDevice, cudaSetDevice(6));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGetDeviceCount(nullptr));
}

TEST_F(DeviceTest, properties) {
  cudaDeviceProp p;
  EXPECT_OK(cudaGetDeviceProperties_v2(&p, 0));
  EXPECT_STREQ(p.name, "Tesla K20c");
  EXPECT_EQ(p.pciBusID, 1);
  cudaDeviceProp other;
  EXPECT_OK(cudaGetDeviceProperties(&other, 1));
  EXPECT_STREQ(other.name, "Tesla C2050");
  EXPECT_NE(std::memcmp(p.uuid.bytes, other.uuid.bytes, 16), 0);
  EXPECT_EQ(other.isMultiGpuBoard, 0);
  cudaDeviceProp halves[2];
  for (int i = 0; i < 2; ++i) {
    EXPECT_OK(cudaGetDeviceProperties(&halves[i], 3 + i));
    EXPECT_STREQ(halves[i].name, "Tesla K10.G1.8GB");
    EXPECT_EQ(halves[i].isMultiGpuBoard, 1);
    EXPECT_EQ(halves[i].multiGpuBoardGroupID, halves[0].multiGpuBoardGroupID);
    EXPECT_EQ(halves[i].pciBusID, 4 + i);
  }
  EXPECT_NE(std::memcmp(halves[0].uuid.bytes, halves[1].uuid.bytes, 16), 0);
  EXPECT_NE(p.multiGpuBoardGroupID, other.multiGpuBoardGroupID);
  EXPECT_OK(cudaGetDeviceProperties(&p, 5));
  EXPECT_EQ(p.pciBusID, 0x41) << "another hub";
  EXPECT_CUDA(cudaErrorInvalidDevice, cudaGetDeviceProperties(&p, 6));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGetDeviceProperties(nullptr, 0));
}

#undef cudaGetDeviceProperties
extern "C" cudaError_t cudaGetDeviceProperties(void *, int);

TEST_F(DeviceTest, oldPropertiesAreShorter) {
  std::vector<char> old(sizeof(cudaDeviceProp), 0x55);
  EXPECT_OK(cudaGetDeviceProperties(old.data(), 0));
  EXPECT_STREQ(old.data(), "Tesla K20c");
  for (size_t i = offsetof(cudaDeviceProp, hostRegisterSupported); i < old.size(); ++i)
    ASSERT_EQ(old[i], 0x55) << i;
}

TEST_F(DeviceTest, everyAttribute) {
  cudaDeviceProp p;
  ASSERT_OK(cudaGetDeviceProperties_v2(&p, 0));
  int value;
#define HEDDLE_ATTRIBUTE(name, expression)                                                         \
  value = -1000;                                                                                   \
  EXPECT_OK(cudaDeviceGetAttribute(&value, cudaDevAttr##name, 0));                                 \
  EXPECT_EQ(value, static_cast<int>(expression)) << #name;
#include "driver/device/attributes.def"
#undef HEDDLE_ATTRIBUTE
  for (int bad : {0, 44, 102, 145, 148, 5000}) // 147 is the last one of CUDA 13
    EXPECT_CUDA(cudaErrorInvalidValue,
                cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(bad), 0));
  EXPECT_CUDA(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 7));
}

TEST_F(DeviceTest, choosesByWishes) {
  cudaDeviceProp wish;
  std::memset(&wish, 0, sizeof wish);
  int device = -1;
  EXPECT_OK(cudaChooseDevice(&device, &wish));
  EXPECT_EQ(device, 0);
  wish.major = 9;
  EXPECT_OK(cudaChooseDevice(&device, &wish));
  EXPECT_EQ(device, 2);
  wish.major = 0;
  std::strcpy(wish.name, "Tesla C2050");
  EXPECT_OK(cudaChooseDevice(&device, &wish));
  EXPECT_EQ(device, 1);
  EXPECT_CUDA(cudaErrorInvalidValue, cudaChooseDevice(nullptr, &wish));
}

TEST_F(DeviceTest, pciBusIds) {
  char id[16];
  int device = -1;
  EXPECT_OK(cudaDeviceGetPCIBusId(id, sizeof id, 2));
  EXPECT_STREQ(id, "0000:03:00.0");
  EXPECT_OK(cudaDeviceGetByPCIBusId(&device, id));
  EXPECT_EQ(device, 2);
  EXPECT_OK(cudaDeviceGetByPCIBusId(&device, "02:00.0"));
  EXPECT_EQ(device, 1);
  EXPECT_OK(cudaDeviceGetByPCIBusId(&device, "0000:41:00"));
  EXPECT_EQ(device, 5);
  EXPECT_CUDA(cudaErrorInvalidDevice, cudaDeviceGetByPCIBusId(&device, "0001:02:00.0"));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaDeviceGetPCIBusId(id, 12, 2));
  EXPECT_CUDA(cudaErrorInvalidDevice, cudaDeviceGetByPCIBusId(&device, "0000:99:00.0"));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaDeviceGetByPCIBusId(&device, "no id"));
}

TEST_F(DeviceTest, limits) {
  size_t value = 0;
  for (cudaLimit limit : {cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize,
                          cudaLimitDevRuntimePendingLaunchCount, cudaLimitMaxL2FetchGranularity}) {
    EXPECT_OK(cudaDeviceGetLimit(&value, limit)) << limit;
    EXPECT_GT(value, 0u) << limit;
  }
  EXPECT_OK(cudaDeviceSetLimit(cudaLimitStackSize, 5000));
  EXPECT_OK(cudaDeviceGetLimit(&value, cudaLimitStackSize));
  EXPECT_EQ(value, 5008u);
  EXPECT_OK(cudaThreadSetLimit(cudaLimitMallocHeapSize, 1 << 24));
  EXPECT_OK(cudaThreadGetLimit(&value, cudaLimitMallocHeapSize));
  EXPECT_GE(value, size_t(1) << 24);
  EXPECT_OK(cudaDeviceGetLimit(&value, cudaLimitDevRuntimeSyncDepth));
  EXPECT_EQ(value, 2u);
  EXPECT_OK(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 7));
  EXPECT_OK(cudaDeviceGetLimit(&value, cudaLimitDevRuntimeSyncDepth));
  EXPECT_EQ(value, 7u);
  EXPECT_OK(cudaSetDevice(2)); // an H200
  EXPECT_CUDA(cudaErrorUnsupportedLimit, cudaDeviceGetLimit(&value, cudaLimitDevRuntimeSyncDepth));
  EXPECT_CUDA(cudaErrorUnsupportedLimit, cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 4));
  EXPECT_OK(cudaSetDevice(0));
  EXPECT_CUDA(cudaErrorUnsupportedLimit,
              cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1)); // none on a K20
  EXPECT_CUDA(cudaErrorInvalidValue, cudaDeviceSetLimit(static_cast<cudaLimit>(55), 1));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaDeviceSetLimit(cudaLimitStackSize, size_t(1) << 40));
  EXPECT_OK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 22));
  EXPECT_OK(cudaDeviceReset());
  EXPECT_OK(cudaDeviceGetLimit(&value, cudaLimitStackSize));
  EXPECT_EQ(value, 1024u) << "a reset puts limits back";
  EXPECT_OK(cudaDeviceGetLimit(&value, cudaLimitPrintfFifoSize));
  EXPECT_EQ(value, 1u << 20);
  EXPECT_OK(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize));
  EXPECT_EQ(value, 8u << 20);
}

TEST_F(DeviceTest, settings) {
  cudaFuncCache cache;
  EXPECT_OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared));
  EXPECT_OK(cudaDeviceGetCacheConfig(&cache));
  EXPECT_EQ(cache, cudaFuncCachePreferShared);
  EXPECT_OK(cudaThreadSetCacheConfig(cudaFuncCachePreferL1));
  EXPECT_OK(cudaThreadGetCacheConfig(&cache));
  EXPECT_EQ(cache, cudaFuncCachePreferL1);
  EXPECT_CUDA(cudaErrorInvalidValue, cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(9)));
  cudaSharedMemConfig banks;
  EXPECT_OK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
  EXPECT_OK(cudaDeviceGetSharedMemConfig(&banks));
  EXPECT_EQ(banks, cudaSharedMemBankSizeEightByte) << "Kepler has a choice";
  EXPECT_OK(cudaSetDevice(2));
  EXPECT_OK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
  EXPECT_OK(cudaDeviceGetSharedMemConfig(&banks));
  EXPECT_EQ(banks, cudaSharedMemBankSizeFourByte) << "Hopper has none";
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaDeviceSetSharedMemConfig(static_cast<cudaSharedMemConfig>(9)));
  EXPECT_OK(cudaCtxResetPersistingL2Cache());
}

TEST_F(DeviceTest, flags) {
  unsigned flags = 0;
  EXPECT_OK(cudaSetDeviceFlags(cudaDeviceScheduleSpin));
  EXPECT_OK(cudaGetDeviceFlags(&flags));
  EXPECT_EQ(flags, unsigned(cudaDeviceScheduleSpin | cudaDeviceMapHost));
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaSetDeviceFlags(cudaDeviceScheduleSpin | cudaDeviceScheduleYield));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaSetDeviceFlags(0x1000));
  EXPECT_OK(cudaInitDevice(1, cudaDeviceScheduleYield, cudaInitDeviceFlagsAreValid));
  EXPECT_OK(cudaSetDevice(1));
  EXPECT_OK(cudaGetDeviceFlags(&flags));
  EXPECT_EQ(flags, unsigned(cudaDeviceScheduleYield | cudaDeviceMapHost));
  EXPECT_CUDA(cudaErrorInvalidDevice, cudaInitDevice(9, 0, 0));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaInitDevice(1, 0x1000, cudaInitDeviceFlagsAreValid));
}

TEST_F(DeviceTest, validDevices) {
  int list[] = {2, 1}, device = -1;
  EXPECT_OK(cudaSetValidDevices(list, 2));
  EXPECT_OK(cudaGetDevice(&device));
  EXPECT_EQ(device, 2);
  list[1] = 9;
  EXPECT_CUDA(cudaErrorInvalidValue, cudaSetValidDevices(list, 2));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaSetValidDevices(nullptr, 1));
  EXPECT_OK(cudaSetValidDevices(nullptr, 0));
  EXPECT_OK(cudaGetDevice(&device));
  EXPECT_EQ(device, 0);
}

TEST_F(DeviceTest, streamPriorityRange) {
  int least = 9, greatest = 9;
  EXPECT_OK(cudaSetDevice(2));
  EXPECT_OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT_EQ(least, 0);
  EXPECT_EQ(greatest, -5);
  EXPECT_OK(cudaDeviceGetStreamPriorityRange(nullptr, nullptr));
}

TEST_F(DeviceTest, textureWidth) {
  size_t width = 0;
  cudaChannelFormatDesc format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  EXPECT_OK(cudaDeviceGetTexture1DLinearMaxWidth(&width, &format, 2));
  EXPECT_EQ(width, size_t(1) << 30) << "as on an H200";
  EXPECT_CUDA(cudaErrorInvalidValue, cudaDeviceGetTexture1DLinearMaxWidth(nullptr, &format, 2));
}

/// 0: k20, 1: c2050, 2: h200, 3 and 4: k10; behind another hub 5: k40.
TEST_F(DeviceTest, peers) {
  int can = -1;
  EXPECT_OK(cudaDeviceCanAccessPeer(&can, 0, 3));
  EXPECT_EQ(can, 1);
  EXPECT_OK(cudaDeviceCanAccessPeer(&can, 1, 1));
  EXPECT_EQ(can, 0);
  EXPECT_OK(cudaDeviceCanAccessPeer(&can, 0, 1));
  EXPECT_EQ(can, 0) << "a Kepler and a Fermi";
  EXPECT_OK(cudaDeviceCanAccessPeer(&can, 0, 5));
  EXPECT_EQ(can, 0) << "behind different hubs";
  EXPECT_CUDA(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&can, 0, 9));
  EXPECT_OK(cudaDeviceEnablePeerAccess(3, 0));
  EXPECT_CUDA(cudaErrorPeerAccessAlreadyEnabled, cudaDeviceEnablePeerAccess(3, 0));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaDeviceEnablePeerAccess(4, 1));
  EXPECT_CUDA(cudaErrorPeerAccessUnsupported, cudaDeviceEnablePeerAccess(0, 0));
  EXPECT_CUDA(cudaErrorPeerAccessUnsupported, cudaDeviceEnablePeerAccess(1, 0));
  EXPECT_CUDA(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(9, 0));
  EXPECT_OK(cudaDeviceDisablePeerAccess(3));
  EXPECT_CUDA(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(3));
  int value = -1;
  EXPECT_OK(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 3));
  EXPECT_EQ(value, 1);
  EXPECT_OK(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrPerformanceRank, 0, 3));
  EXPECT_EQ(value, 0);
  EXPECT_OK(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrPerformanceRank, 3, 4));
  EXPECT_EQ(value, 0);
  EXPECT_OK(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrPerformanceRank, 3, 0));
  EXPECT_EQ(value, 1) << "the other GPU of its board is nearer";
  EXPECT_CUDA(cudaErrorInvalidDevice,
              cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 1, 1));
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaDeviceGetP2PAttribute(&value, static_cast<cudaDeviceP2PAttr>(9), 0, 1));
}

TEST_F(DeviceTest, resetFreesEverything) {
  size_t before, after, total;
  ASSERT_OK(cudaMemGetInfo(&before, &total));
  void *p, *managed, *host;
  cudaArray_t array;
  cudaMipmappedArray_t mipmap;
  cudaStream_t stream;
  cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindFloat};
  ASSERT_OK(cudaMalloc(&p, 1 << 20));
  ASSERT_OK(cudaMallocManaged(&managed, 1 << 20, cudaMemAttachGlobal));
  ASSERT_OK(cudaMallocHost(&host, 100));
  ASSERT_OK(cudaMallocArray(&array, &format, 64, 64, 0));
  ASSERT_OK(cudaMallocMipmappedArray(&mipmap, &format, {64, 64, 0}, 3, 0));
  ASSERT_OK(cudaStreamCreate(&stream));
  ASSERT_OK(cudaMallocAsync(&p, 1 << 20, stream));
  ASSERT_OK(cudaMemGetInfo(&after, &total));
  EXPECT_LE(after, before - (3 << 20));
  EXPECT_OK(cudaDeviceReset());
  ASSERT_OK(cudaMemGetInfo(&after, &total));
  EXPECT_EQ(after, before);
  cudaPointerAttributes attributes;
  EXPECT_OK(cudaPointerGetAttributes(&attributes, managed));
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
  EXPECT_CUDA(cudaErrorInvalidValue, cudaFree(p));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaFreeArray(array));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaFreeMipmappedArray(mipmap));
  EXPECT_CUDA(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(stream));
  EXPECT_OK(cudaMalloc(&p, 100)) << "the device works on";
  EXPECT_OK(cudaThreadSynchronize());
  EXPECT_OK(cudaThreadExit());
}

TEST_F(DeviceTest, profilerAndDoubles) {
  double d = 1;
  EXPECT_OK(cudaProfilerStart());
  EXPECT_OK(cudaProfilerStop());
  EXPECT_OK(cudaSetDoubleForDevice(&d));
  EXPECT_OK(cudaSetDoubleForHost(&d));
  EXPECT_EQ(d, 1);
}

} // namespace
