// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditional nodes whose kernels set the values: loops, loops in loops, branches with and without
// else, switches; two executable graphs of one graph at the same time, each with its own values.
#include "support.h"

// One thread says whether to go on.
__global__ void collatz(unsigned long long *n, int *steps, cudaGraphConditionalHandle handle) {
  if (threadIdx.x == 5) {
    *n = *n & 1 ? 3 * *n + 1 : *n / 2;
    ++*steps;
    cudaGraphSetConditional(handle, *n != 1);
  }
}

__global__ void setFrom(const int *value, cudaGraphConditionalHandle handle) {
  cudaGraphSetConditional(handle, unsigned(*value));
}

__global__ void add(int *to, int value) { *to += value; }
__global__ void countDown(int *left, cudaGraphConditionalHandle handle) {
  cudaGraphSetConditional(handle, unsigned(--*left));
}
__global__ void refill(int *left, int value, cudaGraphConditionalHandle handle) {
  *left = value;
  cudaGraphSetConditional(handle, unsigned(value));
}

static cudaStream_t stream;

template <class... Args>
static cudaGraphNode_t addKernel(cudaGraph_t graph, std::vector<cudaGraphNode_t> after, unsigned threads,
                                 void (*kernel)(Args...), typename Plain<Args>::Type... args) {
  void *all[] = {&args...};
  cudaKernelNodeParams p = {};
  p.func = (void *)kernel;
  p.gridDim = dim3(1);
  p.blockDim = dim3(threads);
  p.kernelParams = all;
  cudaGraphNode_t node;
  CUDA_OK(cudaGraphAddKernelNode(&node, graph, after.data(), after.size(), &p));
  return node;
}

struct Conditional {
  cudaGraphNode_t node;
  std::vector<cudaGraph_t> bodies;
};

static Conditional addConditional(cudaGraph_t graph, std::vector<cudaGraphNode_t> after,
                                  cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type,
                                  unsigned size) {
  cudaGraphNodeParams p = {};
  p.type = cudaGraphNodeTypeConditional;
  p.conditional.handle = handle;
  p.conditional.type = type;
  p.conditional.size = size;
  Conditional made;
  CUDA_OK(cudaGraphAddNode(&made.node, graph, after.data(), after.size(), &p));
  made.bodies.assign(p.conditional.phGraph_out, p.conditional.phGraph_out + size);
  return made;
}

static cudaGraphConditionalHandle newHandle(cudaGraph_t graph, unsigned value = 0, bool isReset = true) {
  cudaGraphConditionalHandle handle;
  CUDA_OK(cudaGraphConditionalHandleCreate(&handle, graph, value, isReset ? cudaGraphCondAssignDefault : 0));
  return handle;
}

static void loops() {
  unsigned long long *n;
  int *steps;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CUDA_OK(cudaMallocManaged(&n, sizeof *n));
  CUDA_OK(cudaMallocManaged(&steps, sizeof *steps));
  CUDA_OK(cudaGraphCreate(&graph, 0));
  cudaGraphConditionalHandle handle = newHandle(graph, 1);
  Conditional loop = addConditional(graph, {}, handle, cudaGraphCondTypeWhile, 1);
  addKernel(loop.bodies[0], {}, 32, collatz, n, steps, handle);
  CUDA_OK(cudaGraphInstantiate(&executable, graph, 0));
  for (unsigned long long from : {27ull, 2ull, 97ull, 871ull}) {
    int want = 0;
    for (unsigned long long v = from; want == 0 || v != 1; want++)
      v = v & 1 ? 3 * v + 1 : v / 2;
    *n = from, *steps = 0;
    CUDA_OK(cudaGraphLaunch(executable, stream));
    CUDA_OK(cudaStreamSynchronize(stream));
    expect("steps from " + std::to_string(from), 0, *steps, want);
  }
  CUDA_OK(cudaGraphExecDestroy(executable));
  CUDA_OK(cudaGraphDestroy(graph));
}

