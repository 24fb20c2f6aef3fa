// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle cc -std=c++17 %s -o %t
// RUN: env HEDDLE_DEVICE=h200 %t > %t.out
// RUN: %python %S/Inputs/compare_probe.py %S/Inputs/graph_probe.expected %t.out
//
// Asks what graphs and stream capture answer: what may not be captured and with which error, what
// an update of an executable graph tells, what graphs refuse. graph_probe.expected is the output on
// an NVIDIA H200 with CUDA 13.0 (`nvcc -std=c++17 graph_probe.cu`).
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

static void show(const char *what, cudaError_t e) {
  std::printf("  %s: %s\n", what, cudaGetErrorName(e));
  cudaGetLastError();
}
#define P(expr) show(#expr, (expr))

__global__ void add(int *p, int v) { p[threadIdx.x] += v; }
__global__ void twice(int *p, int v) { p[threadIdx.x] *= v; }
__global__ void other(float *p) { p[threadIdx.x] = 1; }
__device__ int variable[64];
__managed__ int managedVariable;

static int *device, *device2, *pinned, pageable[1024] __attribute__((aligned(4096)));
static cudaStream_t blocking, blocking2, free1, free2;
static cudaEvent_t event, event2, untimed;
static void host(void *) {}
static void callback(cudaStream_t, cudaError_t, void *) {}

// CUDA 13 has taken the names without a version for the functions with edge data.
static cudaError_t addDependencies(cudaGraph_t g, cudaGraphNode_t a, cudaGraphNode_t b) {
#if CUDART_VERSION >= 13000
  return cudaGraphAddDependencies(g, &a, &b, nullptr, 1);
#else
  return cudaGraphAddDependencies(g, &a, &b, 1);
#endif
}
static cudaError_t removeDependencies(cudaGraph_t g, cudaGraphNode_t a, cudaGraphNode_t b) {
#if CUDART_VERSION >= 13000
  return cudaGraphRemoveDependencies(g, &a, &b, nullptr, 1);
#else
  return cudaGraphRemoveDependencies(g, &a, &b, 1);
#endif
}
static cudaError_t edgesOf(cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *n) {
#if CUDART_VERSION >= 13000
  return cudaGraphGetEdges(g, from, to, nullptr, n);
#else
  return cudaGraphGetEdges(g, from, to, n);
#endif
}
static cudaError_t edgesWithData(cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                 cudaGraphEdgeData *data, size_t *n) {
#if CUDART_VERSION >= 13000
  return cudaGraphGetEdges(g, from, to, data, n);
#else
  return cudaGraphGetEdges_v2(g, from, to, data, n);
#endif
}
static cudaError_t addNode(cudaGraphNode_t *node, cudaGraph_t g, const cudaGraphNode_t *after,
                           const cudaGraphEdgeData *data, size_t n, cudaGraphNodeParams *params) {
#if CUDART_VERSION >= 13000
  return cudaGraphAddNode(node, g, after, data, n, params);
#else
  return cudaGraphAddNode_v2(node, g, after, data, n, params);
#endif
}
static cudaError_t captureInfo(cudaStream_t s, cudaStreamCaptureStatus *status,
                               unsigned long long *id, cudaGraph_t *g,
                               const cudaGraphNode_t **nodes, size_t *n) {
#if CUDART_VERSION >= 13000
  return cudaStreamGetCaptureInfo(s, status, id, g, nodes, nullptr, n);
#else
  return cudaStreamGetCaptureInfo_v2(s, status, id, g, nodes, n);
#endif
}
static cudaError_t updateDependencies(cudaStream_t s, cudaGraphNode_t *nodes, size_t n,
                                      unsigned flags) {
#if CUDART_VERSION >= 13000
  return cudaStreamUpdateCaptureDependencies(s, nodes, nullptr, n, flags);
#else
  return cudaStreamUpdateCaptureDependencies(s, nodes, n, flags);
#endif
}

static cudaError_t prefetch(cudaStream_t s) {
#if CUDART_VERSION >= 13000
  return cudaMemPrefetchAsync(&managedVariable, 4, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0,
                              s);
#else
  return cudaMemPrefetchAsync(&managedVariable, 4, 0, s);
#endif
}

static const char *typeName(cudaGraphNodeType type) {
  static const char *names[] = {"kernel", "memcpy", "memset", "host",       "graph",
                                "empty",  "wait",   "record", "signal",     "extwait",
                                "alloc",  "free",   "?",      "conditional"};
  return static_cast<unsigned>(type) < 14 ? names[type] : "?";
}

static void describe(cudaGraph_t g) {
  size_t n = 0, edges = 0, roots = 0;
  if (!g) {
    std::puts("  no graph");
    return;
  }
  cudaGraphGetNodes(g, nullptr, &n);
  edgesOf(g, nullptr, nullptr, &edges);
  cudaGraphGetRootNodes(g, nullptr, &roots);
  std::vector<cudaGraphNode_t> nodes(n);
  cudaGraphGetNodes(g, nodes.data(), &n);
  std::printf("  %zu nodes, %zu edges, %zu roots:", n, edges, roots);
  for (cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type;
    cudaGraphNodeGetType(node, &type);
    std::printf(" %s", typeName(type));
  }
  std::puts("");
}

