// RUN: env HEDDLE_DEVICE=cpu,cpu %heddle run %s
// HARDWARE: not there (one GPU)
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph that was instantiated while one device was current is launched in streams of both: behind what they did before,
// and before what they do next.
#include <chrono>
#include <cstdio>
#include <thread>

#define CHECK(call)                                                                                                    \
  if (cudaError_t error = call) {                                                                                      \
    std::printf("line %d: %s\n", __LINE__, cudaGetErrorString(error));                                                 \
    return 1;                                                                                                          \
  }

__global__ void add(int *value) { *value += 1; }
__global__ void multiply(int *value) { *value *= 10; }

void sleepAwhile(void *) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

int main() {
  int *value;
  cudaStream_t streams[2];
  for (int device = 0; device < 2; device++) {
    CHECK(cudaSetDevice(device));
    CHECK(cudaStreamCreate(&streams[device]));
  }
  CHECK(cudaMallocManaged(&value, sizeof(int)));
  *value = 0;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK(cudaStreamBeginCapture(streams[1], cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, streams[1]>>>(value);
  CHECK(cudaStreamEndCapture(streams[1], &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK(cudaGraphLaunch(executable, streams[1]));
  CHECK(cudaStreamSynchronize(streams[1]));

  CHECK(cudaSetDevice(0));
  for (int round = 0; round < 3; round++) { // 1, 20, 210, 2110
    CHECK(cudaLaunchHostFunc(streams[0], sleepAwhile, nullptr));
    CHECK(cudaGraphLaunch(executable, streams[0]));
    multiply<<<1, 1, 0, streams[0]>>>(value);
  }
  CHECK(cudaStreamSynchronize(streams[0]));
  std::printf("%d\n", *value);
  const bool right = *value == 2110;
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  return !right;
}
