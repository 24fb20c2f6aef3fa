// RUN: %heddle run %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles of kernels: launched, asked, set for a device, put into graphs.
#include "support.h"

__global__ void fill(int *to, int value) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = value + int(threadIdx.x);
  __syncthreads();
  to[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

static void check(const char *what, const int *got, int value) {
  for (int i = 0; i < 32; i++)
    expect(what, i, got[i], value + 31 - i);
}

int main() {
  int *data, value = 7, dummy = 0;
  CUDA_OK(cudaMallocManaged(&data, 32 * sizeof(int)));
  cudaKernel_t kernel;
  cudaFunction_t function;
  CUDA_OK(cudaGetKernel(&kernel, (const void *)fill));
  CUDA_OK(cudaGetFuncBySymbol(&function, (const void *)fill));
  expectError("no kernel", cudaGetKernel(&kernel, &dummy), cudaErrorInvalidDeviceFunction);
  expectError("no symbol", cudaGetFuncBySymbol(&function, &dummy), cudaErrorInvalidDeviceFunction);
  expectError("nowhere to put it", cudaGetKernel(nullptr, (const void *)fill), cudaErrorInvalidValue);
  void *args[] = {&data, &value};
  CUDA_OK(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(32), args, 128, nullptr));
  CUDA_OK(cudaDeviceSynchronize());
  check("launched by its handle", data, 7);
  CUDA_OK(cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10, 0));
  cudaFuncAttributes attributes;
  CUDA_OK(cudaFuncGetAttributes(&attributes, (const void *)kernel));
  expect("dynamic shared memory", 0, attributes.maxDynamicSharedSizeBytes, 64 << 10);
  expectError("another device",
              cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 0, 99),
              cudaErrorInvalidDevice);
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaGraphExec_t executable;
  cudaKernelNodeParams p = {};
  value = 100;
  p.func = (void *)function;
  p.gridDim = dim3(1), p.blockDim = dim3(32), p.sharedMemBytes = 60 << 10, p.kernelParams = args;
  CUDA_OK(cudaGraphCreate(&graph, 0));
  CUDA_OK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &p));
  CUDA_OK(cudaGraphInstantiate(&executable, graph, 0));
  CUDA_OK(cudaGraphLaunch(executable, nullptr));
  CUDA_OK(cudaDeviceSynchronize());
  check("in a graph", data, 100);
  return finish();
}
