// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies and fills in a graph of a program without streams, beside a kernel and behind it.
// RUN: %heddle cc -g %s -o %t && %check --tool racecheck %s %t | FileCheck %s
// CHECK: the other read by a copy
// CHECK: the other write by a copy
constexpr int N = 64;

__global__ void write(int *a) { a[threadIdx.x] = 4; }    // error: race-read-write
__global__ void writeToo(int *a) { a[threadIdx.x] = 4; } // error: race-write-write
__global__ void writeBefore(int *a) { a[threadIdx.x] = 4; }

enum class Node { Copy, Fill };

void run(void (*kernel)(int *), Node what, bool isBehind) {
  int *a, *b;
  cudaMalloc(&a, N * sizeof(int));
  cudaMalloc(&b, N * sizeof(int));
  cudaMemset(a, 0, N * sizeof(int));
  cudaGraph_t graph;
  cudaGraphNode_t first, second;
  cudaGraphExec_t exec;
  cudaGraphCreate(&graph, 0);
  void *arguments[] = {&a};
  cudaKernelNodeParams params = {};
  params.func = reinterpret_cast<void *>(kernel);
  params.gridDim = 1, params.blockDim = N, params.kernelParams = arguments;
  cudaGraphAddKernelNode(&first, graph, nullptr, 0, &params);
  cudaMemsetParams fill = {};
  fill.dst = a, fill.value = 7, fill.elementSize = 4, fill.width = N, fill.height = 1;
  if (what == Node::Copy)
    cudaGraphAddMemcpyNode1D(&second, graph, &first, isBehind, b, a, N * sizeof(int),
                             cudaMemcpyDeviceToDevice);
  else
    cudaGraphAddMemsetNode(&second, graph, &first, isBehind, &fill);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, nullptr);
  cudaGraphLaunch(exec, nullptr);
  cudaDeviceSynchronize();
}

int main() {
  run(write, Node::Copy, false);
  run(writeToo, Node::Fill, false);
  run(writeBefore, Node::Copy, true);
  run(writeBefore, Node::Fill, true);
}
