// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices and contexts of the driver API. What an H200 answers in the corners is in
// tests/runtime/driver_probe.cpp.
#include "runtime/test_support.h"

#include "cuda.h"
#include "cudaProfiler.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <set>
#include <string>
#include <thread>

HEDDLE_TEST_DEVICES("k20,h200,h200")

namespace {

#define EXPECT_CU(call) EXPECT_EQ(call, CUDA_SUCCESS)

class DriverTest : public testing::Test {
protected:
  void SetUp() override { ASSERT_EQ(cuInit(0), CUDA_SUCCESS); }
  void TearDown() override {
    CUcontext context;
    while (cuCtxPopCurrent(&context) == CUDA_SUCCESS) {
    }
  }
  static CUcontext create(CUdevice device = 0) {
    CUcontext context = nullptr;
    EXPECT_CU(cuCtxCreate(&context, 0, device));
    return context;
  }
  static CUcontext current() {
    CUcontext context = nullptr;
    EXPECT_CU(cuCtxGetCurrent(&context));
    return context;
  }
};

/// As on an H200: what is freed or ended knows its context (finalizers, as Numba's, have no current one).
TEST_F(DriverTest, freesWithoutACurrentContext) {
  CUcontext context = create();
  CUdeviceptr memory, managed;
  void *host;
  CUstream stream;
  CUevent event;
  CUmodule module;
  const char text[] =
      ".version 8.0\n.target sm_50\n.address_size 64\n.visible .entry k() { ret; }\n";
  EXPECT_CU(cuMemAllocHost(&host, 64));
  EXPECT_CU(cuStreamCreate(&stream, 0));
  EXPECT_CU(cuEventCreate(&event, 0));
  EXPECT_CU(cuModuleLoadData(&module, text));
  EXPECT_CU(cuMemAlloc(&memory, 64));
  EXPECT_CU(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
  EXPECT_CU(cuCtxPopCurrent(&context));
  EXPECT_CU(cuMemFree(memory));
  EXPECT_CU(cuMemFree(managed));
  EXPECT_EQ(cuMemFree(memory), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuMemFree(0), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_CU(cuMemFreeHost(host));
  EXPECT_CU(cuStreamDestroy(stream));
  EXPECT_CU(cuEventDestroy(event));
  EXPECT_CU(cuModuleUnload(module));
  EXPECT_EQ(cuMemAlloc(&memory, 64), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_CU(cuCtxDestroy(context));
}

/// As on an H200: what is given a stream or an event of the program's runs in their context.
TEST_F(DriverTest, worksInTheContextOfAStream) {
  for (int device : {0, 1}) {
    CUcontext context = create(device);
    CUstream stream;
    CUevent event;
    CUdeviceptr memory, other;
    CUarray array;
    CUgraph graph;
    CUgraphExec exec;
    int ran = 0, value = 0;
    const CUDA_ARRAY_DESCRIPTOR shape = {4, 4, CU_AD_FORMAT_FLOAT, 1};
    EXPECT_CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    EXPECT_CU(cuEventCreate(&event, 0));
    EXPECT_CU(cuMemAlloc(&memory, 64));
    EXPECT_CU(cuMemAlloc(&other, 64));
    EXPECT_CU(cuArrayCreate(&array, &shape));
    EXPECT_CU(cuGraphCreate(&graph, 0));
    EXPECT_CU(cuGraphInstantiate(&exec, graph, 0));
    EXPECT_CU(cuCtxPopCurrent(&context));
    EXPECT_CU(cuEventRecord(event, stream));
    EXPECT_CU(cuEventRecordWithFlags(event, stream, 0));
    EXPECT_CU(cuStreamWaitEvent(stream, event, 0));
    EXPECT_CU(cuMemsetD32Async(memory, 2, 4, stream));
    EXPECT_CU(cuMemsetD2D8Async(memory, 8, 0, 4, 1, stream));
    EXPECT_CU(cuLaunchHostFunc(stream, [](void *ran) { *static_cast<int *>(ran) = 1; }, &ran));
    EXPECT_CU(cuGraphLaunch(exec, stream));
    EXPECT_CU(cuMemFreeAsync(other, stream));
    EXPECT_CU(cuStreamSynchronize(stream));
    EXPECT_CU(cuStreamQuery(stream));
    EXPECT_CU(cuEventSynchronize(event));
    EXPECT_CU(cuEventQuery(event));
    EXPECT_CU(cuArrayDestroy(array));
    EXPECT_EQ(ran, 1);
    EXPECT_EQ(current(), nullptr);
    // A default stream is the current context's, and so is what has no stream.
    EXPECT_EQ(cuStreamQuery(nullptr), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuStreamSynchronize(CU_STREAM_LEGACY), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuEventRecord(event, CU_STREAM_PER_THREAD), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuMemsetD8(memory, 0, 4), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_CU(cuCtxPushCurrent(context));
    EXPECT_CU(cuMemcpyDtoH(&value, memory + 4, 4));
    EXPECT_EQ(value, 2);
    EXPECT_CU(cuCtxDestroy(context));
    EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_CU(cuGraphExecDestroy(exec));
    EXPECT_CU(cuGraphDestroy(graph));
  }
}

TEST_F(DriverTest, devices) {
  int count = 0, major = 0, minor = 0, value = 0;
  EXPECT_CU(cuDeviceGetCount(&count));
  EXPECT_EQ(count, 3);
  CUdevice device = -1;
  EXPECT_CU(cuDeviceGet(&device, 1));
  EXPECT_EQ(device, 1);
  EXPECT_EQ(cuDeviceGet(&device, 3), CUDA_ERROR_INVALID_DEVICE);
  char name[64], few[5];
  EXPECT_CU(cuDeviceGetName(name, sizeof name, 0));
  EXPECT_STREQ(name, "Tesla K20c");
  EXPECT_CU(cuDeviceGetName(few, sizeof few, 0));
  EXPECT_STREQ(few, "Tesl");
  EXPECT_CU(cuDeviceComputeCapability(&major, &minor, 0));
  EXPECT_EQ(major * 10 + minor, 35);
  size_t bytes = 0;
  EXPECT_CU(cuDeviceTotalMem(&bytes, 0));
  EXPECT_GT(bytes, size_t(4) << 30);
  EXPECT_CU(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 1));
  EXPECT_EQ(value, 9);
  EXPECT_EQ(cuDeviceGetAttribute(&value, CUdevice_attribute(0), 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED,
                                 1)); // the driver's only
  EXPECT_EQ(value, 0);
  CUdevprop properties;
  EXPECT_CU(cuDeviceGetProperties(&properties, 1));
  EXPECT_EQ(properties.SIMDWidth, 32);
  EXPECT_EQ(properties.maxThreadsPerBlock, 1024);
  CUuuid a, b;
  EXPECT_CU(cuDeviceGetUuid(&a, 1));
  EXPECT_CU(cuDeviceGetUuid(&b, 2));
  EXPECT_NE(std::memcmp(&a, &b, sizeof a), 0);
  char bus[16];
  EXPECT_CU(cuDeviceGetPCIBusId(bus, sizeof bus, 2));
  EXPECT_CU(cuDeviceGetByPCIBusId(&device, bus));
  EXPECT_EQ(device, 2);
}

/// 1: an H200.
TEST_F(DriverTest, linearTextures) {
  size_t texels = 0;
  EXPECT_CU(cuDeviceGetTexture1DLinearMaxWidth(&texels, CU_AD_FORMAT_FLOAT, 1, 1));
  EXPECT_EQ(texels, size_t(1) << 30);
  EXPECT_CU(cuDeviceGetTexture1DLinearMaxWidth(&texels, CU_AD_FORMAT_UNSIGNED_INT8, 4, 1));
  EXPECT_EQ(texels, size_t(1) << 30);
  EXPECT_CU(cuDeviceGetTexture1DLinearMaxWidth(&texels, CU_AD_FORMAT_UNSIGNED_INT8, 2, 1));
  EXPECT_EQ(texels, size_t(1) << 30);
  EXPECT_EQ(cuDeviceGetTexture1DLinearMaxWidth(nullptr, CU_AD_FORMAT_FLOAT, 1, 1),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetTexture1DLinearMaxWidth(&texels, CUarray_format(0), 1, 1),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetTexture1DLinearMaxWidth(&texels, CU_AD_FORMAT_FLOAT, 5, 1),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetTexture1DLinearMaxWidth(&texels, CU_AD_FORMAT_FLOAT, 1, 9),
            CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(DriverTest, notices) {
  CUasyncCallbackHandle handle = nullptr;
  auto never = [](CUasyncNotificationInfo *, void *, CUasyncCallbackHandle) { FAIL(); };
  EXPECT_CU(cuDeviceRegisterAsyncNotification(1, never, nullptr, &handle));
  EXPECT_EQ(cuDeviceRegisterAsyncNotification(1, nullptr, nullptr, &handle),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceUnregisterAsyncNotification(0, handle), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(cuDeviceUnregisterAsyncNotification(1, handle));
  EXPECT_EQ(cuDeviceUnregisterAsyncNotification(1, handle), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFlushGPUDirectRDMAWrites(CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX,
                                       CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER),
            CUDA_ERROR_INVALID_CONTEXT);
  create(0); // a K20: it has no such writes
  EXPECT_EQ(cuFlushGPUDirectRDMAWrites(CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX,
                                       CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuFlushGPUDirectRDMAWrites(CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX,
                                       CUflushGPUDirectRDMAWritesScope(1)),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(cuCtxDestroy(current()));
}

TEST_F(DriverTest, peers) {
  int can = -1, rank = -1;
  EXPECT_CU(cuDeviceCanAccessPeer(&can, 1, 2));
  EXPECT_EQ(can, 1);
  EXPECT_CU(cuDeviceGetP2PAttribute(&rank, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 1, 2));
  EXPECT_EQ(rank, 1);
  CUcontext peer = create(2);
  create(1);
  EXPECT_CU(cuCtxEnablePeerAccess(peer, 0));
  EXPECT_EQ(cuCtxEnablePeerAccess(peer, 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  EXPECT_CU(cuCtxDisablePeerAccess(peer));
  EXPECT_EQ(cuCtxDisablePeerAccess(peer), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
  EXPECT_CU(cuCtxDestroy(current()));
  EXPECT_CU(cuCtxDestroy(peer));
}

TEST_F(DriverTest, theStack) {
  CUcontext a = create(), b = create(1), popped = nullptr;
  EXPECT_EQ(current(), b);
  CUdevice device = -1;
  EXPECT_CU(cuCtxGetDevice(&device));
  EXPECT_EQ(device, 1);
  EXPECT_CU(cuCtxPushCurrent(a));
  EXPECT_EQ(current(), a);
  EXPECT_CU(cuCtxPopCurrent(&popped));
  EXPECT_EQ(popped, a);
  EXPECT_CU(cuCtxSetCurrent(nullptr)); // pops b
  EXPECT_EQ(current(), a);
  EXPECT_CU(cuCtxSetCurrent(b));
  EXPECT_CU(cuCtxDestroy(a));
  EXPECT_CU(cuCtxDestroy(b));
  EXPECT_EQ(current(), nullptr);
  EXPECT_EQ(cuCtxPushCurrent(a), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxDestroy(a), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(DriverTest, settings) {
  CUcontext a = create(1);
  unsigned flags = 0, version = 0;
  unsigned long long id = 0, other = 0;
  EXPECT_CU(cuCtxSetFlags(CU_CTX_SCHED_SPIN));
  EXPECT_CU(cuCtxGetFlags(&flags));
  EXPECT_EQ(flags, unsigned(CU_CTX_SCHED_SPIN | CU_CTX_MAP_HOST));
  EXPECT_CU(cuCtxGetApiVersion(a, &version));
  EXPECT_EQ(version, 3020u);
  EXPECT_CU(cuCtxGetId(nullptr, &id));
  CUcontext b = create(1);
  EXPECT_CU(cuCtxGetId(b, &other));
  EXPECT_NE(id, other);
  EXPECT_CU(cuCtxSetCurrent(a));
  size_t stack = 0;
  EXPECT_CU(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
  EXPECT_CU(cuCtxGetLimit(&stack, CU_LIMIT_STACK_SIZE));
  EXPECT_EQ(stack, 4096u);
  EXPECT_CU(cuCtxSetCurrent(b));
  EXPECT_CU(cuCtxGetLimit(&stack, CU_LIMIT_STACK_SIZE));
  EXPECT_EQ(stack, 1024u);
  CUfunc_cache cache = CU_FUNC_CACHE_PREFER_EQUAL;
  EXPECT_CU(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
  EXPECT_CU(cuCtxGetCacheConfig(&cache));
  EXPECT_EQ(cache, CU_FUNC_CACHE_PREFER_L1);
  CUsharedconfig banks;
  EXPECT_CU(cuCtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE));
  EXPECT_CU(cuCtxGetSharedMemConfig(&banks));
  EXPECT_EQ(banks, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
  int least = 1, greatest = 1;
  EXPECT_CU(cuCtxGetStreamPriorityRange(&least, &greatest));
  EXPECT_GT(least, greatest);
  EXPECT_CU(cuCtxResetPersistingL2Cache());
  EXPECT_CU(cuCtxSynchronize());
  EXPECT_CU(cuProfilerStart());
  EXPECT_CU(cuProfilerStop());
  EXPECT_EQ(cuProfilerInitialize("", "", CU_OUT_CSV), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_CU(cuCtxDestroy(a));
  EXPECT_CU(cuCtxDestroy(b));
}

TEST_F(DriverTest, primaryContexts) {
  CUcontext a = nullptr, b = nullptr;
  unsigned flags = 9;
  int active = 9;
  EXPECT_EQ(cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_CU(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_BLOCKING_SYNC));
  EXPECT_CU(cuDevicePrimaryCtxRetain(&a, 0));
  EXPECT_CU(cuDevicePrimaryCtxRetain(&b, 0));
  EXPECT_EQ(a, b);
  EXPECT_CU(cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT_EQ(flags, unsigned(CU_CTX_SCHED_BLOCKING_SYNC));
  EXPECT_EQ(active, 1);
  EXPECT_EQ(cuCtxDestroy(a), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_CU(cuCtxPushCurrent(a));
  EXPECT_CU(cuCtxSynchronize());
  EXPECT_CU(cuDevicePrimaryCtxRelease(0));
  EXPECT_CU(cuCtxSynchronize());
  EXPECT_CU(cuDevicePrimaryCtxRelease(0));
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_CU(cuDevicePrimaryCtxRetain(&a, 0));
  EXPECT_CU(cuCtxSynchronize());
  EXPECT_CU(cuDevicePrimaryCtxReset(0));
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

/// The runtime works in the context that the driver API has made current, and the driver in the one
/// that the runtime has chosen.
TEST_F(DriverTest, withTheRuntime) {
  int device = -1;
  CUcontext own = create(2);
  ASSERT_OK(cudaGetDevice(&device));
  EXPECT_EQ(device, 2);
  size_t before = 0, after = 0, total = 0;
  ASSERT_OK(cudaMemGetInfo(&before, &total));
  void *p = nullptr;
  ASSERT_OK(cudaMalloc(&p, 1 << 20));
  EXPECT_CU(cuCtxDestroy(own)); // and what was allocated in it
  ASSERT_OK(cudaSetDevice(2));
  ASSERT_OK(cudaMemGetInfo(&after, &total));
  EXPECT_EQ(before, after);
  EXPECT_CUDA(cudaErrorInvalidValue, cudaFree(p));
  CUcontext primary = nullptr;
  EXPECT_CU(cuDevicePrimaryCtxRetain(&primary, 2));
  EXPECT_EQ(current(), primary);
  EXPECT_CU(cuDevicePrimaryCtxRelease(2));
}

/// The runtime retains a primary context itself: what the program releases does not end it. A reset
/// by either API ends it for all threads, and the next call of the runtime makes it anew.
TEST_F(DriverTest, theRuntimeKeepsItsContext) {
  CUcontext primary = nullptr;
  void *p = nullptr;
  ASSERT_OK(cudaSetDevice(2));
  ASSERT_OK(cudaMalloc(&p, 1 << 10));
  EXPECT_CU(cuDevicePrimaryCtxRetain(&primary, 2));
  EXPECT_CU(cuDevicePrimaryCtxRelease(2));
  EXPECT_OK(cudaFree(p));
  std::thread([] {
    ASSERT_OK(cudaSetDevice(2));
    EXPECT_OK(cudaDeviceReset());
  }).join();
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_OK(cudaMalloc(&p, 1 << 10));
  EXPECT_CU(cuCtxSynchronize());
  EXPECT_OK(cudaFree(p));
  EXPECT_CU(cuDevicePrimaryCtxReset(2));
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT_EQ(current(), primary);
}

/// A context of the program's own is not made anew.
TEST_F(DriverTest, theProgramReleases) {
  CUcontext primary = nullptr;
  ASSERT_EQ(current(), nullptr);
  EXPECT_CU(cuDevicePrimaryCtxRetain(&primary, 1));
  EXPECT_CU(cuCtxPushCurrent(primary));
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT_CU(cuDevicePrimaryCtxRelease(1));
  EXPECT_CUDA(cudaErrorContextIsDestroyed, cudaDeviceSynchronize());
}

TEST_F(DriverTest, aContextThatAnotherThreadDestroys) {
  CUcontext context = create();
  std::thread([&] {
    EXPECT_EQ(current(), nullptr);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_CU(cuCtxDestroy(context));
  }).join();
  EXPECT_EQ(current(), context);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_CUDA(cudaErrorContextIsDestroyed, cudaDeviceSynchronize());
}

TEST_F(DriverTest, manyContexts) {
  std::set<CUcontext> contexts;
  CUcontext context = nullptr;
  CUresult error = CUDA_SUCCESS;
  while ((error = cuCtxCreate(&context, 0, 0)) == CUDA_SUCCESS)
    contexts.insert(context);
  EXPECT_EQ(error, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_GT(contexts.size(), 200u);
  for (CUcontext each : contexts)
    EXPECT_CU(cuCtxDestroy(each));
  for (int i = 0; i < 1000; ++i) {
    context = create(i % 3);
    EXPECT_CU(cuCtxDestroy(context));
  }
}

TEST_F(DriverTest, oldVersions) {
  CUcontext a = nullptr;
  EXPECT_EQ(cuCtxAttach(&a, 0), CUDA_ERROR_INVALID_CONTEXT);
  create();
  EXPECT_CU(cuCtxAttach(&a, 0));
  EXPECT_EQ(a, current());
  EXPECT_CU(cuCtxDetach(a)); // what was attached
  EXPECT_EQ(current(), a);
  CUcontext b = create();
  EXPECT_EQ(cuCtxDetach(a), CUDA_ERROR_INVALID_CONTEXT); // it is not current
  EXPECT_CU(cuCtxDetach(b));
  EXPECT_EQ(current(), a);
}

TEST_F(DriverTest, sharesOfADevice) {
  int isSupported = 1, count = 0;
  EXPECT_CU(cuDeviceGetExecAffinitySupport(&isSupported, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 1));
  EXPECT_EQ(isSupported, 0);
  EXPECT_EQ(cuDeviceGetExecAffinitySupport(&isSupported, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 3),
            CUDA_ERROR_INVALID_DEVICE);
  create(1);
  CUexecAffinityParam affinity;
  EXPECT_CU(cuCtxGetExecAffinity(&affinity, CU_EXEC_AFFINITY_TYPE_SM_COUNT));
  EXPECT_CU(cuDeviceGetAttribute(&count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 1));
  EXPECT_EQ(affinity.param.smCount.val, static_cast<unsigned>(count));
  EXPECT_EQ(cuCtxGetExecAffinity(&affinity, CUexecAffinityType(9)),
            CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
}

TEST_F(DriverTest, atomics) {
  const CUatomicOperation operations[] = {CU_ATOMIC_OPERATION_CAS, CU_ATOMIC_OPERATION_FLOAT_MIN};
  unsigned can[2] = {};
  EXPECT_CU(cuDeviceGetHostAtomicCapabilities(can, operations, 2, 0));
  EXPECT_TRUE(can[0] & CU_ATOMIC_CAPABILITY_SCALAR_64);
  EXPECT_EQ(can[1], 0u);
  EXPECT_EQ(cuDeviceGetHostAtomicCapabilities(can, operations, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(cuDeviceGetP2PAtomicCapabilities(can, operations, 1, 1, 2));
  EXPECT_EQ(cuDeviceGetP2PAtomicCapabilities(can, operations, 1, 1, 1), CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(DriverTest, whatOnlyWindowsHas) {
  char luid[8];
  unsigned mask = 0;
  EXPECT_EQ(cuDeviceGetLuid(luid, &mask, 0), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuDeviceGetLuid(nullptr, &mask, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetLuid(luid, &mask, 3), CUDA_ERROR_INVALID_DEVICE);
}

/// A host function that waits until it is let go.
struct Gate {
  static void wait(void *gate) {
    while (!static_cast<std::atomic<bool> *>(gate)->load())
      std::this_thread::yield();
  }
  std::atomic<bool> isOpen{false};
};

TEST_F(DriverTest, eventsOfAContext) {
  Gate gate;
  CUcontext context = create();
  CUstream free = nullptr, later = nullptr;
  CUevent event = nullptr, foreign = nullptr;
  EXPECT_CU(cuEventCreate(&event, 0));
  EXPECT_CU(cuStreamCreate(&free, CU_STREAM_NON_BLOCKING));
  EXPECT_CU(cuStreamCreate(&later, CU_STREAM_NON_BLOCKING));
  EXPECT_CU(cuCtxWaitEvent(context, event)); // it was not recorded
  EXPECT_CU(cuLaunchHostFunc(free, Gate::wait, &gate.isOpen));
  EXPECT_CU(cuCtxRecordEvent(context, event));
  EXPECT_CU(cuCtxWaitEvent(context, event));
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cuStreamQuery(later), CUDA_ERROR_NOT_READY);
  gate.isOpen = true;
  EXPECT_CU(cuStreamSynchronize(later));
  EXPECT_CU(cuEventQuery(event));
  create();
  EXPECT_CU(cuEventCreate(&foreign, 0));
  EXPECT_EQ(cuCtxRecordEvent(context, foreign), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_CU(cuCtxWaitEvent(context, foreign));
  EXPECT_EQ(cuCtxRecordEvent(nullptr, event), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxWaitEvent(context, nullptr), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(DriverTest, greenContexts) {
  CUdevResource whole, parts[20], rest, told;
  CUdevResourceDesc description = nullptr;
  unsigned count = 20;
  EXPECT_CU(cuDeviceGetDevResource(1, &whole, CU_DEV_RESOURCE_TYPE_SM));
  EXPECT_EQ(whole.sm.smCount, 132u);
  create(1);
  EXPECT_CU(cuDevSmResourceSplitByCount(nullptr, &count, &whole, nullptr, 0, 3));
  EXPECT_EQ(count, 16u); // an H200's groups have 8 or more
  EXPECT_CU(cuDevSmResourceSplitByCount(parts, &count, &whole, &rest, 0, 16));
  EXPECT_EQ(count, 8u);
  EXPECT_EQ(rest.sm.smCount, 4u);
  EXPECT_EQ(cuDevSmResourceSplitByCount(parts, &count, &whole, &rest, 0, 133),
            CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
  EXPECT_CU(cuDevResourceGenerateDesc(&description, parts, 2));
  CUgreenCtx green = nullptr, found = nullptr;
  EXPECT_CU(cuGreenCtxCreate(&green, description, 1, CU_GREEN_CTX_DEFAULT_STREAM));
  EXPECT_EQ(cuGreenCtxCreate(&green, description, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(cuGreenCtxGetDevResource(green, &told, CU_DEV_RESOURCE_TYPE_SM));
  EXPECT_EQ(told.sm.smCount, 32u);
  CUcontext context = nullptr, primary = nullptr;
  CUstream stream = nullptr;
  CUevent event = nullptr;
  EXPECT_CU(cuCtxFromGreenCtx(&context, green));
  EXPECT_CU(cuCtxGetDevResource(context, &told, CU_DEV_RESOURCE_TYPE_SM));
  EXPECT_CU(cuDevicePrimaryCtxRetain(&primary, 1));
  EXPECT_EQ(context, primary); // whose memory and modules it has
  EXPECT_CU(cuCtxSetCurrent(context));
  EXPECT_CU(cuGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
  EXPECT_CU(cuStreamGetGreenCtx(stream, &found));
  EXPECT_EQ(found, green);
  Gate gate;
  EXPECT_CU(cuEventCreate(&event, 0));
  EXPECT_CU(cuLaunchHostFunc(stream, Gate::wait, &gate.isOpen));
  EXPECT_CU(cuGreenCtxRecordEvent(green, event));
  EXPECT_CU(cuGreenCtxWaitEvent(green, event));
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
  gate.isOpen = true;
  EXPECT_CU(cuEventSynchronize(event));
  unsigned long long id = 0;
  EXPECT_CU(cuGreenCtxGetId(green, &id));
  EXPECT_CU(cuStreamDestroy(stream));
  EXPECT_CU(cuGreenCtxDestroy(green));
  EXPECT_EQ(cuGreenCtxDestroy(green), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_CU(cuDevicePrimaryCtxRelease(1));
}

/// Memory is freed behind the work of all contexts of its device.
TEST_F(DriverTest, freedUnderTheWorkOfAnotherContext) {
  Gate gate;
  CUdeviceptr memory = 0;
  CUcontext owner = create();
  EXPECT_CU(cuMemAlloc(&memory, 4096));
  create();
  EXPECT_CU(cuLaunchHostFunc(nullptr, Gate::wait, &gate.isOpen));
  EXPECT_CU(cuMemsetD8Async(memory, 1, 4096, nullptr));
  std::atomic<bool> isFreed{false};
  std::thread other([&] {
    EXPECT_CU(cuCtxSetCurrent(owner));
    EXPECT_CU(cuMemFree(memory));
    isFreed = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(isFreed);
  gate.isOpen = true;
  other.join();
  EXPECT_CU(cuCtxSynchronize());
}

} // namespace
