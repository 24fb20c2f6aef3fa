// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// External memory and semaphores, within a process and between two.
#include "runtime/child_process.h"

#include <atomic>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>

HEDDLE_TEST_DEVICES("cpu")

namespace {

int makeFile(size_t bytes) {
  int file = memfd_create("test", MFD_CLOEXEC);
  EXPECT_EQ(ftruncate(file, static_cast<off_t>(bytes)), 0);
  return file;
}

template <typename T> T *mapFile(int file, size_t bytes = sizeof(T)) {
  void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  EXPECT_NE(p, MAP_FAILED);
  return static_cast<T *>(p);
}

cudaExternalMemoryHandleDesc memoryOf(int file, size_t bytes) {
  cudaExternalMemoryHandleDesc desc = {};
  desc.type = cudaExternalMemoryHandleTypeOpaqueFd;
  desc.handle.fd = file;
  desc.size = bytes;
  return desc;
}

cudaExternalSemaphore_t import(cudaExternalSemaphoreHandleType type, int file) {
  cudaExternalSemaphoreHandleDesc desc = {};
  desc.type = type;
  desc.handle.fd = file;
  cudaExternalSemaphore_t semaphore = nullptr;
  EXPECT_OK(cudaImportExternalSemaphore(&semaphore, &desc));
  return semaphore;
}

constexpr auto Binary = cudaExternalSemaphoreHandleTypeOpaqueFd;
constexpr auto Timeline = cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd;

cudaError_t signal(cudaExternalSemaphore_t semaphore, uint64_t value, cudaStream_t stream) {
  cudaExternalSemaphoreSignalParams params = {};
  params.params.fence.value = value;
  return cudaSignalExternalSemaphoresAsync(&semaphore, &params, 1, stream);
}

cudaError_t wait(cudaExternalSemaphore_t semaphore, uint64_t value, cudaStream_t stream) {
  cudaExternalSemaphoreWaitParams params = {};
  params.params.fence.value = value;
  return cudaWaitExternalSemaphoresAsync(&semaphore, &params, 1, stream);
}

class Streams : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_OK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    ASSERT_OK(cudaStreamCreateWithFlags(&other_, cudaStreamNonBlocking));
  }
  void TearDown() override {
    EXPECT_OK(cudaStreamDestroy(stream_));
    EXPECT_OK(cudaStreamDestroy(other_));
  }
  cudaStream_t stream_ = nullptr, other_ = nullptr;
};

// ---------------------------------------------------------------------------------------------------
// Memory.

TEST(ExternalMemory, isWhatTheFileHolds) {
  constexpr size_t Size = 3 << 20, Offset = 4096 * 3 + 768, Count = 1 << 20;
  int file = makeFile(Size);
  auto *bytes = mapFile<unsigned char>(file, Size);
  auto desc = memoryOf(file, Size);
  cudaExternalMemory_t memory;
  size_t freeBefore, free, total;
  ASSERT_OK(cudaMemGetInfo(&freeBefore, &total));
  ASSERT_OK(cudaImportExternalMemory(&memory, &desc));
  cudaExternalMemoryBufferDesc buffer = {Offset, Count, 0};
  void *p, *q;
  ASSERT_OK(cudaExternalMemoryGetMappedBuffer(&p, memory, &buffer));
  ASSERT_OK(cudaExternalMemoryGetMappedBuffer(&q, memory, &buffer));
  EXPECT_NE(p, q);
  ASSERT_OK(cudaMemGetInfo(&free, &total));
  EXPECT_EQ(free, freeBefore);
  Bytes mine = pattern(Count, 3);
  std::memcpy(bytes + Offset, mine.data(), Count);
  EXPECT_EQ(read(p, Count), mine);
  ASSERT_OK(cudaMemset(p, 77, Count));
  ASSERT_OK(cudaDeviceSynchronize());
  EXPECT_EQ(bytes[Offset], 77);
  EXPECT_EQ(bytes[Offset + Count - 1], 77);
  EXPECT_EQ(bytes[Offset - 1], 0);
  EXPECT_EQ(bytes[Offset + Count], 0);
  EXPECT_EQ(read(q, Count), Bytes(Count, 77));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemset(p, 1, Count + 1));
  EXPECT_OK(cudaDestroyExternalMemory(memory));
  EXPECT_CUDA(cudaErrorInvalidResourceHandle, cudaDestroyExternalMemory(memory));
  EXPECT_EQ(read(q, 1)[0], 77) << "mappings outlive it";
  EXPECT_OK(cudaFree(p));
  EXPECT_OK(cudaFree(q));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaFree(q));
  munmap(bytes, Size);
}

