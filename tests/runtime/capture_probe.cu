// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle cc -std=c++17 %s -o %t
// RUN: env HEDDLE_DEVICE=h200 %t > %t.out
// RUN: %python %S/Inputs/compare_probe.py %S/Inputs/capture_probe.expected %t.out
//
// Asks what stream capture answers: which calls a captured stream takes, in which modes and from which
// threads, with which errors, and what forks and joins must be. capture_probe.expected is the output
// on an NVIDIA H200 with CUDA 13.0 (`nvcc -std=c++17 capture_probe.cu`).
#include "Inputs/graph_probe.h"

using Body = std::function<cudaError_t(cudaStream_t)>;

/// What a call gives while `s` is captured, and what the capture is then.
static void during(const char *what, cudaStreamCaptureMode mode, cudaStream_t s, const Body &body) {
  cudaGraph_t g = nullptr;
  cudaError_t begun = cudaStreamBeginCapture(s, mode);
  if (begun != cudaSuccess)
    show("begin", begun);
  cudaError_t e = body(s);
  cudaGetLastError();
  const char *status = statusOf(s);
  cudaError_t end = cudaStreamEndCapture(s, &g);
  cudaGetLastError();
  std::printf("%s: %s, %s, end: %s\n", what, cudaGetErrorName(e), status, cudaGetErrorName(end));
  if (g) {
    describe(g);
    cudaGraphDestroy(g);
  }
  if (std::strcmp(statusOf(s), "none"))
    std::printf("  still %s\n", statusOf(s));
  cudaDeviceSynchronize();
  cudaGetLastError();
}

struct Call {
  const char *name;
  Body body;
};
#define CALL(expr)                                                                                 \
  {#expr, [](cudaStream_t s) -> cudaError_t {                                                      \
     (void)s;                                                                                      \
     return (expr);                                                                                \
   }}