static const char *statusOf(cudaStream_t s) {
  static const char *names[] = {"none", "active", "invalidated"};
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaError_t e = cudaStreamIsCapturing(s, &status);
  cudaGetLastError();
  return e == cudaSuccess ? names[status] : cudaGetErrorName(e);
}

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
static cudaGraphExec_t someExec;
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

static cudaKernelNodeParams kernelParams(void *kernel, void **args, unsigned blocks = 1) {
  cudaKernelNodeParams p = {};
  p.func = kernel;
  p.gridDim = dim3(blocks);
  p.blockDim = dim3(32);
  p.kernelParams = args;
  return p;
}

static int one = 1, two = 2;
static void *args[] = {&device, &one};
static void *otherArgs[] = {&device2, &two};

static void structure() {
  std::puts("== structure");
  cudaGraph_t g, g2, clone;
  cudaGraphNode_t a, b, c, d, x, nodes[8], froms[8], tos[8];
  size_t n;
  cudaGraphNodeType type;
  P(cudaGraphCreate(nullptr, 0));
  P(cudaGraphCreate(&g, 1));
  P(cudaGraphCreate(&g, 0));
  P(cudaGraphCreate(&g2, 0));
  P(cudaGraphAddEmptyNode(nullptr, g, nullptr, 0));
  P(cudaGraphAddEmptyNode(&a, nullptr, nullptr, 0));
  P(cudaGraphAddEmptyNode(&a, g, nullptr, 0));
  P(cudaGraphAddEmptyNode(&b, g, &a, 1));
  P(cudaGraphAddEmptyNode(&x, g2, nullptr, 0));
  P(cudaGraphAddEmptyNode(&c, g, &x, 1));
  cudaGraphNode_t both[] = {a, a};
  P(cudaGraphAddEmptyNode(&c, g, both, 2));
  P(cudaGraphAddEmptyNode(&c, g, nullptr, 1));
  P(cudaGraphAddEmptyNode(&c, g, nullptr, 0));
  P(addDependencies(g, a, b));
  P(addDependencies(g, b, a));
  P(addDependencies(g, a, a));
  P(addDependencies(g, a, x));
  P(addDependencies(g, c, b));
  P(removeDependencies(g, a, c));
  P(removeDependencies(g, c, b));
  P(cudaGraphGetNodes(g, nullptr, &n));
  std::printf("  %zu\n", n);
  n = 2;
  P(cudaGraphGetNodes(g, nodes, &n));
  std::printf("  %zu\n", n);
  n = 8;
  nodes[5] = a;
  P(cudaGraphGetNodes(g, nodes, &n));
  std::printf("  %zu, the rest null: %d\n", n, nodes[5] == nullptr);
  P(cudaGraphGetNodes(g, nodes, nullptr));
  n = 8;
  P(edgesOf(g, froms, tos, &n));
  std::printf("  %zu\n", n);
  n = 8;
  P(edgesOf(g, froms, nullptr, &n));
  P(cudaGraphNodeGetType(a, nullptr));
  P(cudaGraphNodeGetType(nullptr, &type));
  P(cudaGraphClone(&clone, g));
  P(cudaGraphNodeFindInClone(&d, a, clone));
  std::printf("  another node: %d\n", d != a);
  P(cudaGraphNodeFindInClone(&d, x, clone));
  P(cudaGraphNodeFindInClone(&d, a, g));
  P(cudaGraphNodeFindInClone(&d, a, g2));
  P(cudaGraphDestroyNode(a));
  P(cudaGraphNodeFindInClone(&d, b, clone));
  describe(g);
  describe(clone);
  cudaGraphNode_t child;
  P(cudaGraphAddChildGraphNode(&child, g, nullptr, 0, g2));
  describe(g);
  cudaGraph_t inner;
  P(cudaGraphChildGraphNodeGetGraph(child, &inner));
  std::printf("  another graph: %d\n", inner != g);
  P(cudaGraphChildGraphNodeGetGraph(b, &inner));
  P(cudaGraphDestroy(inner));
  P(cudaGraphAddChildGraphNode(&child, g, nullptr, 0, nullptr));
  cudaHostNodeParams hostParams = {nullptr, nullptr};
  P(cudaGraphAddHostNode(&x, g, nullptr, 0, &hostParams));
  P(cudaGraphHostNodeGetParams(b, &hostParams));
  cudaKernelNodeParams p = kernelParams((void *)add, args);
  P(cudaGraphAddKernelNode(&x, g, nullptr, 0, nullptr));
  P(cudaGraphAddKernelNode(&x, g, nullptr, 0, &p));
  P(cudaGraphKernelNodeGetParams(b, &p));
  p = kernelParams((void *)&one, args);
  P(cudaGraphAddKernelNode(&x, g, nullptr, 0, &p));
  p = kernelParams((void *)add, nullptr);
  P(cudaGraphAddKernelNode(&x, g, nullptr, 0, &p));
  p = kernelParams((void *)add, args, 0);
  P(cudaGraphAddKernelNode(&x, g, nullptr, 0, &p));
  p = kernelParams((void *)add, args);
  p.blockDim.x = 4096;
  P(cudaGraphAddKernelNode(&x, g, nullptr, 0, &p));
  p = kernelParams((void *)add, args);
  p.sharedMemBytes = 1 << 20;
  P(cudaGraphAddKernelNode(&x, g, nullptr, 0, &p));
  p = kernelParams((void *)add, args);
  p.extra = args;
  P(cudaGraphAddKernelNode(&x, g, nullptr, 0, &p));
  cudaMemsetParams m = {};
  m.dst = device, m.elementSize = 3, m.width = 4, m.height = 1;
  P(cudaGraphAddMemsetNode(&x, g, nullptr, 0, &m));
  m.elementSize = 4;
  P(cudaGraphAddMemsetNode(&x, g, nullptr, 0, &m));
  m.width = 0;
  P(cudaGraphAddMemsetNode(&x, g, nullptr, 0, &m));
  m.width = 4, m.height = 2, m.pitch = 8;
  P(cudaGraphAddMemsetNode(&x, g, nullptr, 0, &m));
  m.dst = nullptr, m.height = 1;
  P(cudaGraphAddMemsetNode(&x, g, nullptr, 0, &m));
  m.dst = pageable;
  P(cudaGraphAddMemsetNode(&x, g, nullptr, 0, &m));
  m.dst = (char *)device + 1;
  P(cudaGraphAddMemsetNode(&x, g, nullptr, 0, &m));
  P(cudaGraphAddMemcpyNode1D(&x, g, nullptr, 0, device, pinned, 64, cudaMemcpyHostToDevice));
  cudaMemcpy3DParms three;
  P(cudaGraphMemcpyNodeGetParams(x, &three));
  std::printf("  pitch %zu, xsize %zu, ysize %zu, extent %zu %zu %zu, kind %d\n",
              three.dstPtr.pitch, three.dstPtr.xsize, three.dstPtr.ysize, three.extent.width,
              three.extent.height, three.extent.depth, three.kind);
  P(cudaGraphAddMemcpyNode1D(&x, g, nullptr, 0, device, pinned, 0, cudaMemcpyHostToDevice));
  P(cudaGraphAddMemcpyNode1D(&x, g, nullptr, 0, device, pageable, 64, cudaMemcpyHostToDevice));
  P(cudaGraphAddMemcpyNode1D(&x, g, nullptr, 0, device, pinned, 64, (cudaMemcpyKind)8));
  P(cudaGraphAddMemcpyNode1D(&x, g, nullptr, 0, nullptr, pinned, 64, cudaMemcpyHostToDevice));
  P(cudaGraphAddMemcpyNodeToSymbol(&x, g, nullptr, 0, variable, pinned, 64, 0,
                                   cudaMemcpyHostToDevice));
  P(cudaGraphAddMemcpyNodeToSymbol(&x, g, nullptr, 0, variable, pinned, 64, 200,
                                   cudaMemcpyHostToDevice));
  P(cudaGraphAddMemcpyNodeToSymbol(&x, g, nullptr, 0, variable, pinned, 64, 0,
                                   cudaMemcpyDeviceToHost));
  P(cudaGraphAddMemcpyNodeFromSymbol(&x, g, nullptr, 0, pinned, &one, 64, 0,
                                     cudaMemcpyDeviceToHost));
  P(cudaGraphAddEventRecordNode(&x, g, nullptr, 0, event));
  P(cudaGraphAddEventRecordNode(&x, g, nullptr, 0, nullptr));
  P(cudaGraphAddEventWaitNode(&x, g, nullptr, 0, event));
  cudaEvent_t found;
  P(cudaGraphEventWaitNodeGetEvent(x, &found));
  P(cudaGraphEventRecordNodeGetEvent(x, &found));
  P(cudaGraphDestroy(g2));
  P(cudaGraphDestroy(clone));
  P(cudaGraphDestroy(nullptr));
}

