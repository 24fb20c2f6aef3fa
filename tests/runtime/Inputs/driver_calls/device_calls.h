// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "world.h"

inline void errorsAndInit() {
  const char *text = nullptr;
  int version = 0;
  void *found = nullptr;
  CUdriverProcAddressQueryResult status;
  VARY(cuGetErrorString, CUDA_ERROR_INVALID_VALUE, &text);
  VARY(cuGetErrorName, CUDA_ERROR_INVALID_VALUE, &text);
  VARY(cuDriverGetVersion, &version);
  VARY(cuInit, 0);
  VARY(cuGetProcAddress, "cuMemAlloc", &found, 12000, 0);
  VARY(cuGetProcAddress_v2, "cuMemAlloc", &found, 12000, 0, &status);
  value("status", status);
  CALL("of a later version", cuGetProcAddress_v2, "cuMemAlloc", &found, 99990, 0, &status);
  CALL("of an earlier version", cuGetProcAddress_v2, "cuGraphAddNode", &found, 12010, 0, &status);
  value("status", status);
  CALL("two flags", cuGetProcAddress_v2, "cuMemcpy", &found, 12000, 3, &status);
}

inline void devices() {
  CU(cuInit)(0);
  CUdevice device = 0;
  int n = 0, m = 0;
  size_t bytes = 0;
  char text[256];
  unsigned mask = 0;
  CUuuid id;
  CUdevprop properties;
  VARY(cuDeviceGet, &device, 0);
  VARY(cuDeviceGetCount, &n);
  VARY(cuDeviceGetName, text, 256, 0);
  VARY(cuDeviceGetUuid, &id, 0);
  VARY(cuDeviceGetUuid_v2, &id, 0);
  VARY(cuDeviceGetLuid, text, &mask, 0);
  VARY(cuDeviceTotalMem_v2, &bytes, 0);
  VARY(cuDeviceGetTexture1DLinearMaxWidth, &bytes, CU_AD_FORMAT_FLOAT, 1, 0);
  value("elements", bytes);
  for (unsigned channels : {2u, 4u, 5u}) {
    CALL("channels=" + std::to_string(channels), cuDeviceGetTexture1DLinearMaxWidth, &bytes,
         CU_AD_FORMAT_UNSIGNED_INT8, channels, 0);
    value("elements", bytes);
  }
  VARY(cuDeviceGetAttribute, &n, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0);
  for (int attribute :
       {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,  12,  14,  15,  16,  17,  18,  19,  20,
        21, 22, 23, 24, 27, 28, 29, 30, 31, 32, 35,  39,  40,  41,  42,  43,  44,  45,  46,
        47, 48, 49, 50, 51, 53, 54, 55, 56, 57, 58,  59,  60,  61,  62,  63,  64,  65,  66,
        67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77,  78,  79,  80,  81,  82,  83,  85,  86,
        87, 88, 89, 90, 91, 95, 96, 97, 98, 99, 100, 101, 102, 103, 106, 109, 111, 115, 120}) {
    n = -1;
    CU(cuDeviceGetAttribute)(&n, static_cast<CUdevice_attribute>(attribute), 0);
    value(("attribute " + std::to_string(attribute)).c_str(), n);
  }
  CUatomicOperation operation = zeros<CUatomicOperation>();
  VARY(cuDeviceGetHostAtomicCapabilities, padded(mask), padded(operation), 1, 0);
  VARY(cuDeviceGetP2PAtomicCapabilities, padded(mask), padded(operation), 1, 0, 0);
  VARY(cuDeviceGetExecAffinitySupport, &n, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0);
  VARY(cuDeviceGetByPCIBusId, &device, "none");
  VARY(cuDeviceGetPCIBusId, text, 256, 0);
  CALL("length=12", cuDeviceGetPCIBusId, text, 12, 0);
  CALL("length=13", cuDeviceGetPCIBusId, text, 13, 0);
  CUasyncCallbackHandle notification = nullptr;
  auto hear = [](CUasyncNotificationInfo *, void *, CUasyncCallbackHandle) {};
  VARY(cuDeviceRegisterAsyncNotification, 0, static_cast<CUasyncCallback>(hear), nullptr,
       &notification);
  VARY(cuDeviceUnregisterAsyncNotification, 0, notification);
  VARY(cuDeviceGetProperties, &properties, 0);
  value("threads", properties.maxThreadsPerBlock);
  value("shared memory", properties.sharedMemPerBlock);
  VARY(cuDeviceComputeCapability, &n, &m, 0);
  VARY(cuDeviceCanAccessPeer, &n, 0, 1000);
  for (int attribute = 0; attribute < 6; ++attribute)
    CALL(std::to_string(attribute), cuDeviceGetP2PAttribute, &n,
         static_cast<CUdevice_P2PAttribute>(attribute), 0, 0);
  VARY(cuDeviceGetP2PAttribute, &n, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1000);
  VARY(cuThreadExchangeStreamCaptureMode, nullptr);
  CUmoduleLoadingMode mode;
  VARY(cuModuleGetLoadingMode, &mode);
  value("mode", mode);
}

