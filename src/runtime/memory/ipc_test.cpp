// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/child_process.h"

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

HEDDLE_TEST_DEVICES("cpu,h200")

namespace {

constexpr size_t Big = (5 << 20) + 12345;

struct Message {
  cudaIpcMemHandle_t memory, same;
  cudaIpcEventHandle_t event;
  size_t bytes;
};

cudaIpcMemHandle_t handleOf(void *p) {
  cudaIpcMemHandle_t handle = {};
  EXPECT_OK(cudaIpcGetMemHandle(&handle, p));
  return handle;
}

cudaEvent_t makeEvent() {
  cudaEvent_t event = nullptr;
  EXPECT_OK(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
  return event;
}

Message about(void *p, size_t bytes, cudaEvent_t event) {
  Message message = {handleOf(p), handleOf(static_cast<char *>(p) + bytes / 2), {}, bytes};
  EXPECT_OK(cudaIpcGetEventHandle(&message.event, event));
  return message;
}

/// Waits for the parent's record, checks the pattern from 1, writes the pattern from 2 and records.
TEST(DISABLED_Child, sharesMemoryAndEvents) {
  Line line = parentLine();
  auto message = line.receive<Message>();
  void *p = nullptr, *again = nullptr;
  cudaEvent_t event;
  cudaStream_t stream;
  size_t free, total, freeBefore;
  ASSERT_OK(cudaMemGetInfo(&freeBefore, &total));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaIpcOpenMemHandle(&p, message.memory, 0));
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaIpcOpenMemHandle(nullptr, message.memory, cudaIpcMemLazyEnablePeerAccess));
  ASSERT_OK(cudaIpcOpenMemHandle(&p, message.memory, cudaIpcMemLazyEnablePeerAccess));
  ASSERT_OK(cudaIpcOpenMemHandle(&again, message.same, cudaIpcMemLazyEnablePeerAccess));
  EXPECT_EQ(again, p) << "a handle of the middle is one of the allocation";
  ASSERT_OK(cudaMemGetInfo(&free, &total));
  EXPECT_EQ(free, freeBefore) << "it is the other process's memory";
  ASSERT_OK(cudaIpcOpenEventHandle(&event, message.event));
  ASSERT_OK(cudaStreamCreate(&stream));
  ASSERT_OK(cudaStreamWaitEvent(stream, event, 0));
  const Bytes mine = pattern(message.bytes, 2);
  Pinned seen(message.bytes), given(message.bytes);
  std::copy(mine.begin(), mine.end(), given.get());
  ASSERT_OK(cudaMemcpyAsync(seen.get(), p, message.bytes, cudaMemcpyDeviceToHost, stream));
  ASSERT_OK(cudaMemcpyAsync(p, given.get(), message.bytes, cudaMemcpyHostToDevice, stream));
  ASSERT_OK(cudaEventRecord(event, stream));
  line.send(1);
  ASSERT_OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(Bytes(seen.get(), seen.get() + message.bytes), pattern(message.bytes, 1));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaFree(p)); // it must be closed
  cudaPointerAttributes attributes;
  ASSERT_OK(cudaPointerGetAttributes(&attributes, static_cast<char *>(p) + 5));
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  cudaIpcMemHandle_t handle;
  EXPECT_CUDA(cudaErrorInvalidValue, cudaIpcGetMemHandle(&handle, p)); // not this process's
  EXPECT_OK(cudaIpcCloseMemHandle(p));
  // What it has: the parent may be reading.
  ASSERT_OK(cudaMemset(p, mine[0], 1)) << "opened twice";
  EXPECT_OK(cudaIpcCloseMemHandle(p));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaIpcCloseMemHandle(p));
  ASSERT_OK(cudaPointerGetAttributes(&attributes, p));
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
  EXPECT_OK(cudaEventDestroy(event));
}