static cudaStream_t madeStream;
static cudaEvent_t madeEvent;
static void *madeMemory;
static cudaMemPool_t madePool;
static cudaGraph_t madeGraph;
static void *address;
static size_t bytes;
static int number;
static cudaFuncAttributes attributes;
static cudaPointerAttributes pointerAttributes;
static cudaStreamCaptureStatus captureStatus;
static float milliseconds;
static const Call calls[] = {
    CALL(cudaMemcpyAsync(device, pinned, 64, cudaMemcpyHostToDevice, s)),
    CALL(cudaMemcpyAsync(device, pageable, 64, cudaMemcpyHostToDevice, s)),
    CALL(cudaMemcpyAsync(pageable, device, 64, cudaMemcpyDeviceToHost, s)),
    CALL(cudaMemcpyAsync(device, pageable, 0, cudaMemcpyHostToDevice, s)),
    CALL(cudaMemcpyAsync(device, device2, 64, cudaMemcpyDeviceToDevice, s)),
    CALL(cudaMemcpy2DAsync(device, 64, device2, 64, 32, 4, cudaMemcpyDeviceToDevice, s)),
    CALL(cudaMemcpyToSymbolAsync(variable, pinned, 64, 0, cudaMemcpyHostToDevice, s)),
    CALL(cudaMemcpyFromSymbolAsync(pinned, variable, 64, 0, cudaMemcpyDeviceToHost, s)),
    CALL(cudaMemcpyAsync(nullptr, device2, 64, cudaMemcpyDeviceToDevice, s)),
    CALL(cudaMemcpyAsync(device, device2, 64, (cudaMemcpyKind)9, s)),
    CALL(cudaMemcpyPeerAsync(device, 0, device2, 0, 64, s)),
    CALL(cudaMemsetAsync(device, 1, 64, s)),
    CALL(cudaMemsetAsync(device, 1, 0, s)),
    CALL(cudaMemset2DAsync(device, 64, 1, 32, 2, s)),
    CALL(cudaMemset2DAsync(device, 64, 1, 64, 2, s)),
    CALL(
        cudaMemset3DAsync(make_cudaPitchedPtr(device, 64, 64, 2), 1, make_cudaExtent(32, 2, 2), s)),
    CALL(cudaLaunchHostFunc(s, host, nullptr)),
    CALL(cudaStreamAddCallback(s, callback, nullptr, 0)),
    CALL(cudaEventRecord(event, s)),
    CALL(cudaEventRecordWithFlags(event, s, cudaEventRecordExternal)),
    CALL(cudaStreamWaitEvent(s, event2, 0)),
    CALL(cudaStreamWaitEvent(s, event2, cudaEventWaitExternal)),
    CALL(cudaStreamSynchronize(s)),
    CALL(cudaStreamQuery(s)),
    CALL(cudaStreamSynchronize(free2)),
    CALL(cudaStreamQuery(free2)),
    CALL(cudaStreamSynchronize(nullptr)),
    CALL(cudaStreamQuery(nullptr)),
    CALL(cudaStreamCreate(&madeStream)),
    CALL(cudaStreamCreateWithFlags(&madeStream, cudaStreamNonBlocking)),
    CALL(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed)),
    CALL(cudaStreamIsCapturing(s, &captureStatus)),
    CALL(cudaStreamIsCapturing(nullptr, &captureStatus)),
    CALL(cudaDeviceSynchronize()),
    CALL(cudaDeviceSetLimit(cudaLimitStackSize, 2048)),
    CALL(cudaEventCreate(&madeEvent)),
    CALL(cudaEventQuery(event2)),
    CALL(cudaEventSynchronize(event2)),
    CALL(cudaEventElapsedTime(&milliseconds, event2, event2)),
    CALL((cudaEventRecord(event, s), cudaEventQuery(event))),
    CALL((cudaEventRecord(event, s), cudaEventSynchronize(event))),
    CALL((cudaEventRecord(event, s), cudaEventElapsedTime(&milliseconds, event, event))),
    CALL((cudaEventRecord(event, s), cudaEventRecord(event, free2))),
    CALL((cudaEventRecord(event, s), cudaStreamWaitEvent(nullptr, event, 0))),
    CALL((cudaEventRecord(event, s), cudaStreamWaitEvent(free2, event, 0))),
    CALL(cudaMalloc(&madeMemory, 64)),
    CALL(cudaMallocHost(&madeMemory, 64)),
    CALL(cudaMallocManaged(&madeMemory, 64)),
    CALL(cudaFree(nullptr)),
    CALL(cudaMallocAsync(&madeMemory, 64, s)),
    CALL((cudaMallocAsync(&madeMemory, 64, s), cudaFreeAsync(madeMemory, s))),
    CALL((cudaMallocAsync(&madeMemory, 64, s), cudaFree(madeMemory))),
    CALL(cudaFreeAsync(device, s)),
    CALL(cudaMemcpy(device, pinned, 64, cudaMemcpyHostToDevice)),
    CALL(cudaMemcpy(device, device2, 64, cudaMemcpyDeviceToDevice)),
    CALL(cudaMemset(device, 0, 64)),
    CALL(cudaMemcpyToSymbol(variable, pinned, 64)),
    CALL(cudaMemcpyAsync(device, pinned, 64, cudaMemcpyHostToDevice, nullptr)),
    CALL(cudaMemcpyAsync(device, pinned, 64, cudaMemcpyHostToDevice, free2)),
    CALL(cudaMemcpyAsync(device, pinned, 64, cudaMemcpyHostToDevice, blocking2)),
    CALL((add<<<1, 32, 0, s>>>(device, 1), cudaGetLastError())),
    CALL((add<<<1, 32>>>(device, 1), cudaGetLastError())),
    CALL((add<<<1, 32, 0, free2>>>(device, 1), cudaGetLastError())),
    CALL((add<<<1, 2048, 0, s>>>(device, 1), cudaGetLastError())),
    CALL((add<<<0, 32, 0, s>>>(device, 1), cudaGetLastError())),
    CALL((add<<<1, 32, 1 << 20, s>>>(device, 1), cudaGetLastError())),
    CALL(cudaEventRecord(event, nullptr)),
    CALL(cudaLaunchHostFunc(nullptr, host, nullptr)),
    CALL(cudaFuncGetAttributes(&attributes, add)),
    CALL(cudaPointerGetAttributes(&pointerAttributes, device)),
    CALL(cudaMemGetInfo(&bytes, &bytes)),
    CALL(cudaGetSymbolAddress(&address, variable)),
    CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, add, 32, 0)),
    CALL(prefetch(s)),
    CALL(cudaStreamAttachMemAsync(s, &managedVariable)),
    CALL(cudaGraphLaunch(someExec, s)),
    CALL(cudaGraphLaunch(someExec, free2)),
    CALL(cudaGraphUpload(someExec, s)),
    CALL(cudaGraphCreate(&madeGraph, 0)),
    CALL(cudaSetDevice(0)),
    CALL(cudaGetDevice(&number)),
    CALL(cudaDeviceGetDefaultMemPool(&madePool, 0)),
    CALL(cudaHostRegister(pageable, 4096, 0)),
    CALL(cudaStreamEndCapture(free2, &madeGraph)),
};

