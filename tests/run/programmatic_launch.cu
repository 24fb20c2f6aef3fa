// RUN: %heddle cc -arch=sm_90 %s -o %t
// RUN: %widths %t
// NVCC: -arch=sm_90
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programmatic dependent launch: a kernel that may begin before the one in front of it has ended sees all that this one
// wrote behind cudaGridDependencySynchronize; events that a launch records on its way; both as edges of captured graphs.
#include "support.h"

#if CUDART_VERSION >= 13000 // names without versions have edge data there
#define cudaGraphGetEdges_v2 cudaGraphGetEdges
#endif

__global__ void first(int *p, int n, int seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  cudaTriggerProgrammaticLaunchCompletion();
  if (i < n)
    p[i] = i * 3 + seed;
}
__global__ void second(int *to, const int *from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int own = i * 7; // needs nothing of the first kernel's
  cudaGridDependencySynchronize();
  if (i < n)
    to[i] = from[n - 1 - i] + own;
}

static const int n = 100'003;
static const int blocks = (n + 127) / 128;

static cudaLaunchConfig_t configOf(cudaStream_t stream, cudaLaunchAttribute *attribute) {
  cudaLaunchConfig_t config = {};
  config.gridDim = blocks;
  config.blockDim = 128;
  config.stream = stream;
  config.attrs = attribute;
  config.numAttrs = attribute ? 1 : 0;
  return config;
}

static cudaLaunchAttribute serialization() {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  return attribute;
}

static cudaLaunchAttribute recording(cudaLaunchAttributeID id, cudaEvent_t event, int flags = 0) {
  cudaLaunchAttribute attribute = {};
  attribute.id = id;
  if (id == cudaLaunchAttributeProgrammaticEvent) {
    attribute.val.programmaticEvent.event = event;
    attribute.val.programmaticEvent.flags = flags;
  } else {
    attribute.val.launchCompletionEvent.event = event;
    attribute.val.launchCompletionEvent.flags = flags;
  }
  return attribute;
}

static void check(const char *what, const Buffer<int> &to, int seed) {
  std::vector<int> got = to.get();
  for (int i = 0; i < n; i++)
    expect(what, i, got[i], (n - 1 - i) * 3 + seed + i * 7);
}

static void checkFirst(const Buffer<int> &from, int seed) {
  std::vector<int> got = from.get();
  for (int i = 0; i < n; i++)
    expect("the first kernel", i, got[i], i * 3 + seed);
}

static cudaStream_t newStream() {
  cudaStream_t stream;
  CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}
static cudaEvent_t newEvent(unsigned flags) {
  cudaEvent_t event;
  CUDA_OK(cudaEventCreateWithFlags(&event, flags));
  return event;
}

// The two kernels in one stream.
static void serialize(cudaStream_t stream, Buffer<int> &to, Buffer<int> &from, int seed) {
  cudaLaunchAttribute attribute = serialization();
  cudaLaunchConfig_t plain = configOf(stream, nullptr), early = configOf(stream, &attribute);
  CUDA_OK(cudaLaunchKernelEx(&plain, first, from.data, n, seed));
  CUDA_OK(cudaLaunchKernelEx(&early, second, to.data, from.data, n));
}

// The second kernel in another stream, which waits for an event that the first one's launch records. The event of the
// launch's completion orders launches only: cudaGridDependencySynchronize does not see it (driver_types.h).
static void followEvent(cudaLaunchAttributeID id, cudaStream_t a, cudaStream_t b, cudaEvent_t event,
                        Buffer<int> &to, Buffer<int> &from, int seed) {
  cudaLaunchAttribute record = recording(id, event), attribute = serialization();
  cudaLaunchConfig_t recorded = configOf(a, &record), early = configOf(b, &attribute);
  CUDA_OK(cudaLaunchKernelEx(&recorded, first, from.data, n, seed));
  CUDA_OK(cudaStreamWaitEvent(b, event, 0));
  CUDA_OK(cudaLaunchKernelEx(&early, second, to.data, from.data, n));
}

// The only edge of a captured graph.
static cudaGraphEdgeData edgeOf(cudaGraph_t graph) {
  size_t count = 1;
  cudaGraphNode_t from, to;
  cudaGraphEdgeData data = {};
  CUDA_OK(cudaGraphGetEdges_v2(graph, &from, &to, &data, &count));
  expect("edges", 0, int(count), 1);
  return data;
}

