// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modelled time: branches of a graph overlap, and each node has a time of its own. A kernel is slower on a
// slower device, and both run side by side.
// RUN: %heddle cc -O3 %s -o %t
// RUN: env HEDDLE_DEVICE=h200,k20 HEDDLE_TIMING=model %t > %t.1 && env HEDDLE_DEVICE=h200,k20 HEDDLE_TIMING=model %t > %t.2
// RUN: diff %t.1 %t.2 && FileCheck %s --input-file %t.1
// RUN: env HEDDLE_DEVICE=k20 HEDDLE_TIMING=model %heddle profile --print-gpu-trace --csv -u us --quiet --log-file - %t | FileCheck %s --check-prefix=NODES
#include <cstdio>
// Few blocks, so that two fit beside each other.
__global__ void chain(float *a, int turns) {
  float x = a[threadIdx.x];
  for (int i = 0; i < turns; ++i)
    x = x * 1.5f + 0.25f;
  a[threadIdx.x] = x;
}
constexpr int Turns = 20000;
cudaEvent_t begin, end;
template <typename F> float time(cudaStream_t stream, F &&work) {
  cudaEventRecord(begin, stream);
  work();
  cudaEventRecord(end, stream);
  cudaEventSynchronize(end);
  float milliseconds = 0;
  cudaEventElapsedTime(&milliseconds, begin, end);
  return milliseconds;
}
float run(bool isParallel) {
  float *a, *b;
  cudaMalloc(&a, 4096), cudaMalloc(&b, 4096);
  cudaEventCreate(&begin), cudaEventCreate(&end);
  cudaStream_t stream, other;
  cudaStreamCreate(&stream), cudaStreamCreate(&other);
  cudaEvent_t fork, join;
  cudaEventCreate(&fork), cudaEventCreate(&join);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, stream);
  cudaStreamWaitEvent(other, fork, 0);
  chain<<<1, 64, 0, stream>>>(a, Turns);
  chain<<<1, 64, 0, isParallel ? other : stream>>>(b, Turns);
  cudaEventRecord(join, other);
  cudaStreamWaitEvent(stream, join, 0);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  return time(stream, [&] { cudaGraphLaunch(exec, stream); });
}
int main() {
  float serial = run(false), parallel = run(true);
  printf("branches overlap: %s\n", parallel > 0.4f * serial && parallel < 0.6f * serial ? "yes" : "no");
  int devices = 0;
  cudaGetDeviceCount(&devices);
  if (devices < 2)
    return 0;
  cudaSetDevice(1);
  float slower = run(false);
  printf("each device has its time: %s\n", slower > 1.2f * serial ? "yes" : "no");
  float *here, *there;
  cudaMalloc(&there, 1 << 26);
  cudaSetDevice(0);
  cudaMalloc(&here, 1 << 26);
  cudaEventCreate(&begin), cudaEventCreate(&end);
  float copy = time(nullptr, [&] { cudaMemcpyPeerAsync(there, 1, here, 0, 1 << 26, nullptr); });
  printf("a copy to a peer goes over PCIe: %s\n", copy > 5 && copy < 40 ? "yes" : "no");
}
// CHECK: branches overlap: yes
// CHECK: each device has its time: yes
// CHECK: a copy to a peer goes over PCIe: yes
// NODES-COUNT-4: {{[0-9.]+}},{{[0-9]{2,}\.[0-9]+}},"(1 1 1)","(64 1 1)",{{.*}}chain(float*, int)