static void inModes() {
  const struct {
    const char *name;
    cudaStreamCaptureMode mode;
    cudaStream_t stream;
  } ways[] = {{"global, blocking", cudaStreamCaptureModeGlobal, blocking},
              {"thread, non-blocking", cudaStreamCaptureModeThreadLocal, free1},
              {"relaxed, non-blocking", cudaStreamCaptureModeRelaxed, free1},
              {"relaxed, blocking", cudaStreamCaptureModeRelaxed, blocking}};
  for (auto &way : ways) {
    std::printf("== %s\n", way.name);
    for (const Call &call : calls)
      during(call.name, way.mode, way.stream, call.body);
  }
}

static void otherThread() {
  std::puts("== calls of another thread");
  for (auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
                    cudaStreamCaptureModeRelaxed}) {
    during("malloc", mode, free1, [](cudaStream_t) {
      cudaError_t e;
      std::thread([&] {
        void *p;
        e = cudaMalloc(&p, 64);
      }).join();
      return e;
    });
    during("malloc, relaxed thread", mode, free1, [](cudaStream_t) {
      cudaError_t e;
      std::thread([&] {
        cudaStreamCaptureMode relaxed = cudaStreamCaptureModeRelaxed;
        cudaThreadExchangeStreamCaptureMode(&relaxed);
        void *p;
        e = cudaMalloc(&p, 64);
      }).join();
      return e;
    });
    during("malloc, relaxed by exchange", mode, free1, [](cudaStream_t) {
      cudaStreamCaptureMode relaxed = cudaStreamCaptureModeRelaxed;
      cudaThreadExchangeStreamCaptureMode(&relaxed);
      void *p;
      cudaError_t e = cudaMalloc(&p, 64);
      cudaThreadExchangeStreamCaptureMode(&relaxed);
      return e;
    });
    during("memset in the stream", mode, free1, [](cudaStream_t s) {
      cudaError_t e;
      std::thread([&] { e = cudaMemsetAsync(device, 0, 64, s); }).join();
      return e;
    });
    during("end", mode, free1, [](cudaStream_t s) {
      cudaError_t e;
      cudaGraph_t g = nullptr;
      std::thread([&] { e = cudaStreamEndCapture(s, &g); }).join();
      std::printf("  a graph: %d\n", g != nullptr);
      return e;
    });
    during("synchronize of the device", mode, free1, [](cudaStream_t) {
      cudaError_t e;
      std::thread([&] { e = cudaDeviceSynchronize(); }).join();
      return e;
    });
    during("another capture", mode, free1, [](cudaStream_t) {
      cudaError_t e;
      std::thread([&] {
        cudaGraph_t g = nullptr;
        e = cudaStreamBeginCapture(free2, cudaStreamCaptureModeThreadLocal);
        show("end", cudaStreamEndCapture(free2, &g));
      }).join();
      return e;
    });
  }
}