TEST(ExternalMemory, holdsMipmappedArrays) {
  constexpr size_t Offset = 4096, Width = 37, Height = 19;
  int file = makeFile(1 << 16);
  auto *bytes = mapFile<unsigned char>(file, 1 << 16);
  auto desc = memoryOf(file, 1 << 16);
  cudaExternalMemory_t memory;
  ASSERT_OK(cudaImportExternalMemory(&memory, &desc));
  cudaExternalMemoryMipmappedArrayDesc array = {};
  array.offset = Offset;
  array.formatDesc = cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindUnsigned);
  array.extent = {Width, Height, 0};
  array.numLevels = 2;
  cudaMipmappedArray_t mipmap;
  cudaArray_t level;
  ASSERT_OK(cudaExternalMemoryGetMappedMipmappedArray(&mipmap, memory, &array));
  ASSERT_OK(cudaGetMipmappedArrayLevel(&level, mipmap, 0));
  Bytes mine = pattern(Width * Height, 9), seen(Width * Height);
  std::memcpy(bytes + Offset, mine.data(), mine.size());
  ASSERT_OK(cudaMemcpy2DFromArray(seen.data(), Width, level, 0, 0, Width, Height,
                                  cudaMemcpyDeviceToHost));
  EXPECT_EQ(seen, mine);
  array.extent = {300, 300, 0};
  cudaMipmappedArray_t none;
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaExternalMemoryGetMappedMipmappedArray(&none, memory, &array)); // too large
  array.numLevels = 0;
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaExternalMemoryGetMappedMipmappedArray(&none, memory, &array));
  EXPECT_OK(cudaFreeMipmappedArray(mipmap));
  EXPECT_OK(cudaDestroyExternalMemory(memory));
  munmap(bytes, 1 << 16);
}

TEST(ExternalMemory, refusesWhatIsNone) {
  cudaExternalMemory_t memory;
  int file = makeFile(4096);
  auto desc = memoryOf(file, 4096);
  EXPECT_CUDA(cudaErrorInvalidValue, cudaImportExternalMemory(nullptr, &desc));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaImportExternalMemory(&memory, nullptr));
  desc.size = 0;
  EXPECT_CUDA(cudaErrorInvalidValue, cudaImportExternalMemory(&memory, &desc));
  desc.size = 4097;
  EXPECT_CUDA(cudaErrorInvalidValue, cudaImportExternalMemory(&memory, &desc));
  desc.size = 4096;
  desc.flags = 2;
  EXPECT_CUDA(cudaErrorInvalidValue, cudaImportExternalMemory(&memory, &desc));
  desc.flags = cudaExternalMemoryDedicated;
  desc.type = static_cast<cudaExternalMemoryHandleType>(99);
  EXPECT_CUDA(cudaErrorInvalidValue, cudaImportExternalMemory(&memory, &desc));
  desc.type = cudaExternalMemoryHandleTypeD3D12Heap;
  testing::internal::CaptureStderr();
  EXPECT_CUDA(cudaErrorNotSupported, cudaImportExternalMemory(&memory, &desc));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "heddle: external memory: handles of type D3D12Heap are not supported\n");
  desc.type = cudaExternalMemoryHandleTypeOpaqueFd;
  desc.handle.fd = eventfd(0, EFD_CLOEXEC);
  EXPECT_CUDA(cudaErrorOperatingSystem, cudaImportExternalMemory(&memory, &desc));
  close(desc.handle.fd);
  EXPECT_CUDA(cudaErrorOperatingSystem, cudaImportExternalMemory(&memory, &desc)); // closed
  desc.handle.fd = file;
  ASSERT_OK(cudaImportExternalMemory(&memory, &desc));
  void *p;
  for (cudaExternalMemoryBufferDesc buffer : {cudaExternalMemoryBufferDesc{0, 0, 0},
                                              {0, 4097, 0},
                                              {4096, 1, 0},
                                              {0, 10, 1},
                                              {~0ull, 10, 0}})
    EXPECT_CUDA(cudaErrorInvalidValue, cudaExternalMemoryGetMappedBuffer(&p, memory, &buffer));
  cudaExternalMemoryBufferDesc whole = {0, 4096, 0};
  EXPECT_CUDA(cudaErrorInvalidValue, cudaExternalMemoryGetMappedBuffer(nullptr, memory, &whole));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaExternalMemoryGetMappedBuffer(&p, nullptr, &whole));
  EXPECT_OK(cudaDestroyExternalMemory(memory));
}

