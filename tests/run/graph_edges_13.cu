// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graph functions in CUDA 13's form, with data of edges, beside CUDA 12's.
// RUN: %heddle run %s
#include "support.h"

__global__ void add(int *value, int n) { *value = *value * 10 + n; }

static cudaGraphNodeParams kernelNode(void **arguments) {
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeKernel;
  params.kernel.func = (void *)add;
  params.kernel.gridDim = params.kernel.blockDim = dim3(1);
  params.kernel.kernelParams = arguments;
  return params;
}

/// The second launch is cut off from the first, the third comes after both.
static void captureApart(int *address) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaStreamCaptureStatus status;
  const cudaGraphNode_t *last;
  size_t count = 0, edges = 0, roots = 0;
  cudaGraphEdgeData plain = {};
  CUDA_OK(cudaStreamCreate(&stream));
  CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  add<<<1, 1, 0, stream>>>(address, 1);
  CUDA_OK(cudaStreamGetCaptureInfo_v2(stream, &status, nullptr, nullptr, &last, &count));
  expect<size_t>("last nodes", 0, count, 1);
  cudaGraphNode_t first = *last;
  CUDA_OK(cudaStreamUpdateCaptureDependencies_v2(stream, nullptr, nullptr, 0,
                                                 cudaStreamSetCaptureDependencies));
  add<<<1, 1, 0, stream>>>(address, 2);
  CUDA_OK(cudaStreamUpdateCaptureDependencies_v2(stream, &first, &plain, 1,
                                                 cudaStreamAddCaptureDependencies));
  add<<<1, 1, 0, stream>>>(address, 3);
  CUDA_OK(cudaStreamEndCapture(stream, &graph));
  CUDA_OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  CUDA_OK(cudaGraphGetRootNodes(graph, nullptr, &roots));
  expect<size_t>("captured edges", 0, edges, 2);
  expect<size_t>("captured roots", 0, roots, 2);
  CUDA_OK(cudaGraphDestroy(graph));
  expect<int>("no capture", 0,
              cudaStreamUpdateCaptureDependencies_v2(stream, &first, &plain, 1,
                                                     cudaStreamAddCaptureDependencies),
              cudaErrorIllegalState);
  CUDA_OK(cudaStreamDestroy(stream));
}

int main() {
  Buffer<int> value(1);
  int *address = value, numbers[] = {1, 2, 3};
  cudaGraph_t graph;
  CUDA_OK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t nodes[3];
  for (int i = 0; i < 3; i++) {
    void *arguments[] = {&address, &numbers[i]};
    cudaGraphNodeParams params = kernelNode(arguments);
    if (i == 0)
      CUDA_OK(cudaGraphAddNode(&nodes[i], graph, nullptr, 0, &params));
    else if (i == 1)
      CUDA_OK(cudaGraphAddNode(&nodes[i], graph, nodes, nullptr, 1, &params));
    else
      CUDA_OK(cudaGraphAddNode(&nodes[i], graph, nullptr, nullptr, 0, &params));
  }
  cudaGraphEdgeData plain = {};
  CUDA_OK(cudaGraphAddDependencies(graph, &nodes[1], &nodes[2], &plain, 1));
  size_t edges = 0, before = 0, behind = 0;
  CUDA_OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  CUDA_OK(cudaGraphNodeGetDependencies(nodes[1], nullptr, nullptr, &before));
  CUDA_OK(cudaGraphNodeGetDependentNodes(nodes[1], nullptr, nullptr, &behind));
  expect<size_t>("edges", 0, edges, 2);
  expect<size_t>("before", 0, before, 1);
  expect<size_t>("behind", 0, behind, 1);
  cudaGraphExec_t executable;
  CUDA_OK(cudaGraphInstantiate(&executable, graph, 0));
  CUDA_OK(cudaGraphLaunch(executable, 0));
  expect("order", 0, value.get()[0], 123);
  CUDA_OK(cudaGraphRemoveDependencies(graph, &nodes[1], &nodes[2], &plain, 1));
  CUDA_OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  expect<size_t>("edges left", 0, edges, 1);
  captureApart(value);
  return finish();
}