static void forks() {
  std::puts("== forks and joins");
  auto mode = cudaStreamCaptureModeGlobal;
  auto launch = [](cudaStream_t s) { add<<<1, 32, 0, s>>>(device, 1); };
  during("fork and join", mode, free1, [&](cudaStream_t s) {
    launch(s);
    cudaEventRecord(event, s);
    P(cudaStreamWaitEvent(free2, event, 0));
    std::printf("  the fork: %s\n", statusOf(free2));
    launch(free2), launch(s);
    P(cudaEventRecord(untimed, free2));
    P(cudaStreamWaitEvent(s, untimed, 0));
    launch(s);
    return cudaSuccess;
  });
  std::printf("  the fork: %s\n", statusOf(free2));
  during("fork without work, not joined", mode, free1, [&](cudaStream_t s) {
    cudaEventRecord(event, s);
    return cudaStreamWaitEvent(free2, event, 0);
  });
  std::printf("  the fork: %s\n", statusOf(free2));
  during("fork behind work, not joined", mode, free1, [&](cudaStream_t s) {
    launch(s);
    cudaEventRecord(event, s);
    return cudaStreamWaitEvent(free2, event, 0);
  });
  std::printf("  the fork: %s\n", statusOf(free2));
  during("fork, not joined", mode, free1, [&](cudaStream_t s) {
    cudaEventRecord(event, s);
    cudaStreamWaitEvent(free2, event, 0);
    launch(free2);
    return cudaSuccess;
  });
  std::printf("  the fork: %s\n", statusOf(free2));
  during("joined, then more work in the fork", mode, free1, [&](cudaStream_t s) {
    cudaEventRecord(event, s);
    cudaStreamWaitEvent(free2, event, 0);
    launch(free2);
    cudaEventRecord(event2, free2);
    cudaStreamWaitEvent(s, event2, 0);
    launch(free2);
    return cudaSuccess;
  });
  during("end in the fork", mode, free1, [&](cudaStream_t s) {
    cudaGraph_t g = nullptr;
    cudaEventRecord(event, s);
    cudaStreamWaitEvent(free2, event, 0);
    return cudaStreamEndCapture(free2, &g);
  });
  during("event of a capture that has ended", mode, free1,
         [&](cudaStream_t s) { return cudaStreamWaitEvent(s, event, 0); });
  P(cudaEventQuery(event));
  P(cudaEventSynchronize(event));
  P(cudaStreamWaitEvent(free2, event, 0));
  cudaEventRecord(event, free2), cudaEventRecord(event2, free2);
  during("event from outside", mode, free1, [&](cudaStream_t s) {
    cudaEventRecord(event, free2);
    return cudaStreamWaitEvent(s, event, 0);
  });
  during("event never recorded", mode, free1, [&](cudaStream_t s) {
    cudaEvent_t fresh;
    cudaEventCreate(&fresh);
    return cudaStreamWaitEvent(s, fresh, 0);
  });
  during("event of another capture", mode, free1, [&](cudaStream_t s) {
    cudaGraph_t g = nullptr;
    P(cudaStreamBeginCapture(free2, cudaStreamCaptureModeGlobal));
    launch(free2);
    P(cudaEventRecord(event, free2));
    cudaError_t e = cudaStreamWaitEvent(s, event, 0);
    cudaGetLastError();
    std::printf("  the other: %s\n", statusOf(free2));
    P(cudaStreamEndCapture(free2, &g));
    return e;
  });
  during("begin in a fork", mode, free1, [&](cudaStream_t s) {
    cudaEventRecord(event, s);
    cudaStreamWaitEvent(free2, event, 0);
    return cudaStreamBeginCapture(free2, cudaStreamCaptureModeGlobal);
  });
  during("after an error", mode, free1, [&](cudaStream_t s) {
    P(cudaStreamSynchronize(s));
    P(cudaMemsetAsync(device, 0, 64, s));
    launch(s);
    P(cudaGetLastError());
    P(cudaEventRecord(event, s));
    P(cudaStreamWaitEvent(s, event, 0));
    P(cudaStreamQuery(s));
    P(cudaLaunchHostFunc(s, host, nullptr));
    P(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    unsigned long long id;
    cudaStreamCaptureStatus status;
    P(captureInfo(s, &status, &id, nullptr, nullptr, nullptr));
    return cudaSuccess;
  });
  during("after an error, in a fork", mode, free1, [&](cudaStream_t s) {
    cudaEventRecord(event, s);
    cudaStreamWaitEvent(free2, event, 0);
    P(cudaStreamSynchronize(free2));
    P(cudaMemsetAsync(device, 0, 64, s));
    std::printf("  the fork: %s\n", statusOf(free2));
    return cudaSuccess;
  });
  std::printf("  the fork: %s\n", statusOf(free2));
  std::puts("== begin and end");
  P(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
  P(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeGlobal));
  P(cudaStreamBeginCapture(free1, (cudaStreamCaptureMode)7));
  during("per thread", mode, cudaStreamPerThread, [&](cudaStream_t s) {
    launch(s);
    return cudaGetLastError();
  });
  cudaGraph_t g = nullptr;
  P(cudaStreamEndCapture(free1, &g));
  P(cudaStreamEndCapture(nullptr, &g));
  cudaStreamBeginCapture(free1, cudaStreamCaptureModeGlobal);
  P(cudaStreamEndCapture(free1, nullptr));
  std::printf("  then %s\n", statusOf(free1));
  cudaStreamEndCapture(free1, &g);
  cudaGetLastError();
  P(cudaStreamIsCapturing(free1, nullptr));
  P(captureInfo(free1, nullptr, nullptr, nullptr, nullptr, nullptr));
  cudaStreamCaptureMode bad = (cudaStreamCaptureMode)5;
  P(cudaThreadExchangeStreamCaptureMode(&bad));
  cudaStream_t gone;
  cudaStreamCreateWithFlags(&gone, cudaStreamNonBlocking);
  cudaStreamBeginCapture(gone, cudaStreamCaptureModeGlobal);
  P(cudaStreamDestroy(gone));
  P(cudaMalloc(&address, 64));
  std::puts("== while a blocking stream is captured, relaxed");
  cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed);
  P(cudaMemset(device, 0, 64));
  std::printf("  then %s\n", statusOf(blocking));
  P(cudaStreamEndCapture(blocking, &g));
  cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed);
  P(cudaMemsetAsync(device, 0, 64, cudaStreamLegacy));
  std::printf("  then %s\n", statusOf(blocking));
  P(cudaStreamEndCapture(blocking, &g));
}

