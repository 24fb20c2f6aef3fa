// RUN: %heddle cc -rdc=true %s -o %t
// RUN: %widths %t
// RUN: env HEDDLE_WORKERS=1 %t
// NVCC: -rdc=true
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of a graph that launch kernels: the nodes behind such a node see what its children and tail launches have
// done, in each run of the graph.
#include "../support.h"

__global__ void scale(long long *data, int n, int factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] = data[i] * factor % 1000003;
}
__global__ void shift(long long *data, int n, int amount) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] += amount;
}
/// Twice the factor in children, block by block, then the amount in a tail launch.
__global__ void parent(long long *data, int n, int factor, int amount) {
  int first = blockIdx.x * 50, count = min(50, n - first);
  if (threadIdx.x == blockIdx.x % blockDim.x && count > 0) {
    scale<<<2, 25>>>(data + first, count, factor);
    scale<<<1, 64, 0, 0>>>(data + first, count, factor);
  }
  if (threadIdx.x == 0 && blockIdx.x == 0)
    shift<<<(n + 31) / 32, 32, 0, cudaStreamTailLaunch>>>(data, n, amount);
}

int main() {
  constexpr int N = 230, Runs = 7;
  Random random(3);
  std::vector<long long> values(N);
  for (long long &value : values)
    value = random.below(1000000);
  Buffer<long long> data(values);
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CUDA_OK(cudaStreamCreate(&stream));
  CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  parent<<<5, 40, 0, stream>>>(data, N, 3, 1);
  shift<<<(N + 63) / 64, 64, 0, stream>>>(data, N, 10);
  parent<<<5, 33, 0, stream>>>(data, N, 7, 2);
  scale<<<(N + 63) / 64, 64, 0, stream>>>(data, N, 2);
  CUDA_OK(cudaStreamEndCapture(stream, &graph));
  CUDA_OK(cudaGraphInstantiate(&exec, graph, 0));
  for (int run = 0; run < Runs; run++)
    CUDA_OK(cudaGraphLaunch(exec, stream));
  CUDA_OK(cudaStreamSynchronize(stream));
  for (int run = 0; run < Runs; run++)
    for (long long &value : values) {
      value = value * 3 % 1000003 * 3 % 1000003 + 11;
      value = value * 7 % 1000003 * 7 % 1000003 + 2;
      value = value * 2 % 1000003;
    }
  expectAll("graph", data.get(), values);
  CUDA_OK(cudaGraphExecDestroy(exec));
  CUDA_OK(cudaGraphDestroy(graph));
  CUDA_OK(cudaStreamDestroy(stream));
  return finish();
}