static void attribute() {
  std::puts("== kernel node attributes");
  cudaGraph_t g;
  cudaGraphNode_t a, b;
  cudaGraphCreate(&g, 0);
  cudaKernelNodeParams p = kernelParams((void *)add, args);
  cudaGraphAddKernelNode(&a, g, nullptr, 0, &p);
  cudaGraphAddEmptyNode(&b, g, nullptr, 0);
  for (int id = 0; id <= 15; ++id) {
    cudaLaunchAttributeValue v;
    std::memset(&v, 0, sizeof v);
    cudaError_t got = cudaGraphKernelNodeGetAttribute(a, (cudaLaunchAttributeID)id, &v);
    int words[4];
    std::memcpy(words, &v, sizeof words);
    cudaError_t set = cudaGraphKernelNodeSetAttribute(a, (cudaLaunchAttributeID)id, &v);
    std::printf("  %d: %s %d %d %d %d, set: %s\n", id, cudaGetErrorName(got), words[0], words[1],
                words[2], words[3], cudaGetErrorName(set));
    cudaGetLastError();
  }
  cudaLaunchAttributeValue v = {};
  v.priority = -9;
  P(cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributePriority, &v));
  P(cudaGraphKernelNodeGetAttribute(a, cudaLaunchAttributePriority, &v));
  std::printf("  priority %d\n", v.priority);
  P(cudaGraphKernelNodeGetAttribute(b, cudaLaunchAttributePriority, &v));
  P(cudaGraphKernelNodeCopyAttributes(b, a));
  P(cudaGraphKernelNodeCopyAttributes(a, a));
}