// ---------------------------------------------------------------------------------------------------
// Semaphores.

using Semaphores = Streams;

TEST_F(Semaphores, orderStreams) {
  for (auto type : {Binary, Timeline}) {
    auto semaphore = import(type, type == Binary ? eventfd(0, EFD_CLOEXEC) : makeFile(8));
    Buffer buffer(1 << 16);
    Pinned seen(1 << 16);
    for (uint64_t round = 1; round <= 20; ++round) {
      // The wait is asked for first.
      ASSERT_OK(wait(semaphore, round, stream_));
      ASSERT_OK(
          cudaMemcpyAsync(seen.get(), buffer.get(), 1 << 16, cudaMemcpyDeviceToHost, stream_));
      EXPECT_EQ(cudaStreamQuery(stream_), cudaErrorNotReady);
      ASSERT_OK(cudaMemsetAsync(buffer.get(), static_cast<int>(round), 1 << 16, other_));
      ASSERT_OK(signal(semaphore, round, other_));
      ASSERT_OK(cudaStreamSynchronize(stream_));
      EXPECT_EQ(Bytes(seen.get(), seen.get() + (1 << 16)),
                Bytes(1 << 16, static_cast<unsigned char>(round)));
    }
    EXPECT_OK(cudaDestroyExternalSemaphore(semaphore));
    EXPECT_CUDA(cudaErrorInvalidResourceHandle, cudaDestroyExternalSemaphore(semaphore));
    EXPECT_CUDA(cudaErrorInvalidResourceHandle, wait(semaphore, 1, stream_));
  }
}

/// Many waits at a time keep nobody from going on, nor does one that is dropped with its
/// semaphore's handle.
TEST_F(Semaphores, manyWait) {
  int file = makeFile(8);
  auto *counter = mapFile<std::atomic<uint64_t>>(file);
  auto semaphore = import(Timeline, file);
  cudaStream_t streams[40];
  std::atomic<uint64_t> passed = 0;
  auto count = [](void *p) { ++*static_cast<std::atomic<uint64_t> *>(p); };
  for (cudaStream_t &stream : streams) {
    ASSERT_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    ASSERT_OK(wait(semaphore, 1ull << 40, stream));
    ASSERT_OK(cudaLaunchHostFunc(stream, count, &passed));
  }
  EXPECT_OK(cudaDestroyExternalSemaphore(semaphore));
  ASSERT_OK(cudaLaunchHostFunc(stream_, count, &passed));
  ASSERT_OK(cudaStreamSynchronize(stream_));
  EXPECT_EQ(passed, 1u);
  counter->store(1ull << 40); // and wakes nobody
  for (cudaStream_t stream : streams) {
    ASSERT_OK(cudaStreamSynchronize(stream));
    ASSERT_OK(cudaStreamDestroy(stream));
  }
  EXPECT_EQ(passed, 41u);
  munmap(counter, 8);
}

TEST_F(Semaphores, refuseWhatIsNone) {
  cudaExternalSemaphore_t semaphore;
  cudaExternalSemaphoreHandleDesc desc = {};
  EXPECT_CUDA(cudaErrorInvalidValue, cudaImportExternalSemaphore(&semaphore, nullptr));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaImportExternalSemaphore(&semaphore, &desc));
  desc.type = Binary;
  desc.handle.fd = makeFile(8);
  EXPECT_CUDA(cudaErrorInvalidValue, cudaImportExternalSemaphore(nullptr, &desc));
  EXPECT_CUDA(cudaErrorOperatingSystem, cudaImportExternalSemaphore(&semaphore, &desc));
  close(desc.handle.fd);
  desc.type = Timeline;
  desc.handle.fd = makeFile(7);
  EXPECT_CUDA(cudaErrorOperatingSystem, cudaImportExternalSemaphore(&semaphore, &desc));
  close(desc.handle.fd);
  desc.handle.fd = eventfd(0, EFD_CLOEXEC);
  EXPECT_CUDA(cudaErrorOperatingSystem, cudaImportExternalSemaphore(&semaphore, &desc));
  desc.type = cudaExternalSemaphoreHandleTypeKeyedMutex;
  testing::internal::CaptureStderr();
  EXPECT_CUDA(cudaErrorNotSupported, cudaImportExternalSemaphore(&semaphore, &desc));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "heddle: external semaphores: handles of type KeyedMutex are not supported\n");
  desc.type = Binary;
  ASSERT_OK(cudaImportExternalSemaphore(&semaphore, &desc));
  cudaExternalSemaphoreSignalParams params = {};
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaSignalExternalSemaphoresAsync(nullptr, &params, 1, stream_));
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaSignalExternalSemaphoresAsync(&semaphore, nullptr, 1, stream_));
  params.flags = 1;
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaSignalExternalSemaphoresAsync(&semaphore, &params, 1, stream_));
  EXPECT_OK(cudaDestroyExternalSemaphore(semaphore));
}