static void info() {
  std::puts("== capture info");
  cudaStreamCaptureStatus status;
  unsigned long long id = 0, id2 = 0;
  cudaGraph_t g = nullptr, g2 = nullptr;
  const cudaGraphNode_t *nodes = nullptr;
  size_t n = 9;
  P(captureInfo(free1, &status, &id, &g, &nodes, &n));
  std::printf("  status %d, %zu dependencies\n", status, n);
  P(cudaStreamBeginCapture(free1, cudaStreamCaptureModeGlobal));
  P(captureInfo(free1, &status, &id, &g, &nodes, &n));
  std::printf("  status %d, id %d, graph %d, %zu dependencies\n", status, id != 0, g != nullptr, n);
  add<<<1, 32, 0, free1>>>(device, 1);
  P(captureInfo(free1, &status, &id, &g, &nodes, &n));
  std::printf("  %zu dependencies\n", n);
  cudaGraphNode_t first = nodes[0], empty, empty2;
  P(cudaGraphAddEmptyNode(&empty, g, nullptr, 0));
  P(updateDependencies(free1, &empty, 1, cudaStreamAddCaptureDependencies));
  captureInfo(free1, &status, &id, &g, &nodes, &n);
  std::printf("  %zu dependencies\n", n);
  P(cudaGraphAddEmptyNode(&empty2, g, &first, 1));
  P(updateDependencies(free1, &empty2, 1, cudaStreamSetCaptureDependencies));
  captureInfo(free1, &status, &id, &g, &nodes, &n);
  std::printf("  %zu dependencies, the right one: %d\n", n, nodes[0] == empty2);
  P(updateDependencies(free1, nullptr, 0, cudaStreamSetCaptureDependencies));
  captureInfo(free1, &status, &id, &g, &nodes, &n);
  std::printf("  %zu dependencies\n", n);
  P(updateDependencies(free1, &empty, 1, 7));
  P(updateDependencies(free2, &empty, 1, 0));
  cudaGraph_t foreign;
  cudaGraphNode_t stranger;
  cudaGraphCreate(&foreign, 0);
  cudaGraphAddEmptyNode(&stranger, foreign, nullptr, 0);
  P(updateDependencies(free1, &stranger, 1, 0));
  std::printf("  then %s\n", statusOf(free1));
  P(cudaGraphDestroy(g));
  std::printf("  then %s\n", statusOf(free1));
  P(cudaStreamEndCapture(free1, &g2));
  std::printf("  the same graph: %d\n", g == g2);
  describe(g2);
  std::puts("== capture to a graph");
  P(cudaStreamBeginCaptureToGraph(free1, foreign, &stranger, nullptr, 1,
                                  cudaStreamCaptureModeGlobal));
  captureInfo(free1, &status, &id2, &g, &nodes, &n);
  std::printf("  its graph: %d, %zu dependencies, another id: %d\n", g == foreign, n, id2 != id);
  add<<<1, 32, 0, free1>>>(device, 1);
  P(cudaStreamEndCapture(free1, &g2));
  std::printf("  its graph: %d\n", g2 == foreign);
  describe(foreign);
  P(cudaStreamBeginCaptureToGraph(free1, nullptr, nullptr, nullptr, 0,
                                  cudaStreamCaptureModeGlobal));
  P(cudaStreamBeginCaptureToGraph(free1, foreign, nullptr, nullptr, 0,
                                  cudaStreamCaptureModeGlobal));
  P(cudaStreamSynchronize(free1));
  P(cudaStreamEndCapture(free1, &g2));
  describe(foreign);
  P(cudaGraphAddEmptyNode(&empty, foreign, nullptr, 0));
}

int main(int argc, char **argv) {
  return runSections({info, forks, otherThread, inModes}, argc, argv);
}
