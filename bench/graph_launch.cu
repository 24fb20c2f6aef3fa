// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch of a small kernel costs in a stream and in a graph of 1,000 such kernels: the two
// in turns, 200 times, and the median of the ratios. With an argument it does only one of them 200
// times, for a tool that counts instructions: `stream` or `graph`.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

constexpr int Kernels = 1000, Rounds = 200;

__global__ void step(float *data, float factor) { data[threadIdx.x] = data[threadIdx.x] * factor + 1; }

static void check(cudaError_t error) {
  if (error != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    std::exit(1);
  }
}

static float *data;
static cudaStream_t stream;
static cudaGraphExec_t executable;

static void inStream() {
  for (int i = 0; i < Kernels; ++i)
    step<<<1, 32, 0, stream>>>(data, 0.5f);
}

static void inGraph() { check(cudaGraphLaunch(executable, stream)); }

/// ns per kernel, until all are done.
template <typename F> static double timeOf(F &&run) {
  auto start = std::chrono::steady_clock::now();
  run();
  check(cudaStreamSynchronize(stream));
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / Kernels;
}

static double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + v.size() / 2, v.end());
  return v[v.size() / 2];
}

int main(int argc, char **argv) {
  check(cudaMalloc(&data, 32 * sizeof(float)));
  check(cudaMemset(data, 0, 32 * sizeof(float)));
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaGraph_t graph;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  inStream();
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&executable, graph, 0));
  if (argc > 1) {
    for (int i = 0; i < Rounds; ++i)
      timeOf(!std::strcmp(argv[1], "graph") ? inGraph : inStream);
    return 0;
  }
  std::vector<double> streams, graphs, ratios;
  for (int i = -5; i < Rounds; ++i) {
    double one = timeOf(inStream), other = timeOf(inGraph);
    if (i < 0)
      continue;
    streams.push_back(one), graphs.push_back(other), ratios.push_back(other / one);
  }
  std::printf("{\"kernels\": %d, \"stream_ns\": %.0f, \"graph_ns\": %.0f, \"ratio\": %.3f}\n", Kernels,
              median(streams), median(graphs), median(ratios));
}
