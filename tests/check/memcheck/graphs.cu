// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that is freed between a graph's instantiation, or its last run, and its run.
// RUN: %heddle cc %s -o %t && %check --tool memcheck %s %t
constexpr int N = 128;
__global__ void freed(int *a) {
  a[threadIdx.x * threadIdx.x % N] = 1; // error: use-after-free
}
__global__ void right(int *a) { a[threadIdx.x * threadIdx.x % N] = 1; }

cudaGraphExec_t instantiate(cudaStream_t stream, void (*kernel)(int *), int *a) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  kernel<<<1, N, 0, stream>>>(a);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  return exec;
}

int main() {
  int *a, *b;
  cudaMalloc(&a, N * sizeof(int)), cudaMalloc(&b, N * sizeof(int));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraphExec_t first = instantiate(stream, right, b), second = instantiate(stream, freed, a);
  for (int i = 0; i < 2; ++i)
    cudaGraphLaunch(first, stream);
  cudaStreamSynchronize(stream);
  cudaFree(a);
  cudaGraphLaunch(second, stream);
  cudaGraphLaunch(first, stream);
  return cudaStreamSynchronize(stream);
}