void exchange(size_t bytes) {
  void *p;
  ASSERT_OK(cudaMalloc(&p, bytes));
  cudaEvent_t event = makeEvent();
  cudaStream_t stream;
  ASSERT_OK(cudaStreamCreate(&stream));
  EXPECT_OK(cudaEventQuery(event)) << "never recorded";
  const Message message = about(p, bytes, event);
  Child child("sharesMemoryAndEvents");
  // What the child waits for comes late.
  std::atomic<bool> mayGoOn = false;
  auto wait = [](void *flag) {
    while (!*static_cast<std::atomic<bool> *>(flag))
      std::this_thread::yield();
  };
  const Bytes mine = pattern(bytes, 1);
  Pinned given(bytes);
  std::copy(mine.begin(), mine.end(), given.get());
  ASSERT_OK(cudaLaunchHostFunc(stream, wait, &mayGoOn));
  ASSERT_OK(cudaMemcpyAsync(p, given.get(), bytes, cudaMemcpyHostToDevice, stream));
  ASSERT_OK(cudaEventRecord(event, stream));
  EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
  child.send(message);
  EXPECT_EQ(child.receive<int>(), 1); // it has recorded; so this waits for it
  EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
  mayGoOn = true;
  ASSERT_OK(cudaEventSynchronize(event));
  EXPECT_OK(cudaEventQuery(event));
  EXPECT_EQ(read(p, bytes), pattern(bytes, 2));
  float time;
  EXPECT_CUDA(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&time, event, event));
  EXPECT_OK(cudaFree(p));
  EXPECT_OK(cudaEventDestroy(event));
  EXPECT_OK(cudaStreamDestroy(stream));
}

TEST(Ipc, sharesSmallMemory) { exchange(1000); }
TEST(Ipc, sharesLargeMemory) { exchange(Big); }

TEST(Ipc, sharesSlotsOfSlabs) {
  // Small allocations lie close together once there have been many.
  std::vector<void *> taken(70000);
  for (void *&p : taken)
    ASSERT_OK(cudaMalloc(&p, 300));
  exchange(300);
  for (void *p : taken)
    ASSERT_OK(cudaFree(p));
}

/// Two threads add to random values while the memory goes into files: device memory is the host's,
/// too.
TEST(Ipc, movesMemoryUnderItsUsers) {
  constexpr size_t Count = 1 << 20;
  std::vector<uint32_t *> all(8);
  for (uint32_t *&p : all) {
    ASSERT_OK(cudaMalloc(reinterpret_cast<void **>(&p), Count * sizeof(uint32_t)));
    ASSERT_OK(cudaMemset(p, 0, Count * sizeof(uint32_t)));
  }
  ASSERT_OK(cudaDeviceSynchronize());
  std::atomic<bool> ends = false;
  std::atomic<uint64_t> written = 0;
  auto write = [&](unsigned seed) {
    std::mt19937 random(seed);
    uint64_t mine = 0;
    while (!ends)
      for (int i = 0; i < 1000; ++i, ++mine)
        __atomic_fetch_add(&all[random() % all.size()][random() % Count], 1, __ATOMIC_RELAXED);
    written += mine;
  };
  std::thread writers[] = {std::thread(write, 1), std::thread(write, 2)};
  for (uint32_t *p : all)
    handleOf(p);
  ends = true;
  for (std::thread &writer : writers)
    writer.join();
  uint64_t found = 0;
  for (uint32_t *p : all) {
    for (size_t i = 0; i < Count; ++i)
      found += p[i];
    EXPECT_OK(cudaFree(p));
  }
  EXPECT_EQ(found, written);
}

TEST(Ipc, refusesWhatIsNoDeviceMemory) {
  cudaIpcMemHandle_t handle;
  void *p;
  int host;
  EXPECT_CUDA(cudaErrorInvalidValue, cudaIpcGetMemHandle(&handle, &host));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaIpcGetMemHandle(&handle, nullptr));
  Buffer buffer(100);
  EXPECT_CUDA(cudaErrorInvalidValue, cudaIpcGetMemHandle(nullptr, buffer.get()));
  ASSERT_OK(cudaMallocHost(&p, 100));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaIpcGetMemHandle(&handle, p));
  EXPECT_OK(cudaFreeHost(p));
  ASSERT_OK(cudaMallocManaged(&p, 100));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaIpcGetMemHandle(&handle, p));
  EXPECT_OK(cudaFree(p));
  ASSERT_OK(cudaMallocAsync(&p, 100, nullptr));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaIpcGetMemHandle(&handle, p));
  EXPECT_OK(cudaFreeAsync(p, nullptr));
  EXPECT_OK(cudaDeviceSynchronize());
}

