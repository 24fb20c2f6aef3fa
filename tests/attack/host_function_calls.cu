// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host functions, callbacks and destructors of user objects may not call CUDA (runtime API,
// cudaLaunchHostFunc, cudaStreamAddCallback, cudaUserObjectCreate): such a call gives
// cudaErrorNotPermitted, where it could wait for what waits for it. What asks for the last error or
// for names works. Elsewhere all goes on.
//
// RUN: %heddle run %s
#include <cstdio>

__global__ void add(int *x) { ++*x; }

static int *memory;
static cudaStream_t stream;
static int calls, wrong;

static void refuse(const char *what, cudaError_t error) {
  if (error != cudaErrorNotPermitted || cudaGetLastError() != error)
    printf("%s: %s\n", what, cudaGetErrorName(error)), wrong++;
}

static void callAll() {
  calls++;
  void *p;
  int value;
  cudaEvent_t event;
  cudaGetLastError();
  refuse("cudaMalloc", cudaMalloc(&p, 16));
  refuse("cudaFree", cudaFree(memory));
  refuse("cudaDeviceSynchronize", cudaDeviceSynchronize());
  refuse("cudaStreamSynchronize", cudaStreamSynchronize(stream));
  refuse("cudaStreamSynchronize of the default", cudaStreamSynchronize(nullptr));
  refuse("cudaMemcpy", cudaMemcpy(&value, memory, 4, cudaMemcpyDeviceToHost));
  refuse("cudaEventCreate", cudaEventCreate(&event));
  refuse("cudaLaunchHostFunc", cudaLaunchHostFunc(stream, [](void *) {}, nullptr));
  refuse("cudaDeviceReset", cudaDeviceReset());
  add<<<1, 1, 0, stream>>>(memory);
  refuse("a launch", cudaPeekAtLastError());
  cudaGetLastError();
}

static void CUDART_CB host(void *) { callAll(); }
static void CUDART_CB callback(cudaStream_t, cudaError_t, void *) { callAll(); }

int main() {
  cudaMalloc(&memory, 4);
  cudaMemset(memory, 0, 4);
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaLaunchHostFunc(stream, host, nullptr);
  cudaStreamAddCallback(stream, callback, nullptr, 0);
  cudaStreamSynchronize(stream);

  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaGraphNode_t node;
  cudaHostNodeParams params = {host, nullptr};
  cudaUserObject_t object;
  cudaGraphCreate(&graph, 0);
  cudaGraphAddHostNode(&node, graph, nullptr, 0, &params);
  cudaUserObjectCreate(&object, memory, host, 1, cudaUserObjectNoDestructorSync);
  cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);
  cudaGraphLaunch(executable, stream);
  cudaGraphExecDestroy(executable);
  cudaStreamSynchronize(stream);
  cudaDeviceSynchronize();

  add<<<1, 1, 0, stream>>>(memory);
  int value = 0;
  cudaMemcpyAsync(&value, memory, 4, cudaMemcpyDeviceToHost, stream);
  if (cudaStreamSynchronize(stream) != cudaSuccess || value != 1)
    wrong++;
  printf("%d calls, %d wrong, %s\n", calls, wrong, cudaGetErrorName(cudaGetLastError()));
  return wrong || calls != 4;
}