inline void primaryContexts() {
  CU(cuInit)(0);
  CUcontext context = nullptr;
  unsigned flags = 0;
  int isActive = 0;
  VARY(cuDevicePrimaryCtxSetFlags, 0, CU_CTX_SCHED_YIELD);
  VARY(cuDevicePrimaryCtxSetFlags_v2, 0, CU_CTX_SCHED_YIELD);
  for (unsigned f : {3u, 5u, 6u, 8u, 16u, 32u, 64u, 128u, 256u})
    CALL("flags=" + std::to_string(f), cuDevicePrimaryCtxSetFlags_v2, 0, f);
  VARY(cuDevicePrimaryCtxGetState, 0, &flags, &isActive);
  value("flags", flags);
  VARY(cuDevicePrimaryCtxRetain, &context, 0);
  VARY(cuDevicePrimaryCtxGetState, 0, &flags, &isActive);
  value("active", isActive);
  CALL("of a primary one", cuCtxDestroy_v2, context);
  CALL("of a primary one", cuCtxDetach, context);
  CALL("a primary one", cuCtxSetCurrent, context);
  CALL("in a primary one", cuCtxAttach, &context, 0);
  CALL("in a primary one", cuCtxSetFlags, CU_CTX_SCHED_SPIN);
  VARY(cuDevicePrimaryCtxReset_v2, 0);
  CALL("behind a reset", cuCtxSynchronize);
  VARY(cuDevicePrimaryCtxReset, 0);
  VARY(cuDevicePrimaryCtxRelease_v2, 0);
  VARY(cuDevicePrimaryCtxRelease, 0);
  CALL("behind the last release", cuCtxGetApiVersion, context, &flags);
  CALL("behind the last release", cuCtxSetCurrent, context);
}

inline void contexts() {
  makeWorld();
  makeDestroyedOnes();
  CUcontext context = nullptr;
  unsigned number = 0;
  unsigned long long id = 0;
  size_t size = 0;
  int low = 0, high = 0;
  CUdevice device = 0;
  auto params = zeros<CUctxCreateParams>();
  VARY(cuCtxCreate, &context, 0, 0);
  VARY(cuCtxCreate_v2, &context, 0, 0);
  for (unsigned flag = 1; flag <= 0x200; flag *= 2)
    CALL("flags=" + std::to_string(flag), cuCtxCreate_v2, &context, flag, 0);
  VARY(cuCtxCreate_v3, &context, nullptr, 0, 0, 0);
  VARY(cuCtxCreate_v4, &context, &params, 0, 0);
  VARY(cuCtxPushCurrent, w.context);
  VARY(cuCtxPushCurrent_v2, w.context);
  VARY(cuCtxPopCurrent, &context);
  VARY(cuCtxPopCurrent_v2, &context);
  VARY(cuCtxSetCurrent, w.context);
  VARY(cuCtxGetCurrent, &context);
  VARY(cuCtxGetDevice, &device);
  VARY(cuCtxGetDevice_v2, &device, w.context);
  VARY(cuCtxGetFlags, &number);
  VARY(cuCtxSetFlags, CU_CTX_SCHED_SPIN);
  for (unsigned flag = 2; flag <= 0x200; flag *= 2)
    CALL("flags=" + std::to_string(flag), cuCtxSetFlags, flag);
  VARY(cuCtxGetId, w.context, &id);
  VARY(cuCtxSynchronize_v2, w.context);
  VARY(cuCtxGetApiVersion, w.context, &number);
  value("version", number);
  VARY(cuCtxGetStreamPriorityRange, &low, &high);
  CUexecAffinityParam affinity;
  VARY(cuCtxGetExecAffinity, &affinity, CU_EXEC_AFFINITY_TYPE_SM_COUNT);
  VARY(cuCtxRecordEvent, w.context, w.event);
  VARY(cuCtxWaitEvent, w.context, w.event);
  VARY(cuCtxAttach, &context, 0);
  VARY(cuCtxDetach, context);
  CUsharedconfig banks;
  VARY(cuCtxGetSharedMemConfig, &banks);
  value("banks", banks);
  VARY(cuCtxSetSharedMemConfig, CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE);
  CU(cuCtxGetSharedMemConfig)(&banks);
  value("banks", banks);
  CUfunc_cache cache;
  VARY(cuCtxGetCacheConfig, &cache);
  VARY(cuCtxSetCacheConfig, CU_FUNC_CACHE_PREFER_SHARED);
  CU(cuCtxGetCacheConfig)(&cache);
  value("cache", cache);
  for (int limit = 0; limit < 10; ++limit) {
    const CUlimit l = static_cast<CUlimit>(limit);
    const std::string name = "limit=" + std::to_string(limit);
    CALL(name, cuCtxGetLimit, &size, l);
    CALL(name + " value=null", cuCtxGetLimit, nullptr, l);
    for (size_t v :
         {size_t(0), size_t(1), size_t(4096), size_t(1) << 20, size_t(1) << 50, ~size_t(0)}) {
      if (limit == 2 && v > (1 << 30)) // a heap as large as memory, or a wait for it
        continue;
      CALL(name + " value=" + std::to_string(v), cuCtxSetLimit, l, v);
      size = 77;
      CU(cuCtxGetLimit)(&size, l);
      value("value", size);
    }
  }
  VARY(cuCtxEnablePeerAccess, w.other, 0);
  VARY(cuCtxDisablePeerAccess, w.other);
  VARY(cuFlushGPUDirectRDMAWrites, CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX,
       CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER);
  VARY(cuProfilerInitialize, "none", "none", CU_OUT_CSV);
  VARY(cuCtxDestroy, w.other);
  VARY(cuCtxDestroy_v2, w.context);
}