TEST(Ipc, refusesHandlesOfItsOwn) {
  Buffer buffer(100);
  void *p;
  cudaIpcMemHandle_t handle = handleOf(buffer.get()), wrong = {};
  EXPECT_CUDA(cudaErrorDeviceUninitialized,
              cudaIpcOpenMemHandle(&p, handle, cudaIpcMemLazyEnablePeerAccess));
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaIpcOpenMemHandle(&p, wrong, cudaIpcMemLazyEnablePeerAccess));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaIpcCloseMemHandle(buffer.get()));
  cudaEvent_t event = makeEvent(), opened;
  cudaIpcEventHandle_t eventHandle, wrongEvent = {};
  ASSERT_OK(cudaIpcGetEventHandle(&eventHandle, event));
  EXPECT_CUDA(cudaErrorDeviceUninitialized, cudaIpcOpenEventHandle(&opened, eventHandle));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaIpcOpenEventHandle(&opened, wrongEvent));
  EXPECT_OK(cudaEventDestroy(event));
}

TEST(Ipc, wantsEventsWithoutTimesForSeveralProcesses) {
  cudaEvent_t event;
  cudaIpcEventHandle_t handle;
  EXPECT_CUDA(cudaErrorInvalidValue, cudaEventCreateWithFlags(&event, cudaEventInterprocess));
  ASSERT_OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  EXPECT_CUDA(cudaErrorInvalidResourceHandle, cudaIpcGetEventHandle(&handle, event));
  EXPECT_OK(cudaEventDestroy(event));
  event = makeEvent();
  EXPECT_CUDA(cudaErrorInvalidValue, cudaIpcGetEventHandle(nullptr, event));
  EXPECT_OK(cudaEventDestroy(event));
}

/// A graph of this process waits for one of the parent's.
TEST(DISABLED_Child, launchesGraph) {
  Line line = parentLine();
  auto message = line.receive<Message>();
  void *p = nullptr;
  cudaEvent_t event;
  ASSERT_OK(cudaIpcOpenMemHandle(&p, message.memory, cudaIpcMemLazyEnablePeerAccess));
  ASSERT_OK(cudaIpcOpenEventHandle(&event, message.event));
  cudaGraph_t graph;
  cudaGraphNode_t wait, fill, record;
  cudaGraphExec_t executable;
  ASSERT_OK(cudaGraphCreate(&graph, 0));
  ASSERT_OK(cudaGraphAddEventWaitNode(&wait, graph, nullptr, 0, event));
  cudaMemsetParams set = {static_cast<char *>(p) + 10, 0, 9, 1, 10, 1};
  ASSERT_OK(cudaGraphAddMemsetNode(&fill, graph, &wait, 1, &set));
  ASSERT_OK(cudaGraphAddEventRecordNode(&record, graph, &fill, 1, event));
  ASSERT_OK(cudaGraphInstantiate(&executable, graph, 0));
  cudaStream_t stream;
  ASSERT_OK(cudaStreamCreate(&stream));
  ASSERT_OK(cudaGraphLaunch(executable, stream));
  line.send(1);
  ASSERT_OK(cudaStreamSynchronize(stream));
  EXPECT_OK(cudaGraphExecDestroy(executable));
  EXPECT_OK(cudaGraphDestroy(graph));
  EXPECT_OK(cudaIpcCloseMemHandle(p));
}

