// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executable graphs that are changed: other parameters, other kernels, nodes switched off, the whole
// graph captured anew; arrays that are allocated anew where others lay.
#include "support.h"

__global__ void scale(float *to, const float *from, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] = factor * from[i];
}
__global__ void addTo(float *to, const float *from, float offset, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] = to[i] + from[i] + offset;
}
// Reads what it has just written, if the two arrays are the same.
__global__ void shifted(float *to, const float *from, int n) {
  for (int i = 1; i < n; i++)
    to[i] = from[i - 1] + 1;
}
__device__ float table[100];
__global__ void fromTable(float *to, int n) {
  int i = threadIdx.x;
  if (i < n)
    to[i] = table[i];
}

constexpr int N = 100;
static float *a, *b, *c;
static cudaStream_t stream;

static std::vector<float> valuesOf(const float *p) {
  std::vector<float> v(N);
  CUDA_OK(cudaMemcpy(v.data(), p, N * sizeof(float), cudaMemcpyDeviceToHost));
  return v;
}

static void run(cudaGraphExec_t executable) {
  CUDA_OK(cudaGraphLaunch(executable, stream));
  CUDA_OK(cudaStreamSynchronize(stream));
}

static void expectScaled(const char *what, const float *p, float factor, float offset = 0) {
  std::vector<float> got = valuesOf(p);
  for (int i = 0; i < N; i++)
    expect(what, i, got[i], factor * float(i) + offset);
}

static cudaKernelNodeParams paramsOf(void *kernel, void **args) {
  cudaKernelNodeParams p = {};
  p.func = kernel;
  p.gridDim = dim3(2);
  p.blockDim = dim3(64);
  p.kernelParams = args;
  return p;
}

static void parameters() {
  float factor = 2;
  int n = N;
  void *args[] = {&b, &a, &factor, &n};
  cudaGraph_t graph;
  cudaGraphNode_t node, second;
  cudaGraphExec_t executable;
  CUDA_OK(cudaGraphCreate(&graph, 0));
  cudaKernelNodeParams p = paramsOf((void *)scale, args), told;
  CUDA_OK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &p));
  factor = 3;
  p = paramsOf((void *)addTo, args);
  CUDA_OK(cudaGraphAddKernelNode(&second, graph, &node, 1, &p));
  CUDA_OK(cudaGraphKernelNodeGetParams(node, &told));
  expectTrue("the function", told.func == (void *)scale);
  expect("the first parameter", 0, *(float **)told.kernelParams[0] == b, true);
  expect("the third parameter", 0, *(float *)told.kernelParams[2], 2.0f);
  CUDA_OK(cudaGraphInstantiate(&executable, graph, 0));
  run(executable);
  expectScaled("as made", b, 3, 3);
  factor = 5;
  p = paramsOf((void *)scale, args);
  CUDA_OK(cudaGraphKernelNodeSetParams(node, &p));
  run(executable);
  expectScaled("the graph's node is another", b, 3, 3);
  CUDA_OK(cudaGraphExecKernelNodeSetParams(executable, node, &p));
  run(executable);
  expectScaled("the executable graph's node", b, 6, 3);
  CUDA_OK(cudaGraphNodeSetEnabled(executable, second, 0));
  run(executable);
  expectScaled("one switched off", b, 5);
  CUDA_OK(cudaGraphNodeSetEnabled(executable, second, 1));
  p = paramsOf((void *)addTo, args);
  CUDA_OK(cudaGraphExecKernelNodeSetParams(executable, node, &p));
  run(executable); // 5i + i + 5, and again + i + 3
  expectScaled("another kernel", b, 7, 8);
  struct {
    float *to;
    const float *from;
    float factor;
    int n;
  } packed = {c, a, 4, N};
  size_t bytes = sizeof packed;
  void *extra[] = {(void *)1, &packed, (void *)2, &bytes, nullptr};
  p = paramsOf((void *)scale, nullptr);
  p.extra = extra;
  CUDA_OK(cudaGraphExecKernelNodeSetParams(executable, node, &p));
  run(executable);
  expectScaled("parameters in one buffer", c, 4);
  CUDA_OK(cudaGraphExecDestroy(executable));
  CUDA_OK(cudaGraphDestroy(graph));
}

static cudaGraph_t capture(float factor, float offset) {
  cudaGraph_t graph;
  CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  scale<<<2, 64, 0, stream>>>(b, a, factor, N);
  CUDA_OK(cudaMemcpyAsync(c, b, N * sizeof(float), cudaMemcpyDeviceToDevice, stream));
  addTo<<<2, 64, 0, stream>>>(c, a, offset, N);
  CUDA_OK(cudaStreamEndCapture(stream, &graph));
  return graph;
}

static void wholeGraphs() {
  cudaGraphExec_t executable = nullptr;
  for (int step = 0; step < 5; step++) {
    cudaGraph_t graph = capture(float(step), float(2 * step));
    cudaGraphExecUpdateResultInfo info;
    if (!executable)
      CUDA_OK(cudaGraphInstantiate(&executable, graph, 0));
    else
      CUDA_OK(cudaGraphExecUpdate(executable, graph, &info));
    CUDA_OK(cudaGraphDestroy(graph));
    run(executable);
    expectScaled("captured anew", c, float(step + 1), float(2 * step));
  }
  CUDA_OK(cudaGraphExecDestroy(executable));
}