/// Has the values doubled by this process, with memory, a timeline and a binary semaphore of the
/// parent's.
TEST(DISABLED_Child, doublesValues) {
  Line line = parentLine();
  auto desc = memoryOf(line.receiveFile(), 4096);
  cudaExternalMemory_t memory;
  ASSERT_OK(cudaImportExternalMemory(&memory, &desc));
  auto timeline = import(Timeline, line.receiveFile());
  auto binary = import(Binary, line.receiveFile());
  cudaExternalMemoryBufferDesc whole = {0, 4096, 0};
  void *p;
  ASSERT_OK(cudaExternalMemoryGetMappedBuffer(&p, memory, &whole));
  auto doubleAll = [](void *data) {
    for (int i = 0; i < 1024; ++i)
      static_cast<unsigned *>(data)[i] *= 2;
  };
  ASSERT_OK(wait(timeline, 5, nullptr));
  ASSERT_OK(cudaLaunchHostFunc(nullptr, doubleAll, p));
  ASSERT_OK(signal(binary, 0, nullptr));
  ASSERT_OK(cudaDeviceSynchronize());
  EXPECT_OK(cudaFree(p));
}

TEST_F(Semaphores, orderProcesses) {
  int memoryFile = makeFile(4096), counterFile = makeFile(8), eventFile = eventfd(0, EFD_CLOEXEC);
  Child child("doublesValues");
  for (int file : {memoryFile, counterFile, eventFile})
    child.sendFile(file);
  auto desc = memoryOf(memoryFile, 4096);
  cudaExternalMemory_t memory;
  ASSERT_OK(cudaImportExternalMemory(&memory, &desc));
  cudaExternalMemoryBufferDesc whole = {0, 4096, 0};
  void *p;
  ASSERT_OK(cudaExternalMemoryGetMappedBuffer(&p, memory, &whole));
  auto timeline = import(Timeline, counterFile), binary = import(Binary, eventFile);
  std::vector<unsigned> values(1024), seen(1024);
  for (unsigned i = 0; i < 1024; ++i)
    values[i] = i * 7919;
  ASSERT_OK(cudaMemcpyAsync(p, values.data(), 4096, cudaMemcpyHostToDevice, stream_));
  ASSERT_OK(signal(timeline, 5, stream_));
  ASSERT_OK(wait(binary, 0, stream_));
  ASSERT_OK(cudaMemcpyAsync(seen.data(), p, 4096, cudaMemcpyDeviceToHost, stream_));
  ASSERT_OK(cudaStreamSynchronize(stream_));
  for (unsigned i = 0; i < 1024; ++i)
    ASSERT_EQ(seen[i], 2 * values[i]);
  EXPECT_OK(cudaFree(p));
  EXPECT_OK(cudaDestroyExternalMemory(memory));
  EXPECT_OK(cudaDestroyExternalSemaphore(timeline));
  EXPECT_OK(cudaDestroyExternalSemaphore(binary));
}

// ---------------------------------------------------------------------------------------------------
// Graphs.

struct TwoSemaphores {
  cudaExternalSemaphore_t handles[2];
  std::atomic<uint64_t> *counters[2];
  TwoSemaphores() {
    for (int i = 0; i < 2; ++i) {
      int file = makeFile(8);
      counters[i] = mapFile<std::atomic<uint64_t>>(file);
      handles[i] = import(Timeline, file);
    }
  }
  ~TwoSemaphores() {
    for (int i = 0; i < 2; ++i) {
      EXPECT_OK(cudaDestroyExternalSemaphore(handles[i]));
      munmap(counters[i], 8);
    }
  }
};

