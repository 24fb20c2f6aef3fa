// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Captures without kernels. Which call gives which error: tests/runtime/capture_probe.cu.
#include "runtime/test_support.h"

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

HEDDLE_TEST_DEVICES("cpu")

namespace {

TEST(Capture, statusOfAStream) {
  cudaStream_t stream;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
  unsigned long long id = 0, other = 0;
  ASSERT_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  EXPECT_OK(cudaStreamIsCapturing(nullptr, &status));
  EXPECT_EQ(status, cudaStreamCaptureStatusNone);
  for (unsigned long long *out : {&id, &other}) {
    cudaGraph_t graph = nullptr, ended = nullptr;
    const cudaGraphNode_t *nodes;
    const cudaGraphEdgeData *data;
    size_t count = 9;
    ASSERT_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    EXPECT_OK(cudaStreamGetCaptureInfo_v3(stream, &status, out, &graph, &nodes, &data, &count));
    EXPECT_EQ(status, cudaStreamCaptureStatusActive);
    EXPECT_EQ(count, 0u);
    EXPECT_OK(cudaStreamGetCaptureInfo_v2(stream, &status, nullptr, &graph));
    EXPECT_OK(cudaStreamEndCapture(stream, &ended));
    EXPECT_EQ(graph, ended);
    EXPECT_OK(cudaGraphDestroy(ended));
  }
  EXPECT_NE(id, other);
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  EXPECT_OK(cudaThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(mode, cudaStreamCaptureModeGlobal);
  EXPECT_OK(cudaThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(mode, cudaStreamCaptureModeRelaxed);
  EXPECT_OK(cudaStreamDestroy(stream));
}

/// Random work in some streams with events between them, run as it comes and as a graph: memory is
/// filled with numbers and copied about, so that another order shows.
class RandomStreams {
public:
  explicit RandomStreams(unsigned seed) : seed_(seed) {
    for (cudaStream_t &stream : streams_)
      EXPECT_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (cudaEvent_t &event : events_)
      EXPECT_OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  }
  ~RandomStreams() {
    for (cudaStream_t stream : streams_)
      EXPECT_OK(cudaStreamDestroy(stream));
    for (cudaEvent_t event : events_)
      EXPECT_OK(cudaEventDestroy(event));
  }

  /// Each stream works in a part of its own, and takes from the others' parts behind a wait.
  void issue(unsigned char *memory) {
    std::mt19937 random(seed_);
    fork();
    for (int i = 0; i < 60; ++i) {
      size_t s = random() % Streams, from = random() % Streams;
      unsigned char *own = memory + s * Part, *others = memory + from * Part;
      size_t at = random() % (Part / 2), bytes = 1 + random() % (Part / 2);
      if (random() % 3 == 0) {
        EXPECT_OK(cudaMemsetAsync(own + at, static_cast<int>(random() % 256), bytes, streams_[s]));
      } else if (from == s) {
        EXPECT_OK(
            cudaMemcpyAsync(own, own + Part / 2, Part / 2, cudaMemcpyDeviceToDevice, streams_[s]));
      } else { // what the other has done so far, and it goes on when we have read it
        link(from, s);
        EXPECT_OK(
            cudaMemcpyAsync(own + at, others + at, bytes, cudaMemcpyDeviceToDevice, streams_[s]));
        link(s, from);
      }
    }
    for (size_t s = 1; s < Streams; ++s)
      link(s, 0);
  }
  cudaStream_t first() const { return streams_[0]; }

  static constexpr size_t Streams = 4, Part = 1000;

private:
  void fork() {
    for (size_t s = 1; s < Streams; ++s)
      link(0, s);
  }
  void link(size_t from, size_t to) {
    EXPECT_OK(cudaEventRecord(events_[from], streams_[from]));
    EXPECT_OK(cudaStreamWaitEvent(streams_[to], events_[from], 0));
  }

  unsigned seed_;
  cudaStream_t streams_[Streams];
  cudaEvent_t events_[Streams];
};

TEST(Capture, randomStreamsBecomeTheSameGraph) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    constexpr size_t Bytes_ = RandomStreams::Streams * RandomStreams::Part;
    Buffer direct(Bytes_), captured(Bytes_);
    const Bytes start = pattern(Bytes_, seed);
    for (const Buffer *buffer : {&direct, &captured})
      ASSERT_OK(cudaMemcpy(buffer->get(), start.data(), Bytes_, cudaMemcpyHostToDevice));
    RandomStreams streams(seed);
    streams.issue(direct.get());
    streams.issue(direct.get());
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    ASSERT_OK(cudaStreamBeginCapture(streams.first(), cudaStreamCaptureModeThreadLocal));
    streams.issue(captured.get());
    ASSERT_OK(cudaStreamEndCapture(streams.first(), &graph));
    ASSERT_OK(cudaGraphInstantiate(&executable, graph, 0));
    EXPECT_OK(cudaGraphLaunch(executable, streams.first()));
    EXPECT_OK(cudaGraphLaunch(executable, streams.first()));
    EXPECT_OK(cudaDeviceSynchronize());
    ASSERT_EQ(read(captured.get(), Bytes_), read(direct.get(), Bytes_)) << "seed " << seed;
    EXPECT_OK(cudaGraphExecDestroy(executable));
    EXPECT_OK(cudaGraphDestroy(graph));
  }
}

/// An external record and wait are nodes: the event orders a launch and other streams.
TEST(Capture, externalEvents) {
  cudaStream_t stream, other;
  cudaEvent_t event;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  Buffer buffer(1);
  ASSERT_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  ASSERT_OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  ASSERT_OK(cudaEventCreate(&event));
  ASSERT_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  std::atomic<bool> released{false};
  EXPECT_OK(cudaLaunchHostFunc(
      stream,
      [](void *released) {
        while (!*static_cast<std::atomic<bool> *>(released))
          std::this_thread::yield();
      },
      &released));
  EXPECT_OK(cudaMemsetAsync(buffer.get(), 7, 1, stream));
  EXPECT_OK(cudaEventRecordWithFlags(event, stream, cudaEventRecordExternal));
  ASSERT_OK(cudaStreamEndCapture(stream, &graph));
  ASSERT_OK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
  unsigned char got = 0;
  for (int i = 0; i < 3; ++i) {
    ASSERT_OK(cudaMemset(buffer.get(), 0, 1));
    ASSERT_OK(cudaDeviceSynchronize());
    released = false;
    EXPECT_OK(cudaGraphLaunch(executable, stream));
    EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
    EXPECT_OK(cudaStreamWaitEvent(other, event, 0));
    released = true;
    EXPECT_OK(cudaMemcpyAsync(&got, buffer.get(), 1, cudaMemcpyDeviceToHost, other));
    EXPECT_OK(cudaStreamSynchronize(other));
    EXPECT_EQ(got, 7);
  }
  EXPECT_OK(cudaGraphExecDestroy(executable));
  EXPECT_OK(cudaGraphDestroy(graph));
  for (cudaStream_t one : {stream, other})
    EXPECT_OK(cudaStreamDestroy(one));
  EXPECT_OK(cudaEventDestroy(event));
}

/// A stream that has come back to the first one may be destroyed before the capture ends; else the
/// capture has an open end.
TEST(Capture, goesOnWithoutDestroyedStreams) {
  for (bool comesBack : {true, false}) {
    cudaStream_t stream, other;
    cudaEvent_t event;
    cudaGraph_t graph = nullptr;
    Buffer buffer(1);
    ASSERT_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    ASSERT_OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    ASSERT_OK(cudaEventCreate(&event));
    ASSERT_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    EXPECT_OK(cudaMemsetAsync(buffer.get(), 1, 1, stream));
    EXPECT_OK(cudaEventRecord(event, stream));
    EXPECT_OK(cudaStreamWaitEvent(other, event, 0));
    EXPECT_OK(cudaMemsetAsync(buffer.get(), 2, 1, other));
    EXPECT_OK(cudaEventRecord(event, other));
    if (comesBack)
      EXPECT_OK(cudaStreamWaitEvent(stream, event, 0));
    EXPECT_OK(cudaStreamDestroy(other));
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph),
              comesBack ? cudaSuccess : cudaErrorStreamCaptureUnjoined);
    if (comesBack)
      EXPECT_OK(cudaGraphDestroy(graph));
    EXPECT_OK(cudaEventDestroy(event));
    EXPECT_OK(cudaStreamDestroy(stream));
    cudaGetLastError();
  }
}

TEST(Capture, threadsCaptureSideBySide) {
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&right] {
      for (int i = 0; i < 50; ++i) {
        cudaStream_t stream;
        cudaGraph_t graph;
        Buffer buffer(64);
        cudaGraphExec_t executable;
        ASSERT_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        ASSERT_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        for (int n = 0; n < 10; ++n)
          EXPECT_OK(cudaMemsetAsync(buffer.get(), n, 64, stream));
        ASSERT_OK(cudaStreamEndCapture(stream, &graph));
        ASSERT_OK(cudaGraphInstantiate(&executable, graph, 0));
        EXPECT_OK(cudaGraphLaunch(executable, stream));
        EXPECT_OK(cudaStreamSynchronize(stream));
        right += read(buffer.get(), 64) == Bytes(64, 9);
        EXPECT_OK(cudaGraphExecDestroy(executable));
        EXPECT_OK(cudaGraphDestroy(graph));
        EXPECT_OK(cudaStreamDestroy(stream));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 200);
}

} // namespace