static void branches() {
  int *value, *sums;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CUDA_OK(cudaMallocManaged(&value, sizeof *value));
  CUDA_OK(cudaMallocManaged(&sums, 8 * sizeof *sums));
  CUDA_OK(cudaGraphCreate(&graph, 0));
  cudaGraphConditionalHandle one = newHandle(graph), both = newHandle(graph), many = newHandle(graph);
  cudaGraphNode_t set1 = addKernel(graph, {}, 1, setFrom, value, one);
  cudaGraphNode_t set2 = addKernel(graph, {}, 64, setFrom, value, both);
  cudaGraphNode_t set3 = addKernel(graph, {set1}, 33, setFrom, value, many);
  Conditional only = addConditional(graph, {set1}, one, cudaGraphCondTypeIf, 1);
  Conditional either = addConditional(graph, {set2}, both, cudaGraphCondTypeIf, 2);
  Conditional choice = addConditional(graph, {set3, only.node}, many, cudaGraphCondTypeSwitch, 4);
  addKernel(only.bodies[0], {}, 1, add, sums, 1);
  addKernel(either.bodies[0], {}, 1, add, sums + 1, 1);
  addKernel(either.bodies[1], {}, 1, add, sums + 2, 1);
  for (int i = 0; i < 4; i++)
    addKernel(choice.bodies[i], {}, 1, add, sums + 3 + i, 1);
  addKernel(graph, {choice.node, either.node}, 1, add, sums + 7, 1);
  CUDA_OK(cudaGraphInstantiate(&executable, graph, 0));
  for (int v = 0; v < 6; v++) {
    *value = v;
    std::fill(sums, sums + 8, 0);
    CUDA_OK(cudaGraphLaunch(executable, stream));
    CUDA_OK(cudaStreamSynchronize(stream));
    int want[8] = {v != 0, v != 0, v == 0, v == 0, v == 1, v == 2, v == 3, 1};
    for (int i = 0; i < 8; i++)
      expect("value " + std::to_string(v), i, sums[i], want[i]);
  }
  CUDA_OK(cudaGraphExecDestroy(executable));
  CUDA_OK(cudaGraphDestroy(graph));
}

// outer times inner additions, by two values; the body was captured.
static void loopsInLoops() {
  int *outer, *inner, *sum;
  cudaGraph_t graph, captured;
  cudaGraphExec_t executable;
  for (int **p : {&outer, &inner, &sum})
    CUDA_OK(cudaMallocManaged(p, sizeof(int)));
  CUDA_OK(cudaGraphCreate(&graph, 0));
  cudaGraphConditionalHandle outside = newHandle(graph, 1), inside = newHandle(graph, 0, false);
  Conditional loop = addConditional(graph, {}, outside, cudaGraphCondTypeWhile, 1);
  cudaGraphNode_t fill = addKernel(loop.bodies[0], {}, 1, refill, inner, 7, inside);
  Conditional nested = addConditional(loop.bodies[0], {fill}, inside, cudaGraphCondTypeWhile, 1);
  addKernel(loop.bodies[0], {nested.node}, 1, countDown, outer, outside);
  CUDA_OK(cudaStreamBeginCaptureToGraph(stream, nested.bodies[0], nullptr, nullptr, 0,
                                        cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, stream>>>(sum, 1);
  countDown<<<1, 1, 0, stream>>>(inner, inside);
  CUDA_OK(cudaStreamEndCapture(stream, &captured));
  CUDA_OK(cudaGraphInstantiate(&executable, graph, 0));
  for (int turns : {1, 5, 40}) {
    *outer = turns, *sum = 0;
    CUDA_OK(cudaGraphLaunch(executable, stream));
    CUDA_OK(cudaStreamSynchronize(stream));
    expect("turns", turns, *sum, 7 * turns);
  }
  CUDA_OK(cudaGraphExecDestroy(executable));
  CUDA_OK(cudaGraphDestroy(graph));
}

static void valuesOfTheirOwn() {
  int *left;
  cudaGraph_t graph;
  cudaGraphExec_t first, second;
  cudaStream_t streams[2];
  CUDA_OK(cudaMallocManaged(&left, 2 * sizeof(int)));
  CUDA_OK(cudaGraphCreate(&graph, 0));
  cudaGraphConditionalHandle handle = newHandle(graph, 1);
  Conditional loop = addConditional(graph, {}, handle, cudaGraphCondTypeWhile, 1);
  cudaGraphNode_t node = addKernel(loop.bodies[0], {}, 1, countDown, left, handle);
  CUDA_OK(cudaGraphInstantiate(&first, graph, 0));
  CUDA_OK(cudaGraphInstantiate(&second, graph, 0));
  int *other = left + 1;
  void *args[] = {&other, &handle};
  cudaKernelNodeParams p = {};
  p.func = (void *)countDown;
  p.gridDim = p.blockDim = dim3(1);
  p.kernelParams = args;
  CUDA_OK(cudaGraphExecKernelNodeSetParams(second, node, &p));
  for (cudaStream_t &s : streams)
    CUDA_OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  for (int run = 0; run < 20; run++) {
    left[0] = 200, left[1] = 3;
    CUDA_OK(cudaGraphLaunch(first, streams[0]));
    CUDA_OK(cudaGraphLaunch(second, streams[1]));
    CUDA_OK(cudaDeviceSynchronize());
    expect("the first", run, left[0], 0);
    expect("the second", run, left[1], 0);
  }
  for (cudaGraphExec_t executable : {first, second})
    CUDA_OK(cudaGraphExecDestroy(executable));
  CUDA_OK(cudaGraphDestroy(graph));
}

int main() {
  CUDA_OK(cudaStreamCreate(&stream));
  loops();
  branches();
  loopsInLoops();
  valuesOfTheirOwn();
  return finish();
}