inline void pointers() {
  makeWorld();
  CUdeviceptr managed = 0, value64 = 0, p = 0;
  size_t bytes = 0;
  CU(cuMemAllocManaged)(&managed, World::Bytes, CU_MEM_ATTACH_GLOBAL);
  unsigned type = 0;
  VARY(cuPointerGetAttribute, &value64, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, w.memory);
  int on = 1;
  VARY(cuPointerSetAttribute, &on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, w.memory);
  for (int attribute = 1; attribute <= 20; ++attribute) {
    CALL("attribute=" + std::to_string(attribute), cuPointerSetAttribute, &on,
         static_cast<CUpointer_attribute>(attribute), w.memory);
    CALL("managed, attribute=" + std::to_string(attribute), cuPointerSetAttribute, &on,
         static_cast<CUpointer_attribute>(attribute), managed);
  }
  CUpointer_attribute kinds[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE};
  void *places[] = {&type};
  VARY(cuPointerGetAttributes, 1, padded(kinds[0]), padded(places[0]), w.memory);
  VARY(cuMemGetAddressRange_v2, &p, &bytes, w.memory + 100);
  VARY(cuMemPrefetchAsync, managed, 4096, 0, w.stream);
  VARY(cuMemPrefetchAsync, w.memory, 4096, 0, w.stream);
  CALL("to the host", cuMemPrefetchAsync, managed, 4096, CU_DEVICE_CPU, w.stream);
  CALL("beyond the end", cuMemPrefetchAsync, managed, 2 * World::Bytes, 0, w.stream);
  CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  VARY(cuMemPrefetchAsync_v2, managed, 4096, here, 0, w.stream);
  VARY(cuMemAdvise, managed, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, 0);
  VARY(cuMemAdvise_v2, managed, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, here);
  for (int type = 0; type < 7; ++type)
    for (int id : {-1, 0, 1, 1000}) {
      CUmemLocation there = {static_cast<CUmemLocationType>(type), id};
      const std::string name = "location=" + std::to_string(type) + "," + std::to_string(id);
      CALL(name, cuMemAdvise_v2, managed, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, there);
      CALL(name, cuMemPrefetchAsync_v2, managed, 4096, there, 0, w.stream);
    }
  for (int advice = 1; advice <= 6; ++advice) {
    CALL("host, " + std::to_string(advice), cuMemAdvise, managed, 4096,
         static_cast<CUmem_advise>(advice), -1);
    CALL("not managed, " + std::to_string(advice), cuMemAdvise, w.memory, 4096,
         static_cast<CUmem_advise>(advice), 0);
  }
  size_t sizes[] = {4096}, starts[] = {0};
  VARY(cuMemPrefetchBatchAsync, padded(managed), padded(sizes[0]), 1, padded(here),
       padded(starts[0]), 1, 0, w.stream);
  VARY(cuMemDiscardBatchAsync, padded(managed), padded(sizes[0]), 1, 0, w.stream);
  VARY(cuMemDiscardAndPrefetchBatchAsync, padded(managed), padded(sizes[0]), 1, padded(here),
       padded(starts[0]), 1, 0, w.stream);
  int number = 0;
  VARY(cuMemRangeGetAttribute, &number, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, managed, 4096);
  for (int attribute = 1; attribute <= 8; ++attribute)
    CALL("attribute=" + std::to_string(attribute), cuMemRangeGetAttribute, &number, 4,
         static_cast<CUmem_range_attribute>(attribute), managed, 4096);
  CALL("not managed", cuMemRangeGetAttribute, &number, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
       w.memory, 4096);
  void *data[] = {&number};
  size_t dataSizes[] = {4};
  CUmem_range_attribute ranges[] = {CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY};
  VARY(cuMemRangeGetAttributes, padded(data[0]), padded(dataSizes[0]), padded(ranges[0]), 1,
       managed, 4096);
  endUnit();
}
