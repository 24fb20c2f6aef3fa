// RUN: %heddle cc %s -o %t
// RUN: env HEDDLE_DEVICE=cpu,cpu,cpu %t
// HARDWARE: not there (one GPU)
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy between the memories of two devices in the NULL stream begins when all that was issued to either device before
// is over, in any stream, and what is issued to them later waits for it (CUDA guide, "Peer-to-Peer Memory Copy"): by
// each function that copies, with the first, the second or a third device as the current one.
#include "support.h"

constexpr int Width = 1 << 10, Rows = 1 << 10, Count = Width * Rows;
constexpr size_t Bytes = Count * sizeof(int);

__global__ void fill(int *p, int value) {
  for (int i = 0; i < 20; i++)
    p[blockIdx.x * blockDim.x + threadIdx.x] = i < 19 ? -i : value;
}
__global__ void add(int *to, const int *from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i] + 1;
}

enum Way { Row, Rectangle, Box, Peer, PeerBox, Async, PeerAsync, Ways };

cudaError_t copy(Way way, int *to, const int *from) {
  cudaMemcpy3DParms box = {};
  box.srcPtr = {const_cast<int *>(from), Width * 4, Width * 4, Rows};
  box.dstPtr = {to, Width * 4, Width * 4, Rows};
  box.extent = {Width * 4, Rows, 1};
  box.kind = cudaMemcpyDefault;
  cudaMemcpy3DPeerParms peers = {};
  peers.srcPtr = box.srcPtr;
  peers.dstPtr = box.dstPtr;
  peers.extent = box.extent;
  peers.srcDevice = 0;
  peers.dstDevice = 1;
  switch (way) {
  case Row:
    return cudaMemcpy(to, from, Bytes, cudaMemcpyDefault);
  case Rectangle:
    return cudaMemcpy2D(to, Width * 4, from, Width * 4, Width * 4, Rows, cudaMemcpyDefault);
  case Box:
    return cudaMemcpy3D(&box);
  case Peer:
    return cudaMemcpyPeer(to, 1, from, 0, Bytes);
  case PeerBox:
    return cudaMemcpy3DPeer(&peers);
  case Async:
    return cudaMemcpyAsync(to, from, Bytes, cudaMemcpyDefault, 0);
  default:
    return cudaMemcpyPeerAsync(to, 1, from, 0, Bytes, 0);
  }
}

int main() {
  int *a, *b, *c, devices = 0;
  CUDA_OK(cudaGetDeviceCount(&devices));
  cudaStream_t other[2], apart[2];
  for (int device : {0, 1}) {
    CUDA_OK(cudaSetDevice(device));
    CUDA_OK(cudaMalloc(device ? &b : &a, Bytes));
    CUDA_OK(cudaStreamCreate(&other[device]));
    CUDA_OK(cudaStreamCreateWithFlags(&apart[device], cudaStreamNonBlocking));
  }
  CUDA_OK(cudaMalloc(&c, Bytes));
  std::vector<int> host(Count);
  int value = 0;
  for (int way = 0; way < Ways; way++)
    for (int current = 0; current < 3 && current < devices; current++)
      for (int streams = 0; streams < 3; streams++) { // the NULL streams, blocking ones, others
        auto of = [&](int device) {
          return streams == 0 ? nullptr : streams == 1 ? other[device] : apart[device];
        };
        value += 3;
        CUDA_OK(cudaSetDevice(1));
        fill<<<Count / 256, 256, 0, of(1)>>>(b, -1); // before the copy
        CUDA_OK(cudaSetDevice(0));
        fill<<<Count / 256, 256, 0, of(0)>>>(a, value);
        CUDA_OK(cudaSetDevice(current));
        CUDA_OK(copy(Way(way), b, a));
        CUDA_OK(cudaSetDevice(0));
        fill<<<Count / 256, 256, 0, of(0)>>>(a, -2); // behind it
        CUDA_OK(cudaSetDevice(1));
        add<<<Count / 256, 256, 0, of(1)>>>(c, b);
        CUDA_OK(cudaMemcpyAsync(host.data(), c, Bytes, cudaMemcpyDeviceToHost, of(1)));
        CUDA_OK(cudaStreamSynchronize(of(1)));
        int wrong = 0;
        for (int x : host)
          wrong += x != value + 1;
        expect("way " + std::to_string(way) + " from " + std::to_string(current), streams, wrong, 0);
        CUDA_OK(cudaSetDevice(0));
        CUDA_OK(cudaDeviceSynchronize());
      }
  return finish();
}