TEST_F(Semaphores, areNodes) {
  TwoSemaphores two;
  cudaGraph_t graph;
  cudaGraphNode_t waits, signals;
  cudaExternalSemaphoreWaitParams waitParams[2] = {};
  cudaExternalSemaphoreSignalParams signalParams[2] = {};
  waitParams[0].params.fence.value = 3;
  signalParams[0].params.fence.value = 8;
  ASSERT_OK(cudaGraphCreate(&graph, 0));
  cudaExternalSemaphoreWaitNodeParams wait = {&two.handles[0], waitParams, 1}, waitTold;
  cudaExternalSemaphoreSignalNodeParams signal = {&two.handles[1], signalParams, 1}, signalTold;
  ASSERT_OK(cudaGraphAddExternalSemaphoresWaitNode(&waits, graph, nullptr, 0, &wait));
  ASSERT_OK(cudaGraphAddExternalSemaphoresSignalNode(&signals, graph, &waits, 1, &signal));
  cudaGraphNodeType type;
  ASSERT_OK(cudaGraphNodeGetType(waits, &type));
  EXPECT_EQ(type, cudaGraphNodeTypeExtSemaphoreWait);
  ASSERT_OK(cudaGraphNodeGetType(signals, &type));
  EXPECT_EQ(type, cudaGraphNodeTypeExtSemaphoreSignal);
  ASSERT_OK(cudaGraphExternalSemaphoresWaitNodeGetParams(waits, &waitTold));
  EXPECT_EQ(waitTold.numExtSems, 1u);
  EXPECT_EQ(waitTold.extSemArray[0], two.handles[0]);
  EXPECT_EQ(waitTold.paramsArray[0].params.fence.value, 3u);
  ASSERT_OK(cudaGraphExternalSemaphoresSignalNodeGetParams(signals, &signalTold));
  EXPECT_EQ(signalTold.paramsArray[0].params.fence.value, 8u);
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaGraphExternalSemaphoresWaitNodeGetParams(signals, &waitTold));
  signalParams[0].params.fence.value = 9;
  ASSERT_OK(cudaGraphExternalSemaphoresSignalNodeSetParams(signals, &signal));
  ASSERT_OK(cudaGraphExternalSemaphoresWaitNodeSetParams(waits, &wait));

  cudaGraphExec_t executable;
  ASSERT_OK(cudaGraphInstantiate(&executable, graph, 0));
  ASSERT_OK(cudaGraphLaunch(executable, stream_));
  EXPECT_EQ(cudaStreamQuery(stream_), cudaErrorNotReady);
  *two.counters[0] = 3;
  ASSERT_OK(cudaStreamSynchronize(stream_));
  EXPECT_EQ(*two.counters[1], 9u);

  waitParams[0].params.fence.value = 4;
  signalParams[0].params.fence.value = 10;
  ASSERT_OK(cudaGraphExecExternalSemaphoresWaitNodeSetParams(executable, waits, &wait));
  ASSERT_OK(cudaGraphExecExternalSemaphoresSignalNodeSetParams(executable, signals, &signal));
  ASSERT_OK(cudaGraphLaunch(executable, stream_));
  EXPECT_EQ(*two.counters[1], 9u);
  *two.counters[0] = 4;
  ASSERT_OK(cudaStreamSynchronize(stream_));
  EXPECT_EQ(*two.counters[1], 10u);

  wait = {two.handles, waitParams, 2};
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGraphExecExternalSemaphoresWaitNodeSetParams(
                                         executable, waits, &wait)); // another number
  ASSERT_OK(cudaGraphExternalSemaphoresWaitNodeSetParams(waits, &wait));
  cudaGraphExecUpdateResultInfo info;
  EXPECT_CUDA(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(executable, graph, &info));
  EXPECT_EQ(info.result, cudaGraphExecUpdateErrorParametersChanged);
  wait.extSemArray = nullptr;
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaGraphAddExternalSemaphoresWaitNode(&waits, graph, nullptr, 0, &wait));
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaGraphAddExternalSemaphoresWaitNode(&waits, graph, nullptr, 0, nullptr));
  EXPECT_OK(cudaGraphExecDestroy(executable));
  EXPECT_OK(cudaGraphDestroy(graph));
}