static void showUpdate(const char *what, cudaGraphExec_t exec, cudaGraph_t g) {
  cudaGraphExecUpdateResultInfo info;
  std::memset(&info, 0, sizeof info);
  cudaError_t e = cudaGraphExecUpdate(exec, g, &info);
  std::printf("  %s: %s, result %d, node %d, from %d\n", what, cudaGetErrorName(e), info.result,
              info.errorNode != nullptr, info.errorFromNode != nullptr);
  cudaGetLastError();
}

static void executables() {
  std::puts("== executable graphs");
  cudaGraph_t g, h;
  cudaGraphExec_t exec, exec2;
  cudaGraphNode_t k, c, m, hostNode, e, k2, foreign;
  cudaKernelNodeParams p = kernelParams((void *)add, args);
  cudaGraphCreate(&g, 0);
  P(cudaGraphInstantiate(&exec, g, 0));
  P(cudaGraphLaunch(exec, free1));
  P(cudaGraphExecDestroy(exec));
  cudaMemsetParams set = {};
  set.dst = device, set.elementSize = 4, set.width = 16, set.height = 1;
  cudaHostNodeParams hostParams = {host, nullptr};
  cudaGraphAddKernelNode(&k, g, nullptr, 0, &p);
  cudaGraphAddMemcpyNode1D(&c, g, &k, 1, device2, device, 64, cudaMemcpyDeviceToDevice);
  cudaGraphAddMemsetNode(&m, g, &c, 1, &set);
  cudaGraphAddHostNode(&hostNode, g, &m, 1, &hostParams);
  cudaGraphAddEventRecordNode(&e, g, &hostNode, 1, event);
  P(cudaGraphInstantiate(nullptr, g, 0));
  P(cudaGraphInstantiate(&exec, nullptr, 0));
  P(cudaGraphInstantiate(&exec, g, 16));
  P(cudaGraphInstantiate(&exec, g, cudaGraphInstantiateFlagUseNodePriority));
  unsigned long long flagsOut = 9;
  P(cudaGraphExecGetFlags(exec, &flagsOut));
  std::printf("  flags %llu\n", flagsOut);
  cudaGraphInstantiateParams ip = {};
  ip.flags = cudaGraphInstantiateFlagDeviceLaunch;
  P(cudaGraphInstantiateWithParams(&exec2, g, &ip));
  std::printf("  result %d, node %d\n", ip.result_out, ip.errNode_out != nullptr);
  ip.flags = cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagAutoFreeOnLaunch;
  P(cudaGraphInstantiateWithParams(&exec2, g, &ip));
  ip.flags = cudaGraphInstantiateFlagUpload;
  ip.uploadStream = free1;
  P(cudaGraphInstantiateWithParams(&exec2, g, &ip));
  std::printf("  result %d\n", ip.result_out);
  P(cudaGraphUpload(exec, free1));
  P(cudaGraphLaunch(exec, free1));
  P(cudaGraphLaunch(nullptr, free1));
  P(cudaStreamSynchronize(free1));
  unsigned enabled = 9;
  P(cudaGraphNodeGetEnabled(exec, k, &enabled));
  std::printf("  enabled %u\n", enabled);
  P(cudaGraphNodeSetEnabled(exec, k, 0));
  P(cudaGraphNodeSetEnabled(exec, c, 0));
  P(cudaGraphNodeSetEnabled(exec, m, 0));
  P(cudaGraphNodeSetEnabled(exec, hostNode, 0));
  P(cudaGraphNodeSetEnabled(exec, e, 0));
  P(cudaGraphNodeGetEnabled(exec, hostNode, &enabled));
  P(cudaGraphNodeSetEnabled(exec, k, 1));
  std::puts("== parameters of an executable graph's node");
  p = kernelParams((void *)add, otherArgs, 4);
  P(cudaGraphExecKernelNodeSetParams(exec, k, &p));
  P(cudaGraphExecKernelNodeSetParams(exec, c, &p));
  p = kernelParams((void *)twice, otherArgs, 4);
  P(cudaGraphExecKernelNodeSetParams(exec, k, &p));
  P(cudaGraphExecMemcpyNodeSetParams1D(exec, c, device, device2, 32, cudaMemcpyDeviceToDevice));
  P(cudaGraphExecMemcpyNodeSetParams1D(exec, c, device, pinned, 64, cudaMemcpyHostToDevice));
  P(cudaGraphExecMemcpyNodeSetParams1D(exec, c, device, pageable, 64, cudaMemcpyHostToDevice));
  P(cudaGraphExecMemcpyNodeSetParams1D(exec, k, device, device2, 64, cudaMemcpyDeviceToDevice));
  set.width = 8;
  P(cudaGraphExecMemsetNodeSetParams(exec, m, &set));
  set.elementSize = 1;
  P(cudaGraphExecMemsetNodeSetParams(exec, m, &set));
  set.height = 2, set.pitch = 64;
  P(cudaGraphExecMemsetNodeSetParams(exec, m, &set));
  P(cudaGraphExecHostNodeSetParams(exec, hostNode, &hostParams));
  P(cudaGraphExecEventRecordNodeSetEvent(exec, e, event2));
  P(cudaGraphExecEventWaitNodeSetEvent(exec, e, event2));
  cudaGraphCreate(&h, 0);
  cudaGraphAddKernelNode(&foreign, h, nullptr, 0, &p);
  P(cudaGraphExecKernelNodeSetParams(exec, foreign, &p));
  P(cudaGraphNodeGetEnabled(exec, foreign, &enabled));
  std::puts("== after the graph has changed");
  p = kernelParams((void *)add, args);
  cudaGraphAddKernelNode(&k2, g, nullptr, 0, &p);
  P(cudaGraphExecKernelNodeSetParams(exec, k2, &p));
  cudaGraphDestroyNode(e);
  P(cudaGraphExecEventRecordNodeSetEvent(exec, e, event2));
  showUpdate("a node gone, one added", exec, g);
  std::puts("== updates");
  auto make = [&](void *kernel, int shape) {
    cudaGraph_t made;
    cudaGraphNode_t n1, n2, n3;
    cudaGraphCreate(&made, 0);
    cudaKernelNodeParams q = kernelParams(kernel, shape & 1 ? otherArgs : args, shape & 1 ? 2 : 1);
    void *otherArg[] = {&device};
    if (kernel == (void *)other)
      q.kernelParams = otherArg;
    cudaGraphAddKernelNode(&n1, made, nullptr, 0, &q);
    if (shape & 2)
      cudaGraphAddMemcpyNode1D(&n2, made, &n1, 1, device2, pinned, 64, cudaMemcpyHostToDevice);
    else if (shape & 4)
      cudaGraphAddMemcpyNode1D(&n2, made, &n1, 1, device2, device, 128, cudaMemcpyDeviceToDevice);
    else if (shape & 8)
      cudaGraphAddEmptyNode(&n2, made, &n1, 1);
    else
      cudaGraphAddMemcpyNode1D(&n2, made, &n1, 1, device2, device, 64, cudaMemcpyDeviceToDevice);
    if (!(shape & 16))
      cudaGraphAddHostNode(&n3, made, shape & 32 ? &n1 : &n2, 1, &hostParams);
    if (shape & 64)
      cudaGraphAddEmptyNode(&n3, made, &n2, 1);
    return made;
  };
  cudaGraph_t base = make((void *)add, 0);
  P(cudaGraphInstantiate(&exec, base, 0));
  showUpdate("the same", exec, base);
  showUpdate("parameters", exec, make((void *)add, 1));
  showUpdate("another kernel", exec, make((void *)twice, 0));
  showUpdate("a kernel of other parameters", exec, make((void *)other, 0));
  showUpdate("a copy from the host", exec, make((void *)add, 2));
  showUpdate("a longer copy", exec, make((void *)add, 4));
  showUpdate("another type", exec, make((void *)add, 8));
  showUpdate("a node less", exec, make((void *)add, 16));
  showUpdate("another edge", exec, make((void *)add, 32));
  showUpdate("a node more", exec, make((void *)add, 64));
  P(cudaGraphExecUpdate(exec, nullptr, nullptr));
  P(cudaGraphExecUpdate(exec, base, nullptr));
  cudaGraphNode_t baseNodes[3];
  size_t n = 3;
  cudaGraphGetNodes(base, baseNodes, &n);
  p = kernelParams((void *)add, otherArgs);
  P(cudaGraphKernelNodeSetParams(baseNodes[0], &p));
  P(cudaGraphExecKernelNodeSetParams(exec, baseNodes[0], &p));
  P(cudaGraphDestroy(base));
  P(cudaGraphExecKernelNodeSetParams(exec, baseNodes[0], &p));
  P(cudaGraphLaunch(exec, free1));
  P(cudaGraphLaunch(exec, nullptr));
  P(cudaDeviceSynchronize());
  P(cudaGraphExecDestroy(exec));
  P(cudaGraphExecDestroy(nullptr));
}

