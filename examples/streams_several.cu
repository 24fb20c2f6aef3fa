// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: course "GPU Programming", section 6.4 (CUDA streams: several streams).
//
// Several streams, each with buffers of its own, take the pieces in turn. While one stream's kernel
// runs, another's copies can. The host queues breadth first: the same operation for every stream,
// then the next operation, so that no stream's copy stands behind another stream's kernel. At the
// end one stream waits for an event of every other, without the host.
#include "pipeline.h"

#include <algorithm>
#include <memory>

struct Lane {
  cudaStream_t stream;
  cudaEvent_t done;
  Buffers buffers;
  int first = 0, n = 0; // the piece that it is working on
  explicit Lane(int piece) : buffers(piece) {
    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaEventCreate(&done));
  }
  ~Lane() {
    CUDA_CHECK(cudaEventDestroy(done));
    CUDA_CHECK(cudaStreamDestroy(stream));
  }
};

static void run(int total, int piece, int streams) {
  Arrays arrays(total);
  std::vector<std::unique_ptr<Lane>> lanes;
  for (int i = 0; i < streams; ++i)
    lanes.push_back(std::make_unique<Lane>(piece));
  EventTimer timer;

  for (int first = 0; first < total; first += piece * streams) {
    for (int i = 0; i < streams; ++i) {
      lanes[i]->first = first + i * piece;
      lanes[i]->n = std::max(0, std::min(piece, total - lanes[i]->first));
    }
    for (auto &lane : lanes)
      if (lane->n)
        CUDA_CHECK(cudaMemcpyAsync(lane->buffers.a, arrays.a + lane->first, lane->n * sizeof(int),
                                   cudaMemcpyHostToDevice, lane->stream));
    for (auto &lane : lanes)
      if (lane->n)
        CUDA_CHECK(cudaMemcpyAsync(lane->buffers.b, arrays.b + lane->first, lane->n * sizeof(int),
                                   cudaMemcpyHostToDevice, lane->stream));
    for (auto &lane : lanes)
      if (lane->n) {
        blend<<<(lane->n + 255) / 256, 256, 0, lane->stream>>>(lane->buffers.a, lane->buffers.b,
                                                               lane->buffers.c, lane->n);
        CUDA_CHECK(cudaGetLastError());
      }
    for (auto &lane : lanes)
      if (lane->n)
        CUDA_CHECK(cudaMemcpyAsync(arrays.c + lane->first, lane->buffers.c, lane->n * sizeof(int),
                                   cudaMemcpyDeviceToHost, lane->stream));
  }
  for (auto &lane : lanes) {
    CUDA_CHECK(cudaEventRecord(lane->done, lane->stream));
    CUDA_CHECK(cudaStreamWaitEvent(lanes[0]->stream, lane->done, 0));
  }
  CUDA_CHECK(cudaStreamSynchronize(lanes[0]->stream)); // and with it all others
  check(arrays.right(piece), "%d streams, %d elements in pieces of %d", streams, total, piece);
  std::printf("time: %.3f ms\n", timer.milliseconds());
}

int main() {
  run(1000, 100, 1);
  run(1000, 300, 2);
  run(100, 1000, 3);
  run(1000001, 65536, 2);
  run(1000001, 30011, 5);
  return exitCode();
}