TEST(Ipc, ordersGraphs) {
  Buffer buffer(100);
  ASSERT_OK(cudaMemset(buffer.get(), 1, 100));
  cudaEvent_t event = makeEvent();
  cudaGraph_t graph;
  cudaGraphNode_t host, fill, record;
  cudaGraphExec_t executable;
  std::atomic<bool> mayGoOn = false;
  auto wait = [](void *flag) {
    while (!*static_cast<std::atomic<bool> *>(flag))
      std::this_thread::yield();
  };
  ASSERT_OK(cudaGraphCreate(&graph, 0));
  cudaHostNodeParams function = {wait, &mayGoOn};
  ASSERT_OK(cudaGraphAddHostNode(&host, graph, nullptr, 0, &function));
  cudaMemsetParams set = {buffer.get(), 0, 5, 1, 100, 1};
  ASSERT_OK(cudaGraphAddMemsetNode(&fill, graph, &host, 1, &set));
  ASSERT_OK(cudaGraphAddEventRecordNode(&record, graph, &fill, 1, event));
  ASSERT_OK(cudaGraphInstantiate(&executable, graph, 0));
  cudaStream_t stream;
  ASSERT_OK(cudaStreamCreate(&stream));
  ASSERT_OK(cudaGraphLaunch(executable, stream));
  EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
  {
    Child child("launchesGraph");
    child.send(about(buffer.get(), 100, event));
    EXPECT_EQ(child.receive<int>(), 1);
    mayGoOn = true;
    ASSERT_OK(cudaEventSynchronize(event)); // the child's record is the latest one
    Bytes wanted(100, 5);
    std::fill_n(wanted.begin() + 10, 10, 9);
    EXPECT_EQ(read(buffer.get(), 100), wanted);
  }
  EXPECT_OK(cudaStreamSynchronize(stream));
  EXPECT_OK(cudaGraphExecDestroy(executable));
  EXPECT_OK(cudaGraphDestroy(graph));
  EXPECT_OK(cudaEventDestroy(event));
  EXPECT_OK(cudaStreamDestroy(stream));
}

/// The parent is gone when this opens its handles.
TEST(DISABLED_Child, comesTooLate) {
  Line line = parentLine();
  auto message = line.receive<Message>();
  void *p;
  cudaEvent_t event;
  EXPECT_CUDA(cudaErrorInvalidResourceHandle,
              cudaIpcOpenMemHandle(&p, message.memory, cudaIpcMemLazyEnablePeerAccess));
  EXPECT_CUDA(cudaErrorInvalidResourceHandle, cudaIpcOpenEventHandle(&event, message.event));
}

TEST(Ipc, refusesHandlesOfWhatIsGone) {
  void *p;
  ASSERT_OK(cudaMalloc(&p, Big)); // small ones may share a file with others
  cudaEvent_t event = makeEvent();
  const Message message = about(p, Big, event);
  EXPECT_OK(cudaFree(p));
  EXPECT_OK(cudaEventDestroy(event));
  Child child("comesTooLate");
  child.send(message);
}

/// Opens memory on the second device and resets that.
TEST(DISABLED_Child, resetsTheDevice) {
  Line line = parentLine();
  auto message = line.receive<Message>();
  ASSERT_OK(cudaSetDevice(1));
  void *p, *q;
  ASSERT_OK(cudaIpcOpenMemHandle(&p, message.memory, cudaIpcMemLazyEnablePeerAccess));
  cudaPointerAttributes attributes;
  ASSERT_OK(cudaPointerGetAttributes(&attributes, p));
  EXPECT_EQ(attributes.device, 1);
  ASSERT_OK(cudaDeviceReset());
  EXPECT_CUDA(cudaErrorInvalidValue, cudaIpcCloseMemHandle(p));
  ASSERT_OK(cudaIpcOpenMemHandle(&q, message.memory, cudaIpcMemLazyEnablePeerAccess));
  EXPECT_EQ(read(q, 10), pattern(10, 5));
}

TEST(Ipc, endsWithAReset) {
  Buffer buffer(10);
  Bytes bytes = pattern(10, 5);
  ASSERT_OK(cudaMemcpy(buffer.get(), bytes.data(), 10, cudaMemcpyHostToDevice));
  Message message = {};
  message.memory = handleOf(buffer.get());
  Child child("resetsTheDevice");
  child.send(message);
}

} // namespace