TEST_F(Semaphores, areAddedAsNodesOfAnyKind) {
  TwoSemaphores two;
  cudaGraph_t graph;
  cudaGraphNode_t signals, waits;
  cudaExternalSemaphoreSignalParams signalParams[2] = {};
  cudaExternalSemaphoreWaitParams waitParams[2] = {};
  signalParams[0].params.fence.value = waitParams[0].params.fence.value = 1;
  signalParams[1].params.fence.value = waitParams[1].params.fence.value = 2;
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeExtSemaphoreSignal;
  params.extSemSignal = {two.handles, signalParams, 2};
  ASSERT_OK(cudaGraphCreate(&graph, 0));
  ASSERT_OK(cudaGraphAddNode(&signals, graph, nullptr, 0, &params));
  params = {};
  params.type = cudaGraphNodeTypeExtSemaphoreWait;
  params.extSemWait = {two.handles, waitParams, 2};
  ASSERT_OK(cudaGraphAddNode(&waits, graph, nullptr, 0, &params)); // beside the signals
  cudaGraphExec_t executable;
  ASSERT_OK(cudaGraphInstantiate(&executable, graph, 0));
  ASSERT_OK(cudaGraphLaunch(executable, stream_));
  ASSERT_OK(cudaStreamSynchronize(stream_));
  EXPECT_EQ(*two.counters[0], 1u);
  EXPECT_EQ(*two.counters[1], 2u);
  EXPECT_OK(cudaGraphExecDestroy(executable));
  EXPECT_OK(cudaGraphDestroy(graph));
}

TEST_F(Semaphores, areCaptured) {
  TwoSemaphores two;
  ASSERT_OK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
  ASSERT_OK(wait(two.handles[0], 6, stream_));
  ASSERT_OK(signal(two.handles[1], 7, stream_));
  cudaGraph_t graph;
  ASSERT_OK(cudaStreamEndCapture(stream_, &graph));
  EXPECT_EQ(*two.counters[1], 0u);
  size_t count = 0;
  ASSERT_OK(cudaGraphGetNodes(graph, nullptr, &count));
  EXPECT_EQ(count, 2u);
  cudaGraphExec_t executable;
  ASSERT_OK(cudaGraphInstantiate(&executable, graph, 0));
  for (uint64_t value : {6, 100}) {
    *two.counters[0] = value;
    ASSERT_OK(cudaGraphLaunch(executable, stream_));
    ASSERT_OK(cudaStreamSynchronize(stream_));
    EXPECT_EQ(*two.counters[1], 7u);
  }
  EXPECT_OK(cudaGraphExecDestroy(executable));
  EXPECT_OK(cudaGraphDestroy(graph));
}

// ---------------------------------------------------------------------------------------------------
// What programs of older and other headers call.

struct OldParams {
  unsigned long long value, nvSciSync, key;
  unsigned flags;
};
using OldSignal = cudaError_t(const cudaExternalSemaphore_t *, const void *, unsigned,
                              cudaStream_t);
#undef cudaSignalExternalSemaphoresAsync
#undef cudaWaitExternalSemaphoresAsync
extern "C" OldSignal cudaSignalExternalSemaphoresAsync, cudaSignalExternalSemaphoresAsync_ptsz,
    cudaWaitExternalSemaphoresAsync, cudaWaitExternalSemaphoresAsync_ptsz;

TEST_F(Semaphores, haveAnOlderInterface) {
  TwoSemaphores two;
  OldParams signals[2] = {{5, 0, 0, 0}, {6, 0, 0, 0}};
  struct {
    unsigned long long value, nvSciSync, key, timeout;
    unsigned flags;
  } waits[2] = {{5, 0, 0, 0, 0}, {6, 0, 0, 0, 0}};
  EXPECT_OK(cudaSignalExternalSemaphoresAsync(two.handles, signals, 2, stream_));
  EXPECT_OK(cudaWaitExternalSemaphoresAsync(two.handles, waits, 2, stream_));
  EXPECT_OK(cudaSignalExternalSemaphoresAsync_ptsz(two.handles, signals, 2, stream_));
  EXPECT_OK(cudaWaitExternalSemaphoresAsync_ptsz(two.handles, waits, 2, stream_));
  ASSERT_OK(cudaStreamSynchronize(stream_));
  EXPECT_EQ(*two.counters[0], 5u);
  EXPECT_EQ(*two.counters[1], 6u);
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaSignalExternalSemaphoresAsync(two.handles, nullptr, 2, stream_));
}

} // namespace
