// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As compiled with --default-stream per-thread: every call here that uses a stream goes to a _ptds
// or _ptsz twin.
#define CUDA_API_PER_THREAD_DEFAULT_STREAM
#include "runtime/test_support.h"

#include <atomic>
#include <thread>

#include <sys/eventfd.h>

HEDDLE_TEST_DEVICES("cpu")

namespace {

unsigned long long idOf(cudaStream_t stream) {
  unsigned long long id = 0;
  EXPECT_OK(cudaStreamGetId(stream, &id));
  return id;
}

TEST(PerThread, nullIsTheThreadsOwn) {
  EXPECT_EQ(idOf(nullptr), idOf(cudaStreamPerThread));
  EXPECT_NE(idOf(nullptr), idOf(cudaStreamLegacy));
  unsigned long long other = 0;
  std::thread([&] { other = idOf(nullptr); }).join();
  EXPECT_NE(other, idOf(nullptr));
}

/// Another thread's default stream stands still; ours runs on. With one legacy stream this would
/// wait for ever.
TEST(PerThread, threadsDoNotWaitForEachOther) {
  std::atomic<bool> go{false}, queued{false};
  std::thread holder([&] {
    EXPECT_OK(cudaLaunchHostFunc(
        nullptr,
        [](void *flag) {
          while (!*static_cast<std::atomic<bool> *>(flag))
            std::this_thread::yield();
        },
        &go));
    queued = true;
    EXPECT_OK(cudaStreamSynchronize(nullptr));
  });
  while (!queued)
    std::this_thread::yield();
  Bytes host = pattern(100);
  void *p;
  EXPECT_OK(cudaMalloc(&p, 100));
  EXPECT_OK(cudaMemcpy(p, host.data(), 100, cudaMemcpyHostToDevice));
  EXPECT_OK(cudaMemset(p, 0, 50));
  EXPECT_OK(cudaStreamSynchronize(nullptr));
  go = true;
  holder.join();
  EXPECT_EQ(read(p, 100)[50], 50);
  EXPECT_OK(cudaFree(p));
}

TEST(PerThread, copiesAndFills) {
  const Bytes data = pattern(64);
  Bytes back(64);
  void *p;
  EXPECT_OK(cudaMallocAsync(&p, 64, nullptr));
  EXPECT_OK(cudaMemcpyAsync(p, data.data(), 64, cudaMemcpyHostToDevice, nullptr));
  EXPECT_OK(cudaMemcpy2D(back.data(), 8, p, 8, 8, 8, cudaMemcpyDeviceToHost));
  EXPECT_EQ(back, data);
  EXPECT_OK(cudaMemcpy2DAsync(back.data(), 8, p, 8, 8, 8, cudaMemcpyDeviceToHost, nullptr));
  EXPECT_OK(cudaMemset2D(p, 8, 1, 4, 8));
  EXPECT_OK(cudaMemset2DAsync(p, 8, 2, 2, 8, nullptr));
  EXPECT_OK(cudaMemset3D({p, 8, 8, 8}, 3, {1, 4, 1}));
  EXPECT_OK(cudaMemset3DAsync({p, 8, 8, 8}, 4, {1, 2, 1}, nullptr));
  EXPECT_OK(cudaMemsetAsync(p, 5, 1, nullptr));
  cudaMemcpy3DParms box = {};
  box.srcPtr = {p, 8, 8, 8};
  box.dstPtr = {back.data(), 8, 8, 8};
  box.extent = {8, 8, 1};
  box.kind = cudaMemcpyDeviceToHost;
  EXPECT_OK(cudaMemcpy3D(&box));
  EXPECT_OK(cudaMemcpy3DAsync(&box, nullptr));
  EXPECT_EQ(back[0], 5);
  EXPECT_EQ(back[8], 4);
  EXPECT_EQ(back[24], 3);
  EXPECT_EQ(back[25], 2);
  EXPECT_EQ(back[26], 1);
  EXPECT_EQ(back[28], data[28]);
  cudaMemcpy3DPeerParms peer = {};
  peer.srcPtr = peer.dstPtr = {p, 8, 8, 8};
  peer.extent = {8, 1, 1};
  peer.dstPos = {0, 7, 0};
  EXPECT_OK(cudaMemcpy3DPeer(&peer));
  EXPECT_OK(cudaMemcpy3DPeerAsync(&peer, nullptr));
  EXPECT_EQ(read(p, 64)[56], 5);
  EXPECT_OK(cudaFreeAsync(p, nullptr));
  cudaMemPool_t pool;
  ASSERT_OK(cudaDeviceGetDefaultMemPool(&pool, 0));
  EXPECT_OK(cudaMallocFromPoolAsync(&p, 64, pool, nullptr));
  EXPECT_OK(cudaFreeAsync(p, nullptr));
}

TEST(PerThread, arrays) {
  cudaArray_t array;
  cudaChannelFormatDesc format = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};
  const Bytes data = pattern(64);
  Bytes back(64);
  ASSERT_OK(cudaMallocArray(&array, &format, 8, 8, 0));
  EXPECT_OK(cudaMemcpyToArray(array, 0, 0, data.data(), 64, cudaMemcpyHostToDevice));
  EXPECT_OK(cudaMemcpyFromArray(back.data(), array, 0, 0, 64, cudaMemcpyDeviceToHost));
  EXPECT_EQ(back, data);
  EXPECT_OK(cudaMemcpyToArrayAsync(array, 0, 1, data.data(), 8, cudaMemcpyHostToDevice, nullptr));
  EXPECT_OK(cudaMemcpyFromArrayAsync(back.data(), array, 0, 1, 8, cudaMemcpyDeviceToHost, nullptr));
  EXPECT_EQ(back[0], 0);
  EXPECT_OK(cudaMemcpy2DToArray(array, 0, 0, data.data() + 3, 8, 8, 1, cudaMemcpyHostToDevice));
  EXPECT_OK(cudaMemcpy2DToArrayAsync(array, 0, 1, data.data() + 4, 8, 8, 1, cudaMemcpyHostToDevice,
                                     nullptr));
  EXPECT_OK(cudaMemcpy2DArrayToArray(array, 0, 2, array, 0, 0, 8, 1, cudaMemcpyDeviceToDevice));
  EXPECT_OK(cudaMemcpyArrayToArray(array, 0, 3, array, 0, 1, 8, cudaMemcpyDeviceToDevice));
  EXPECT_OK(cudaMemcpy2DFromArray(back.data(), 8, array, 0, 0, 8, 4, cudaMemcpyDeviceToHost));
  EXPECT_OK(cudaMemcpy2DFromArrayAsync(back.data(), 8, array, 0, 0, 8, 4, cudaMemcpyDeviceToHost,
                                       nullptr));
  EXPECT_EQ(back[0], 3);
  EXPECT_EQ(back[8], 4);
  EXPECT_EQ(back[16], 3);
  EXPECT_EQ(back[24], 4);
  EXPECT_OK(cudaFreeArray(array));
}

