// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What graph_probe.cu and capture_probe.cu share: kernels, memory, streams, and how answers are shown.
#pragma once

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
static cudaGraphExec_t someExec;
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

/// Runs the sections, or with a number that one only.
static int runSections(const std::vector<void (*)()> &sections, int argc, char **argv) {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  prepare();
  const int only = argc > 1 ? std::atoi(argv[1]) : -1;
  for (int i = 0; i < int(sections.size()); ++i)
    if (only < 0 || only == i)
      sections[i]();
  return 0;
}