// Code may count on arrays that are apart. Then both are given back, and one takes the place of the
// two: what was in the first part and what was in the second belong to one array.
static void otherAllocations() {
  float *first, *second;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaGraphNode_t node;
  int n = N;
  CUDA_OK(cudaMalloc(&first, 4 << 20));
  CUDA_OK(cudaMalloc(&second, 4 << 20));
  void *args[] = {&first, &second, &n};
  cudaKernelNodeParams p = paramsOf((void *)shifted, args);
  p.gridDim = p.blockDim = dim3(1);
  CUDA_OK(cudaGraphCreate(&graph, 0));
  CUDA_OK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &p));
  CUDA_OK(cudaGraphInstantiate(&executable, graph, 0));
  CUDA_OK(cudaMemset(second, 0, 4 << 20));
  run(executable);
  std::vector<float> got = valuesOf(first);
  for (int i = 1; i < N; i++)
    expect("apart", i, got[i], 1.0f);
  CUDA_OK(cudaFree(first));
  CUDA_OK(cudaFree(second));
  float *both;
  CUDA_OK(cudaMalloc(&both, 64 << 20));
  second = first = both;
  CUDA_OK(cudaGraphExecKernelNodeSetParams(executable, node, &p));
  CUDA_OK(cudaMemset(both, 0, 4 << 20));
  run(executable);
  got = valuesOf(both);
  for (int i = 1; i < N; i++)
    expect("one array", i, got[i], float(i));
  CUDA_OK(cudaFree(both));
  CUDA_OK(cudaGraphExecDestroy(executable));
  CUDA_OK(cudaGraphDestroy(graph));
}

static void symbols() {
  std::vector<float> values(N), more(N);
  for (int i = 0; i < N; i++)
    values[i] = float(3 * i), more[i] = float(i) - 7;
  cudaGraph_t graph;
  cudaGraphNode_t to, kernel, from;
  cudaGraphExec_t executable;
  int n = N;
  void *args[] = {&b, &n};
  std::vector<float> got(N);
  CUDA_OK(cudaGraphCreate(&graph, 0));
  CUDA_OK(cudaGraphAddMemcpyNodeToSymbol(&to, graph, nullptr, 0, table, values.data(), N * sizeof(float), 0,
                                         cudaMemcpyHostToDevice));
  cudaKernelNodeParams p = paramsOf((void *)fromTable, args);
  p.gridDim = dim3(1), p.blockDim = dim3(128);
  CUDA_OK(cudaGraphAddKernelNode(&kernel, graph, &to, 1, &p));
  CUDA_OK(cudaGraphAddMemcpyNodeFromSymbol(&from, graph, &kernel, 1, got.data(), table, 40 * sizeof(float),
                                           10 * sizeof(float), cudaMemcpyDeviceToHost));
  CUDA_OK(cudaGraphInstantiate(&executable, graph, 0));
  run(executable);
  expectScaled("to a variable", b, 3);
  for (int i = 0; i < 40; i++)
    expect("from a variable", i, got[i], values[i + 10]);
  CUDA_OK(cudaGraphExecMemcpyNodeSetParamsToSymbol(executable, to, table, more.data(), N * sizeof(float), 0,
                                                   cudaMemcpyHostToDevice));
  CUDA_OK(cudaGraphExecMemcpyNodeSetParamsFromSymbol(executable, from, got.data(), table, N * sizeof(float), 0,
                                                     cudaMemcpyDeviceToHost));
  run(executable);
  expectScaled("to a variable, changed", b, 1, -7);
  expectAll("from a variable, changed", got, more);
  CUDA_OK(cudaGraphMemcpyNodeSetParamsToSymbol(to, table, more.data(), 8, 4, cudaMemcpyHostToDevice));
  CUDA_OK(cudaGraphMemcpyNodeSetParamsFromSymbol(from, got.data(), table, 8, 4, cudaMemcpyDeviceToHost));
  expectError("beyond the variable",
              cudaGraphMemcpyNodeSetParamsToSymbol(to, table, more.data(), N * sizeof(float), 4, cudaMemcpyHostToDevice),
              cudaErrorInvalidValue);
  CUDA_OK(cudaGraphExecDestroy(executable));
  CUDA_OK(cudaGraphDestroy(graph));
}

int main() {
  CUDA_OK(cudaStreamCreate(&stream));
  for (float **p : {&a, &b, &c})
    CUDA_OK(cudaMalloc(p, N * sizeof(float)));
  std::vector<float> values(N);
  for (int i = 0; i < N; i++)
    values[i] = float(i);
  CUDA_OK(cudaMemcpy(a, values.data(), N * sizeof(float), cudaMemcpyHostToDevice));
  parameters();
  wholeGraphs();
  otherAllocations();
  symbols();
  return finish();
}