TEST(PerThread, batches) {
  Buffer device(16);
  Bytes host = pattern(16);
  void *to[] = {device.get()}, *from[] = {host.data()};
  size_t sizes[] = {16}, first[] = {0}, failed;
  cudaMemcpyAttributes attributes = {};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderAny;
  EXPECT_OK(cudaMemcpyBatchAsync(to, from, sizes, 1, &attributes, first, 1, &failed,
                                 nullptr)); // not the legacy stream
  cudaMemcpy3DBatchOp op = {};
  op.src.type = op.dst.type = cudaMemcpyOperandTypePointer;
  op.src.op.ptr.ptr = device.get();
  op.dst.op.ptr.ptr = device.get() + 8;
  op.extent = {8, 1, 1};
  op.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  EXPECT_OK(cudaMemcpy3DBatchAsync(1, &op, &failed, 0, nullptr));
  EXPECT_OK(cudaStreamSynchronize(nullptr));
  EXPECT_EQ(read(device.get(), 16)[9], 1);
}

TEST(PerThread, symbolsThatAreNone) {
  int local = 0;
  EXPECT_CUDA(cudaErrorInvalidSymbol,
              cudaMemcpyToSymbol(&local, &local, 4, 0, cudaMemcpyHostToDevice));
  EXPECT_CUDA(cudaErrorInvalidSymbol,
              cudaMemcpyFromSymbol(&local, &local, 4, 0, cudaMemcpyDeviceToHost));
  EXPECT_CUDA(cudaErrorInvalidSymbol,
              cudaMemcpyToSymbolAsync(&local, &local, 4, 0, cudaMemcpyHostToDevice, nullptr));
  EXPECT_CUDA(cudaErrorInvalidSymbol,
              cudaMemcpyFromSymbolAsync(&local, &local, 4, 0, cudaMemcpyDeviceToHost, nullptr));
}