static void runGraph(cudaGraph_t graph, cudaStream_t stream) {
  cudaGraphExec_t executable;
  CUDA_OK(cudaGraphInstantiate(&executable, graph, 0));
  CUDA_OK(cudaGraphLaunch(executable, stream));
  CUDA_OK(cudaStreamSynchronize(stream));
  CUDA_OK(cudaGraphExecDestroy(executable));
  CUDA_OK(cudaGraphDestroy(graph));
}

static void testEdges(cudaStream_t a, cudaStream_t b, cudaEvent_t event, cudaEvent_t back) {
  Buffer<int> from(n), to(n);
  CUDA_OK(cudaDeviceSynchronize()); // they are cleared in a stream that a and b do not wait for
  const int port = cudaGraphKernelNodePortProgrammatic; // of both, on an H200
  for (auto id : {cudaLaunchAttributeProgrammaticEvent, cudaLaunchAttributeLaunchCompletionEvent}) {
    cudaGraph_t graph;
    CUDA_OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    followEvent(id, a, b, event, to, from, 100 + int(id));
    CUDA_OK(cudaEventRecord(back, b));
    CUDA_OK(cudaStreamWaitEvent(a, back, 0));
    CUDA_OK(cudaStreamEndCapture(a, &graph));
    cudaGraphEdgeData data = edgeOf(graph);
    expect("type", id, int(data.type), int(cudaGraphDependencyTypeProgrammatic));
    expect("port", id, int(data.from_port), port);
    runGraph(graph, a);
    check("captured", to, 100 + int(id));
  }
}

// Only kernels begin before the end of what they depend on.
static void testOthers(cudaStream_t a, cudaStream_t b, cudaEvent_t event, cudaEvent_t back) {
  Buffer<int> from(n), to(n);
  CUDA_OK(cudaDeviceSynchronize()); // they are cleared in a stream that a and b do not wait for
  cudaLaunchAttribute record = recording(cudaLaunchAttributeProgrammaticEvent, event);
  cudaLaunchConfig_t recorded = configOf(a, &record);
  cudaGraph_t graph;
  CUDA_OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  CUDA_OK(cudaLaunchKernelEx(&recorded, first, from.data, n, 5));
  CUDA_OK(cudaStreamWaitEvent(b, event, 0));
  CUDA_OK(cudaMemcpyAsync(to.data, from.data, n * sizeof(int), cudaMemcpyDeviceToDevice, b));
  CUDA_OK(cudaEventRecord(back, b));
  CUDA_OK(cudaStreamWaitEvent(a, back, 0));
  CUDA_OK(cudaStreamEndCapture(a, &graph));
  runGraph(graph, a);
  std::vector<int> got = to.get();
  for (int i = 0; i < n; i++)
    expect("copied", i, got[i], i * 3 + 5);
}

static void testErrors(cudaStream_t stream) {
  Buffer<int> from(n);
  cudaEvent_t timed = newEvent(0), event = newEvent(cudaEventDisableTiming);
  for (auto id : {cudaLaunchAttributeProgrammaticEvent, cudaLaunchAttributeLaunchCompletionEvent}) {
    cudaLaunchAttribute attribute = recording(id, timed);
    cudaLaunchConfig_t config = configOf(stream, &attribute);
    expectError("with times", cudaLaunchKernelEx(&config, first, from.data, n, 1),
                cudaErrorNotSupported);
    attribute = recording(id, event, 64);
    expectError("flags", cudaLaunchKernelEx(&config, first, from.data, n, 1), cudaErrorInvalidValue);
  }
  CUDA_OK(cudaEventDestroy(timed));
  CUDA_OK(cudaEventDestroy(event));
}

int main() {
  cudaStream_t a = newStream(), b = newStream();
  cudaEvent_t event = newEvent(cudaEventDisableTiming), back = newEvent(cudaEventDisableTiming);
  Buffer<int> from(n), to(n);
  CUDA_OK(cudaDeviceSynchronize()); // they are cleared in a stream that a and b do not wait for
  for (int seed = 0; seed < 20; seed++) {
    serialize(a, to, from, seed);
    CUDA_OK(cudaStreamSynchronize(a));
    check("serialized", to, seed);
  }
  for (auto id : {cudaLaunchAttributeProgrammaticEvent, cudaLaunchAttributeLaunchCompletionEvent}) {
    followEvent(id, a, b, event, to, from, int(id));
    CUDA_OK(cudaStreamSynchronize(b));
    if (id == cudaLaunchAttributeProgrammaticEvent)
      check("after an event", to, int(id));
    CUDA_OK(cudaEventSynchronize(event));
    CUDA_OK(cudaStreamSynchronize(a));
    checkFirst(from, int(id));
  }
  testEdges(a, b, event, back);
  testOthers(a, b, event, back);
  testErrors(a);
  return finish();
}