static void memoryNodes() {
  std::puts("== memory nodes");
  cudaGraph_t g, clone, h, parent;
  cudaGraphNode_t a, f, e, x;
  cudaGraphExec_t exec, exec2;
  cudaMemAllocNodeParams p = {};
  auto attributes = [](const char *when) {
    unsigned long long v[4];
    for (int i = 0; i < 4; ++i)
      cudaDeviceGetGraphMemAttribute(0, (cudaGraphMemAttributeType)i, &v[i]);
    std::printf("  %s: used %llu, high %llu, reserved %llu, high %llu\n", when, v[0], v[1], v[2],
                v[3]);
  };
  attributes("at the start");
  cudaGraphCreate(&g, 0);
  P(cudaGraphAddMemAllocNode(&a, g, nullptr, 0, &p));
  p.poolProps.allocType = cudaMemAllocationTypePinned;
  p.poolProps.location = {cudaMemLocationTypeDevice, 0};
  P(cudaGraphAddMemAllocNode(&a, g, nullptr, 0, &p));
  p.bytesize = 100 << 20;
  P(cudaGraphAddMemAllocNode(&a, g, nullptr, 0, &p));
  P(cudaGraphAddMemFreeNode(&x, g, nullptr, 0, p.dptr));
  describe(g);
  P(cudaGraphDestroyNode(a));
  P(cudaGraphClone(&clone, g));
  cudaGraphCreate(&parent, 0);
  P(cudaGraphAddChildGraphNode(&x, parent, nullptr, 0, g));
  cudaGraphAddEmptyNode(&e, g, &a, 1);
  P(removeDependencies(g, a, e));
  P(cudaGraphDestroyNode(e));
  attributes("a node");
  P(cudaGraphInstantiate(&exec, g, 0));
  attributes("instantiated");
  P(cudaGraphInstantiate(&exec2, g, 0));
  P(cudaFree(p.dptr));
  P(cudaGraphLaunch(exec, free1));
  P(cudaGraphLaunch(exec, free1));
  cudaStreamSynchronize(free1);
  attributes("launched");
  P(cudaMemset(p.dptr, 0, 64));
  P(cudaFreeAsync(p.dptr, free1));
  P(cudaStreamSynchronize(free1));
  attributes("freed");
  P(cudaGraphLaunch(exec, free1));
  P(cudaStreamSynchronize(free1));
  P(cudaFree(p.dptr));
  attributes("freed");
  P(cudaDeviceGraphMemTrim(0));
  attributes("trimmed");
  P(cudaGraphExecDestroy(exec));
  P(cudaGraphInstantiate(&exec, g, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  P(cudaGraphLaunch(exec, free1));
  P(cudaGraphLaunch(exec, free1));
  P(cudaStreamSynchronize(free1));
  attributes("freed at launch");
  P(cudaGraphExecDestroy(exec));
  attributes("destroyed");
  P(cudaFree(p.dptr));
  P(cudaDeviceGraphMemTrim(0));
  attributes("trimmed");
  cudaGraphCreate(&h, 0);
  p.dptr = nullptr;
  cudaGraphAddMemAllocNode(&a, h, nullptr, 0, &p);
  P(cudaGraphAddMemFreeNode(&f, h, &a, 1, p.dptr));
  P(cudaGraphAddMemFreeNode(&x, h, &f, 1, p.dptr));
  P(cudaGraphAddMemFreeNode(&x, h, &f, 1, device));
  void *freed;
  P(cudaGraphMemFreeNodeGetParams(f, &freed));
  P(cudaGraphInstantiate(&exec, h, 0));
  P(cudaGraphLaunch(exec, free1));
  P(cudaGraphLaunch(exec, free1));
  P(cudaStreamSynchronize(free1));
  attributes("freed in the graph");
  P(cudaFree(p.dptr));
  P(cudaGraphExecDestroy(exec));
  P(cudaDeviceGraphMemTrim(0));
  attributes("trimmed");
  unsigned long long zero = 0, ten = 10;
  P(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
  P(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &ten));
  P(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &zero));
  P(cudaDeviceGetGraphMemAttribute(0, (cudaGraphMemAttributeType)9, &zero));
  P(cudaDeviceGetGraphMemAttribute(9, cudaGraphMemAttrUsedMemHigh, &zero));
  P(cudaDeviceGraphMemTrim(9));
  attributes("reset");
}

static void conditionals() {
  std::puts("== conditional nodes");
  cudaGraph_t g, clone;
  cudaGraphNode_t node, k, e;
  cudaGraphExec_t exec;
  cudaGraphConditionalHandle handle, handle2;
  cudaGraphCreate(&g, 0);
  P(cudaGraphConditionalHandleCreate(nullptr, g, 0, 0));
  P(cudaGraphConditionalHandleCreate(&handle, g, 0, 2));
  P(cudaGraphConditionalHandleCreate(&handle, nullptr, 0, 0));
  P(cudaGraphConditionalHandleCreate(&handle, g, 1, cudaGraphCondAssignDefault));
  cudaGraphInstantiateParams ip = {};
  P(cudaGraphInstantiateWithParams(&exec, g, &ip));
  std::printf("  result %d\n", ip.result_out);
  cudaGraphNodeParams p = {};
  p.type = cudaGraphNodeTypeConditional;
  p.conditional.handle = handle;
  p.conditional.type = cudaGraphCondTypeIf;
  p.conditional.size = 3;
  P(addNode(&node, g, nullptr, nullptr, 0, &p));
  p.conditional.size = 0;
  P(addNode(&node, g, nullptr, nullptr, 0, &p));
  p.conditional.size = 1;
  p.conditional.handle = 12345;
  P(addNode(&node, g, nullptr, nullptr, 0, &p));
  p.conditional.handle = handle;
  P(addNode(&node, g, nullptr, nullptr, 0, &p));
  cudaGraph_t body = p.conditional.phGraph_out[0];
  describe(body);
  P(addNode(&e, g, nullptr, nullptr, 0, &p));
  cudaGraphConditionalHandleCreate(&handle2, g, 1, cudaGraphCondAssignDefault);
  p.conditional.handle = handle2;
  p.conditional.type = cudaGraphCondTypeWhile;
  p.conditional.size = 2;
  P(addNode(&e, g, nullptr, nullptr, 0, &p));
  p.conditional.type = cudaGraphCondTypeSwitch;
  p.conditional.size = 5;
  P(addNode(&e, g, nullptr, nullptr, 0, &p));
  p.conditional.type = (cudaGraphConditionalNodeType)3;
  P(addNode(&e, g, nullptr, nullptr, 0, &p));
  cudaHostNodeParams hostParams = {host, nullptr};
  cudaKernelNodeParams kp = kernelParams((void *)add, args);
  P(cudaGraphAddKernelNode(&k, body, nullptr, 0, &kp));
  P(cudaGraphAddEventRecordNode(&e, body, nullptr, 0, event));
  P(cudaGraphAddHostNode(&e, body, nullptr, 0, &hostParams));
  P(cudaGraphDestroy(body));
  describe(body);
  P(cudaGraphClone(&clone, g));
  P(cudaGraphInstantiateWithParams(&exec, g, &ip));
  std::printf("  result %d\n", ip.result_out);
  cudaGraph_t h;
  cudaGraphCreate(&h, 0);
  cudaGraphConditionalHandleCreate(&handle, h, 1, 0);
  p.conditional.handle = handle;
  p.conditional.type = cudaGraphCondTypeWhile;
  p.conditional.size = 1;
  P(addNode(&node, h, nullptr, nullptr, 0, &p));
  P(cudaGraphClone(&clone, h));
  P(cudaGraphInstantiateWithParams(&exec, h, &ip));
  std::printf("  result %d\n", ip.result_out);
  showUpdate("itself", exec, h);
  p.conditional.handle = handle2;
  P(cudaGraphNodeSetParams(node, &p));
  cudaGraph_t parent;
  cudaGraphCreate(&parent, 0);
  P(cudaGraphAddChildGraphNode(&e, parent, nullptr, 0, h));
  P(cudaGraphDestroyNode(node));
}

static void edges() {
  std::puts("== edge data");
  cudaGraph_t g;
  cudaGraphNode_t a, b, e, froms[4], tos[4];
  cudaGraphEdgeData data[4] = {};
  size_t n = 4;
  cudaGraphCreate(&g, 0);
  cudaKernelNodeParams p = kernelParams((void *)add, args);
  cudaGraphAddKernelNode(&a, g, nullptr, 0, &p);
  cudaGraphNodeParams np = {};
  np.type = cudaGraphNodeTypeKernel;
  np.kernel.func = (void *)add;
  np.kernel.gridDim = {1, 1, 1};
  np.kernel.blockDim = {32, 1, 1};
  np.kernel.kernelParams = args;
  data[0].from_port = cudaGraphKernelNodePortProgrammatic;
  data[0].type = cudaGraphDependencyTypeProgrammatic;
  P(addNode(&b, g, &a, data, 1, &np));
  P(edgesOf(g, froms, tos, &n));
  std::printf("  %zu\n", n);
  n = 4;
  P(edgesWithData(g, froms, tos, data, &n));
  std::printf("  %zu: %d %d %d\n", n, data[0].from_port, data[0].to_port, data[0].type);
  cudaGraphAddEmptyNode(&e, g, nullptr, 0);
  cudaGraphNode_t tail;
  data[0] = {};
  data[0].from_port = 1, data[0].type = 1;
  P(addNode(&tail, g, &e, data, 1, &np));
  data[0].from_port = 3, data[0].type = 0;
  P(addNode(&tail, g, &a, data, 1, &np));
  data[0].from_port = 0, data[0].type = 5;
  P(addNode(&tail, g, &a, data, 1, &np));
  data[0].type = 0, data[0].to_port = 1;
  P(addNode(&tail, g, &a, data, 1, &np));
  np.type = (cudaGraphNodeType)12;
  P(addNode(&tail, g, nullptr, nullptr, 0, &np));
  np.type = cudaGraphNodeTypeEmpty;
  P(addNode(&tail, g, nullptr, nullptr, 0, &np));
  P(cudaGraphNodeSetParams(tail, &np));
  np.type = cudaGraphNodeTypeKernel;
  P(cudaGraphNodeSetParams(tail, &np));
  cudaGraphExec_t exec;
  P(cudaGraphInstantiate(&exec, g, 0));
  P(cudaGraphLaunch(exec, free1));
  P(cudaStreamSynchronize(free1));
  std::puts("== programmatic launches in a capture");
  cudaLaunchAttribute attribute[1] = {};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1), config.blockDim = dim3(32);
  config.stream = free1, config.attrs = attribute, config.numAttrs = 1;
  attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute[0].val.programmaticStreamSerializationAllowed = 1;
  cudaStreamBeginCapture(free1, cudaStreamCaptureModeGlobal);
  add<<<1, 32, 0, free1>>>(device, 1);
  P(cudaLaunchKernelEx(&config, add, device, 1));
  cudaStreamEndCapture(free1, &g);
  describe(g);
  n = 4;
  P(edgesOf(g, froms, tos, &n));
  n = 4;
  P(edgesWithData(g, froms, tos, data, &n));
  std::printf("  %zu: %d %d %d\n", n, data[0].from_port, data[0].to_port, data[0].type);
}