TEST(PerThread, streamsAndEvents) {
  unsigned flags = 9;
  int value = 9;
  cudaStreamCaptureStatus status;
  cudaLaunchAttributeValue attribute = {};
  cudaEvent_t event;
  std::atomic<int> calls{0};
  EXPECT_OK(cudaStreamGetFlags(nullptr, &flags));
  EXPECT_OK(cudaStreamGetPriority(nullptr, &value));
  EXPECT_OK(cudaStreamGetDevice(nullptr, &value));
  EXPECT_EQ(value, 0);
  EXPECT_OK(cudaStreamIsCapturing(nullptr, &status));
  EXPECT_EQ(status, cudaStreamCaptureStatusNone);
  EXPECT_OK(cudaStreamGetCaptureInfo_v2(nullptr, &status));
  EXPECT_OK(cudaStreamGetCaptureInfo_v3(nullptr, &status));
  EXPECT_OK(cudaStreamGetAttribute(nullptr, cudaLaunchAttributeSynchronizationPolicy, &attribute));
  attribute.syncPolicy = cudaSyncPolicySpin;
  EXPECT_OK(cudaStreamSetAttribute(nullptr, cudaLaunchAttributeSynchronizationPolicy, &attribute));
  EXPECT_OK(cudaStreamCopyAttributes(cudaStreamLegacy, nullptr));
  EXPECT_OK(cudaStreamGetAttribute(cudaStreamLegacy, cudaLaunchAttributeSynchronizationPolicy,
                                   &attribute));
  EXPECT_EQ(attribute.syncPolicy, cudaSyncPolicySpin);
  ASSERT_OK(cudaEventCreate(&event));
  EXPECT_OK(cudaStreamAddCallback(
      nullptr,
      [](cudaStream_t, cudaError_t, void *count) { ++*static_cast<std::atomic<int> *>(count); },
      &calls, 0));
  EXPECT_OK(cudaEventRecord(event, nullptr));
  EXPECT_OK(cudaEventRecordWithFlags(event, nullptr, 0));
  EXPECT_OK(cudaStreamWaitEvent(nullptr, event, 0));
  EXPECT_OK(cudaEventSynchronize(event));
  EXPECT_EQ(calls, 1);
  EXPECT_OK(cudaStreamSynchronize(nullptr));
  EXPECT_OK(cudaStreamQuery(nullptr));
  EXPECT_OK(cudaEventDestroy(event));
}

TEST(PerThread, managed) {
  void *p;
  ASSERT_OK(cudaMallocManaged(&p, 4096, cudaMemAttachGlobal));
  EXPECT_OK(cudaMemPrefetchAsync(p, 4096, 0, nullptr));
  EXPECT_OK(cudaMemPrefetchAsync_v2(p, 4096, {cudaMemLocationTypeDevice, 0}, 0, nullptr));
  EXPECT_OK(cudaStreamAttachMemAsync(nullptr, p, 0, cudaMemAttachGlobal));
  EXPECT_OK(cudaFree(p));
}

TEST(PerThread, launchesOfNoKernel) {
  int local = 0;
  cudaLaunchConfig_t config = {};
  config.gridDim = config.blockDim = dim3(1);
  EXPECT_CUDA(cudaErrorInvalidDeviceFunction,
              cudaLaunchKernel(&local, dim3(1), dim3(1), nullptr, 0, nullptr));
  EXPECT_CUDA(cudaErrorInvalidDeviceFunction, cudaLaunchKernelExC(&config, &local, nullptr));
  EXPECT_CUDA(cudaErrorInvalidDeviceFunction,
              cudaLaunchCooperativeKernel(&local, dim3(1), dim3(1), nullptr, 0, nullptr));
}

#undef cudaStreamGetCaptureInfo
extern "C" cudaError_t cudaStreamGetCaptureInfo(cudaStream_t, cudaStreamCaptureStatus *,
                                                unsigned long long *);
extern "C" cudaError_t cudaStreamGetCaptureInfo_ptsz(cudaStream_t, cudaStreamCaptureStatus *,
                                                     unsigned long long *);

