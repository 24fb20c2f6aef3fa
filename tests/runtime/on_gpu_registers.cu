// RUN: %heddle cc -arch=sm_90 %s -o %t && %t
// RUN: env HEDDLE_DEVICE=gpu HEDDLE_GPU_DRIVER=%build/lib/heddle/libgpu_stand_in.so HEDDLE_STAND_IN_REGISTERS=1 %t
// RUN: %heddle cc -arch=sm_90 -rdc=true %s -o %t.linked
// RUN: env HEDDLE_DEVICE=gpu HEDDLE_GPU_DRIVER=%build/lib/heddle/libgpu_stand_in.so HEDDLE_STAND_IN_REGISTERS=1 %t.linked
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that needs more registers than a block of 1024 threads has runs all the same (driver/gpu/gpu_again.cpp): launched
// as it is, with attributes, by a graph and under capture. Its variables are those that other kernels and the host see, of
// each kind. One with bounds of its own is refused.
#include "../run/support.h"

constexpr int Threads = 1024, Values = 96;

__device__ int counter;
static __device__ long long sums[2];
__constant__ int factors[Values];
__managed__ int managed = 5;
__device__ int *place = &counter;
extern __shared__ int scratch[];

/// All values are live at once.
__device__ float mix(const float *in) {
  float v[Values];
#pragma unroll
  for (int i = 0; i < Values; i++)
    v[i] = in[(threadIdx.x * 7 + i * 13) % Threads];
#pragma unroll
  for (int turn = 0; turn < 3; turn++)
#pragma unroll
    for (int i = 0; i < Values; i++)
      v[i] = v[i] * v[(i + 11) % Values] + v[(i * 7 + turn) % Values];
  float sum = 0;
#pragma unroll
  for (int i = 0; i < Values; i++)
    sum += v[i];
  return sum;
}

__global__ void many(const float *in, float *out, int add) {
  out[threadIdx.x] = mix(in);
  if (threadIdx.x == 0) {
    counter += add;
    *place += factors[3];
    sums[1] += managed;
    managed++;
  }
}
__global__ void __launch_bounds__(256) bounded(const float *in, float *out) { out[threadIdx.x] = mix(in); }
__global__ void shares(const float *in, float *out) {
  scratch[threadIdx.x + 20000] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = mix(in) + scratch[(threadIdx.x ^ 1) + 20000];
}
__global__ void small(int *out) { *out = counter + int(sums[1]); }

struct State {
  int counter, managed;
  long long sum;
};
State stateNow() {
  State state;
  CUDA_OK(cudaDeviceSynchronize());
  CUDA_OK(cudaMemcpyFromSymbol(&state.counter, counter, sizeof(int)));
  CUDA_OK(cudaMemcpyFromSymbol(&state.sum, sums, sizeof(long long), sizeof(long long)));
  state.managed = managed;
  return state;
}

int main() {
  float *in, *out, *want;
  CUDA_OK(cudaMallocManaged(&in, Threads * sizeof(float)));
  CUDA_OK(cudaMallocManaged(&out, Threads * sizeof(float)));
  CUDA_OK(cudaMallocManaged(&want, Threads * sizeof(float)));
  int host[Values];
  for (int i = 0; i < Threads; i++)
    in[i] = (i * 37 % 64 - 31) / 64.f;
  for (int i = 0; i < Values; i++)
    host[i] = i * 100;
  CUDA_OK(cudaMemcpyToSymbol(factors, host, sizeof host));
  int start = 1000;
  CUDA_OK(cudaMemcpyToSymbol(counter, &start, sizeof start));

  many<<<1, 64>>>(in, want, 1);
  expect("after a small block", 0, stateNow().counter, 1301);
  auto check = [&](const char *name, int times) {
    State state = stateNow();
    expect(name, 0, state.counter, 1001 + 300 + times * (300 + 2));
    expect(name, 1, state.managed, 6 + times);
    long long sum = 0;
    for (int i = 0; i <= times; i++)
      sum += 5 + i;
    expect(name, 2, state.sum, sum);
    for (int i = 0; i < 64; i++)
      expect(name, 10 + i, out[i], want[i]);
    for (int i = 0; i < Threads; i++)
      out[i] = 0;
  };
  many<<<1, Threads>>>(in, out, 2);
  CUDA_OK(cudaGetLastError());
  check("launch", 1);

  cudaLaunchConfig_t config = {};
  config.gridDim = 1, config.blockDim = Threads;
  CUDA_OK(cudaLaunchKernelEx(&config, many, (const float *)in, out, 2));
  check("with a configuration", 2);

  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CUDA_OK(cudaStreamCreate(&stream));
  CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  many<<<1, Threads, 0, stream>>>(in, out, 2);
  CUDA_OK(cudaStreamEndCapture(stream, &graph));
  CUDA_OK(cudaGraphInstantiate(&exec, graph, 0));
  CUDA_OK(cudaGraphLaunch(exec, stream));
  check("captured", 3);

  int add = 2;
  void *params[] = {&in, &out, &add};
  cudaKernelNodeParams node = {};
  node.func = (void *)many, node.gridDim = 1, node.blockDim = Threads, node.kernelParams = params;
  cudaGraph_t built;
  cudaGraphNode_t added;
  CUDA_OK(cudaGraphCreate(&built, 0));
  CUDA_OK(cudaGraphAddKernelNode(&added, built, nullptr, 0, &node));
  cudaKernelNodeParams got = {};
  CUDA_OK(cudaGraphKernelNodeGetParams(added, &got));
  expect("the node's kernel", 0, got.func == (void *)many, true);
  CUDA_OK(cudaGraphInstantiate(&exec, built, 0));
  CUDA_OK(cudaGraphLaunch(exec, stream));
  check("by a graph", 4);

  int *value;
  CUDA_OK(cudaMallocManaged(&value, sizeof(int)));
  small<<<1, 1>>>(value);
  State state = stateNow();
  expect("another kernel sees", 0, *value, state.counter + int(state.sum));

  constexpr int Bytes = (20000 + Threads) * int(sizeof(int)); // what a program set goes along
  CUDA_OK(cudaFuncSetAttribute(shares, cudaFuncAttributeMaxDynamicSharedMemorySize, Bytes));
  shares<<<1, Threads, Bytes>>>(in, out);
  CUDA_OK(cudaDeviceSynchronize());
  for (int i = 0; i < 64; i++)
    expect("shared", i, out[i], want[i] + (i ^ 1));

  bounded<<<1, Threads>>>(in, out);
  expect("its own bounds", 0, int(cudaGetLastError() != cudaSuccess), 1);
  CUDA_OK(cudaDeviceSynchronize());
  return finish();
}