static void destroyed(void *p) { ++*static_cast<int *>(p); }

static void userObjects() {
  std::puts("== user objects");
  cudaUserObject_t object;
  cudaGraph_t g, clone;
  int count = 0;
  P(cudaUserObjectCreate(nullptr, &count, destroyed, 1, cudaUserObjectNoDestructorSync));
  P(cudaUserObjectCreate(&object, &count, nullptr, 1, cudaUserObjectNoDestructorSync));
  P(cudaUserObjectCreate(&object, &count, destroyed, 0, cudaUserObjectNoDestructorSync));
  P(cudaUserObjectCreate(&object, &count, destroyed, 1, 0));
  P(cudaUserObjectCreate(&object, &count, destroyed, 3, cudaUserObjectNoDestructorSync));
  cudaGraphCreate(&g, 0);
  P(cudaUserObjectRetain(object, 0));
  P(cudaUserObjectRetain(object, 1));
  P(cudaUserObjectRelease(object, 2));
  P(cudaGraphRetainUserObject(g, object, 1, 7));
  P(cudaGraphRetainUserObject(g, object, 1, cudaGraphUserObjectMove));
  P(cudaGraphRetainUserObject(g, object, 1, 0));
  P(cudaGraphReleaseUserObject(g, object, 1));
  P(cudaGraphReleaseUserObject(g, object, 5));
  P(cudaGraphClone(&clone, g));
  P(cudaGraphDestroy(g));
  std::printf("  %d\n", count);
  P(cudaUserObjectRelease(object, 1));
  std::printf("  %d\n", count);
  cudaGraphExec_t exec;
  P(cudaGraphInstantiate(&exec, clone, 0));
  P(cudaGraphDestroy(clone));
  cudaDeviceSynchronize();
  std::printf("  %d\n", count);
  P(cudaGraphExecDestroy(exec));
  cudaDeviceSynchronize();
  for (int i = 0; i < 1000 && !count; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::printf("  %d\n", count);
}

static void prepare() {
  cudaMalloc(&device, 4096), cudaMalloc(&device2, 4096), cudaMallocHost(&pinned, 4096);
  cudaStreamCreate(&blocking), cudaStreamCreate(&blocking2);
  cudaStreamCreateWithFlags(&free1, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&free2, cudaStreamNonBlocking);
  cudaEventCreate(&event), cudaEventCreate(&event2);
  cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming);
  cudaEventRecord(event, free2), cudaEventRecord(event2, free2);
  cudaGraph_t g;
  cudaGraphNode_t node;
  cudaMemsetParams set = {};
  set.dst = device, set.elementSize = 4, set.width = 16, set.height = 1;
  cudaGraphCreate(&g, 0);
  cudaGraphAddMemsetNode(&node, g, nullptr, 0, &set);
  cudaGraphInstantiate(&someExec, g, 0);
}

/// With a number: that section only.
int main(int argc, char **argv) {
  void (*const sections[])() = {structure,   attribute,    edges,       executables,
                                memoryNodes, conditionals, userObjects, info,
                                forks,       otherThread,  inModes};
  setvbuf(stdout, nullptr, _IOLBF, 0);
  prepare();
  int only = argc > 1 ? std::atoi(argv[1]) : -1;
  for (int i = 0; i < 11; ++i)
    if (only < 0 || only == i)
      sections[i]();
  return 0;
}