TEST(PerThread, oldCaptureInfo) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
  EXPECT_OK(cudaStreamGetCaptureInfo(nullptr, &status, nullptr));
  EXPECT_EQ(status, cudaStreamCaptureStatusNone);
  EXPECT_OK(cudaStreamGetCaptureInfo_ptsz(nullptr, &status, nullptr));
}

/// A capture in the thread's own stream, and the graph's launches there.
TEST(PerThread, captures) {
  Buffer buffer(64);
  cudaGraph_t graph, onto;
  cudaGraphExec_t executable;
  cudaGraphNode_t none = nullptr;
  ASSERT_OK(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeThreadLocal));
  EXPECT_OK(cudaMemsetAsync(buffer.get(), 3, 64, nullptr));
  EXPECT_OK(
      cudaStreamUpdateCaptureDependencies(nullptr, &none, 0, cudaStreamAddCaptureDependencies));
  EXPECT_OK(cudaStreamUpdateCaptureDependencies_v2(nullptr, nullptr, nullptr, 0,
                                                   cudaStreamSetCaptureDependencies));
  EXPECT_OK(cudaStreamEndCapture(nullptr, &graph));
  cudaGraphInstantiateParams params = {};
  params.flags = cudaGraphInstantiateFlagUpload;
  ASSERT_OK(cudaGraphInstantiateWithParams(&executable, graph, &params));
  EXPECT_OK(cudaGraphUpload(executable, nullptr));
  EXPECT_OK(cudaGraphLaunch(executable, nullptr));
  EXPECT_EQ(read(buffer.get(), 64), Bytes(64, 3));
  ASSERT_OK(cudaGraphCreate(&onto, 0));
  ASSERT_OK(cudaStreamBeginCaptureToGraph(nullptr, onto, nullptr, nullptr, 0,
                                          cudaStreamCaptureModeRelaxed));
  EXPECT_OK(cudaStreamEndCapture(nullptr, nullptr));
  EXPECT_OK(cudaGraphDestroy(onto));
  EXPECT_OK(cudaGraphDestroy(graph));
  EXPECT_OK(cudaGraphExecDestroy(executable));
}

TEST(PerThread, noEntryPointsThatAreNotSupported) {
  void *function = &function;
  cudaDriverEntryPointQueryResult status = cudaDriverEntryPointSuccess;
  EXPECT_OK(
      cudaGetDriverEntryPoint("cuCheckpointProcessLock", &function, cudaEnableDefault, &status));
  EXPECT_EQ(function, nullptr);
  EXPECT_EQ(status, cudaDriverEntryPointSymbolNotFound);
  EXPECT_CUDA(cudaErrorSymbolNotFound, cudaGetDriverEntryPoint("cuCheckpointProcessLock", &function,
                                                               cudaEnableLegacyStream, nullptr));
  EXPECT_OK(cudaGetDriverEntryPointByVersion("cuCheckpointProcessLock", &function, 12080,
                                             cudaEnablePerThreadDefaultStream, &status));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGetDriverEntryPoint(nullptr, &function, 0, &status));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGetDriverEntryPoint("cuInit", nullptr, 0, &status));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGetDriverEntryPoint("cuInit", &function, 99, &status));
}

TEST(PerThread, semaphores) {
  cudaExternalSemaphoreHandleDesc desc = {};
  desc.type = cudaExternalSemaphoreHandleTypeOpaqueFd;
  desc.handle.fd = eventfd(0, EFD_CLOEXEC);
  cudaExternalSemaphore_t semaphore;
  ASSERT_OK(cudaImportExternalSemaphore(&semaphore, &desc));
  cudaExternalSemaphoreSignalParams signal = {};
  cudaExternalSemaphoreWaitParams wait = {};
  cudaStream_t blocking;
  ASSERT_OK(cudaStreamCreate(&blocking));
  ASSERT_OK(cudaWaitExternalSemaphoresAsync_v2(&semaphore, &wait, 1, nullptr));
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
  (void)cudaGetLastError();
  ASSERT_OK(cudaSignalExternalSemaphoresAsync_v2(&semaphore, &signal, 1, blocking));
  ASSERT_OK(cudaStreamSynchronize(nullptr));
  EXPECT_OK(cudaStreamDestroy(blocking));
  EXPECT_OK(cudaDestroyExternalSemaphore(semaphore));
}

} // namespace
