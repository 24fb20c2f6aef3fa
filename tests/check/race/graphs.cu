// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of graphs, with each other and with what lies before and behind the graph.
// RUN: %heddle cc %s -o %t && %check --tool racecheck %s %t
constexpr int N = 64;

template <int> __global__ void fill(int *a, int value) { a[threadIdx.x] = value; }
template <int> __global__ void add(int *a, int value) { a[threadIdx.x] += value; }

// Two branches of one graph on the same words.
__global__ void left(int *a) { a[threadIdx.x] = 1; }
__global__ void right(int *a) {
  a[threadIdx.x] = 2; // error: race-write-write
}
// A graph, and a stream beside it.
__global__ void inside(int *a) {
  a[threadIdx.x] += 1; // error: race-read-write
}
__global__ void beside(const int *a, int *b) { b[threadIdx.x] = a[threadIdx.x]; }

struct Recorder {
  cudaStream_t stream, other;
  cudaEvent_t fork, join;
  Recorder() {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  }
  void split() {
    cudaEventRecord(fork, stream);
    cudaStreamWaitEvent(other, fork);
  }
  void meet() {
    cudaEventRecord(join, other);
    cudaStreamWaitEvent(stream, join);
  }
  cudaGraphExec_t end() {
    cudaGraph_t graph;
    cudaGraphExec_t run;
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&run, graph, 0);
    return run;
  }
};

int main() {
  int *a, *b;
  cudaMalloc(&a, N * sizeof(int));
  cudaMalloc(&b, N * sizeof(int));

  Recorder wrong;
  wrong.split();
  left<<<1, N, 0, wrong.stream>>>(a);
  right<<<1, N, 0, wrong.other>>>(a);
  wrong.meet();
  cudaGraphExec_t wrongRun = wrong.end();
  cudaGraphLaunch(wrongRun, wrong.stream);
  cudaDeviceSynchronize();

  // Branches on words of their own, which meet; twice in a row, and kernels before and behind.
  fill<0><<<1, N>>>(a, 0);
  cudaDeviceSynchronize();
  Recorder good;
  fill<1><<<1, N, 0, good.stream>>>(a, 1);
  good.split();
  add<1><<<1, N, 0, good.stream>>>(a, 1);
  fill<2><<<1, N, 0, good.other>>>(b, 1);
  good.meet();
  add<2><<<1, N, 0, good.stream>>>(b, 1);
  cudaGraphExec_t goodRun = good.end();
  fill<3><<<1, N, 0, good.stream>>>(b, 1);
  cudaGraphLaunch(goodRun, good.stream);
  cudaGraphLaunch(goodRun, good.stream);
  add<3><<<1, N, 0, good.stream>>>(a, 1);
  // Another stream waits for the graph.
  cudaEventRecord(good.fork, good.stream);
  cudaStreamWaitEvent(good.other, good.fork);
  add<4><<<1, N, 0, good.other>>>(b, 1);
  cudaDeviceSynchronize();

  Recorder alone;
  inside<<<1, N, 0, alone.stream>>>(a);
  cudaGraphExec_t aloneRun = alone.end();
  cudaGraphLaunch(aloneRun, alone.stream);
  beside<<<1, N, 0, alone.other>>>(a, b);
  return cudaDeviceSynchronize();
}
