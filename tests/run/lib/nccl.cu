// RUN: %heddle cc %s -o %t -lnccl
// RUN: %widths env HEDDLE_DEVICE=cpu,cpu,cpu %t
// RUN: %heddle cc %s -o %t.static -lnccl_static && env HEDDLE_DEVICE=cpu,cpu,cpu %t.static
// RUN: ldd %t.static | not grep libnccl
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three devices (two, where there are no more), each with a slab of a sum that kernels make, a ring that passes
// borders on, and the total everywhere;
// driven by one thread in groups.
#include <nccl.h>

#include <cstdio>

#define CHECK(call)                                                                                \
  if (int code = int(call)) {                                                                      \
    std::printf("line %d: %s gives %d\n", __LINE__, #call, code);                                  \
    return 1;                                                                                      \
  }

constexpr int Most = 3, N = 1001;

__global__ void fill(long long *slab, int rank) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N)
    slab[i] = (long long)rank * N + i;
}

// The first element takes the border, all take twice their own.
__global__ void step(long long *slab, const long long *border) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N)
    slab[i] = 2 * slab[i] + (i == 0 ? *border : 0);
}

int main() {
  ncclComm_t comms[Most];
  cudaStream_t streams[Most];
  long long *slabs[Most], *borders[Most], *totals[Most];
  int ranks = 0;
  CHECK(cudaGetDeviceCount(&ranks));
  ranks = ranks < Most ? ranks : Most;
  CHECK(ncclCommInitAll(comms, ranks, nullptr));
  for (int r = 0; r < ranks; ++r) {
    CHECK(cudaSetDevice(r));
    CHECK(cudaStreamCreate(&streams[r]));
    CHECK(cudaMalloc(&slabs[r], N * sizeof(long long)));
    CHECK(cudaMalloc(&borders[r], sizeof(long long)));
    CHECK(cudaMalloc(&totals[r], N * sizeof(long long)));
    fill<<<9, 128, 0, streams[r]>>>(slabs[r], r);
  }
  CHECK(ncclGroupStart());
  for (int r = 0; r < ranks; ++r) {
    CHECK(ncclSend(slabs[r] + N - 1, 1, ncclInt64, (r + 1) % ranks, comms[r], streams[r]));
    CHECK(ncclRecv(borders[r], 1, ncclInt64, (r + ranks - 1) % ranks, comms[r], streams[r]));
  }
  CHECK(ncclGroupEnd());
  for (int r = 0; r < ranks; ++r) {
    CHECK(cudaSetDevice(r));
    step<<<9, 128, 0, streams[r]>>>(slabs[r], borders[r]);
  }
  CHECK(ncclGroupStart());
  for (int r = 0; r < ranks; ++r)
    CHECK(ncclAllReduce(slabs[r], totals[r], N, ncclInt64, ncclSum, comms[r], streams[r]));
  CHECK(ncclGroupEnd());
  for (int r = 0; r < ranks; ++r) {
    long long total[N];
    CHECK(cudaSetDevice(r));
    CHECK(cudaStreamSynchronize(streams[r]));
    CHECK(cudaMemcpy(total, totals[r], sizeof total, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; ++i) {
      long long expected = 0;
      for (int q = 0; q < ranks; ++q)
        expected += 2 * ((long long)q * N + i) + (i == 0 ? (q + 1) * N - 1 : 0);
      if (total[i] != expected) {
        std::printf("rank %d, number %d: %lld, not %lld\n", r, i, total[i], expected);
        return 1;
      }
    }
    CHECK(ncclCommDestroy(comms[r]));
  }
  std::printf("%d ranks: ok\n", ranks);
}
