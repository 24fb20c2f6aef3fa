// RUN: %heddle cc -rdc=true %s -o %t
// RUN: %widths %t
// RUN: env HEDDLE_WORKERS=1 %t
// NVCC: -rdc=true
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of child grids: a block's null stream, threads' streams, named streams and events, tail launches, and
// launches without an order. Each child takes a ticket when it begins and, after it has lost some time, another when
// it ends: a child that comes after another has begun when that one had ended.
#include "../support.h"

struct Log {
  unsigned clock;
  unsigned begin[4096], end[4096];
};

__device__ void loseTime(int tag) {
  for (int i = 0; i < tag * 37 % 5; i++)
    __nanosleep(2000);
}

__global__ void child(Log *log, int tag) {
  if (threadIdx.x == 0)
    log->begin[tag] = atomicAdd(&log->clock, 1);
  loseTime(tag);
  __syncthreads();
  if (threadIdx.x == 0)
    log->end[tag] = atomicAdd(&log->clock, 1);
}

struct Run {
  Buffer<Log> buffer{std::vector<Log>(1)};
  Log log;
  template <class F> explicit Run(F &&launch) {
    CUDA_OK(cudaMemset(buffer, 0xff, sizeof(Log)));
    CUDA_OK(cudaMemset(buffer, 0, sizeof(unsigned)));
    launch(static_cast<Log *>(buffer));
    checkLaunch();
    log = buffer.get()[0];
  }
  bool ran(int tag) const { return log.begin[tag] != ~0u && log.end[tag] != ~0u; }
  void after(const char *what, int later, int earlier) const {
    expect(what, later, ran(later) && ran(earlier) && log.end[earlier] < log.begin[later], true);
  }
};

constexpr int Blocks = 6, PerBlock = 40;

/// All threads of a block launch into the block's one null stream, in turn.
__global__ void nullStreams(Log *log) {
  for (int i = 0; i < PerBlock; i++) {
    if (threadIdx.x == i % blockDim.x)
      child<<<1, 1 + i % 40>>>(log, blockIdx.x * PerBlock + i);
    __syncthreads();
  }
}

void testNullStreams() {
  Run run([](Log *log) { nullStreams<<<Blocks, 50>>>(log); });
  for (int block = 0; block < Blocks; block++)
    for (int i = 1; i < PerBlock; i++)
      run.after("null stream", block * PerBlock + i, block * PerBlock + i - 1);
}

/// Each thread has an order of its own, in its stream of threads and in one that it makes.
__global__ void ownStreams(Log *log, bool named, int each) {
  cudaStream_t stream = cudaStreamPerThread;
  if (named && cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess)
    return;
  for (int i = 0; i < each; i++)
    child<<<1, 3, 0, stream>>>(log, (blockIdx.x * blockDim.x + threadIdx.x) * each + i);
  if (named)
    cudaStreamDestroy(stream); // its work still runs
}

void testOwnStreams(bool named) {
  constexpr int Each = 6, Threads = 35;
  Run run([&](Log *log) { ownStreams<<<3, Threads>>>(log, named, Each); });
  for (int thread = 0; thread < 3 * Threads; thread++)
    for (int i = 1; i < Each; i++)
      run.after(named ? "named" : "per thread", thread * Each + i, thread * Each + i - 1);
}

/// Streams of a block, made by one thread and used by all; a diamond of events between them.
__global__ void diamonds(Log *log, int rounds) {
  __shared__ cudaStream_t streams[3];
  __shared__ cudaEvent_t events[3];
  if (threadIdx.x < 3) {
    cudaStreamCreateWithFlags(&streams[threadIdx.x], cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&events[threadIdx.x], cudaEventDisableTiming);
  }
  __syncthreads();
  if (threadIdx.x != 40)
    return;
  for (int i = 0; i < rounds; i++) {
    int tag = 4 * i;
    child<<<1, 2, 0, streams[0]>>>(log, tag);
    cudaEventRecord(events[0], streams[0]);
    cudaStreamWaitEvent(streams[1], events[0], 0);
    cudaStreamWaitEvent(streams[2], events[0], 0);
    child<<<1, 2, 0, streams[1]>>>(log, tag + 1);
    child<<<1, 2, 0, streams[2]>>>(log, tag + 2);
    cudaEventRecord(events[1], streams[1]);
    cudaEventRecord(events[2], streams[2]);
    cudaStreamWaitEvent(streams[0], events[1], 0);
    cudaStreamWaitEvent(streams[0], events[2], 0);
    child<<<1, 2, 0, streams[0]>>>(log, tag + 3);
  }
  for (int i = 0; i < 3; i++) {
    cudaEventDestroy(events[i]);
    cudaStreamDestroy(streams[i]);
  }
}

void testEvents() {
  constexpr int Rounds = 30;
  Run run([](Log *log) { diamonds<<<1, 41>>>(log, Rounds); });
  for (int i = 0; i < Rounds; i++) {
    int tag = 4 * i;
    for (int middle : {tag + 1, tag + 2}) {
      run.after("event", middle, tag);
      run.after("event", tag + 3, middle);
    }
    if (i)
      run.after("event", tag, tag - 1);
  }
}

/// A tail launch comes after the blocks of its grid and all their children, in whatever order they were launched; tail
/// launches come one after the other; what is behind the grid comes after them.
__global__ void middle(Log *log, int tag) {
  child<<<1, 4, 0, cudaStreamTailLaunch>>>(log, tag + 1);
  child<<<1, 4, 0, cudaStreamFireAndForget>>>(log, tag);
}
__global__ void tails(Log *log) {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    child<<<1, 4, 0, cudaStreamTailLaunch>>>(log, 100);
    middle<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 101); // 101, then 102
    child<<<1, 4, 0, cudaStreamTailLaunch>>>(log, 103);
  }
  loseTime(4);
  if (threadIdx.x % 8 == 3) {
    int number = blockIdx.x * 8 + threadIdx.x / 8;
    child<<<1, 4>>>(log, number);
    middle<<<1, 1, 0, cudaStreamFireAndForget>>>(log, 200 + 2 * number);
  }
}

void testTails() {
  Run run([](Log *log) {
    tails<<<4, 64>>>(log);
    child<<<1, 1>>>(log, 104);
  });
  for (int i = 0; i < 32; i++) {
    run.after("tail", 100, i);
    run.after("tail", 201 + 2 * i, 200 + 2 * i);
    run.after("tail", 100, 201 + 2 * i);
  }
  for (int tag = 101; tag <= 104; tag++)
    run.after("tail", tag, tag - 1);
}

/// A grid that is its own tail, many times.
__global__ void again(unsigned *count, unsigned left) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    ++*count;
    if (left > 1)
      again<<<3, 40, 0, cudaStreamTailLaunch>>>(count, left - 1);
  }
}

void testTailChain() {
  Buffer<unsigned> count(std::vector<unsigned>(1, 0));
  again<<<3, 40>>>(count, 2000);
  checkLaunch();
  expect("tail chain", 0, count.get()[0], 2000u);
}

/// Streams of the host wait for grids with all their children.
__global__ void spread(Log *log, int tag) { child<<<1, 8, 0, cudaStreamFireAndForget>>>(log, tag); }

void testHostStreams() {
  cudaStream_t streams[2];
  cudaEvent_t event;
  for (cudaStream_t &stream : streams)
    CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA_OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  Run run([&](Log *log) {
    for (int i = 0; i < 50; i++) {
      spread<<<1, 1, 0, streams[i % 2]>>>(log, i);
      CUDA_OK(cudaEventRecord(event, streams[i % 2]));
      CUDA_OK(cudaStreamWaitEvent(streams[1 - i % 2], event, 0));
    }
  });
  for (int i = 1; i < 50; i++)
    run.after("host stream", i, i - 1);
  CUDA_OK(cudaEventDestroy(event));
  for (cudaStream_t stream : streams)
    CUDA_OK(cudaStreamDestroy(stream));
}

int main() {
  testNullStreams();
  testOwnStreams(false);
  testOwnStreams(true);
  testEvents();
  testTails();
  testTailChain();
  testHostStreams();
  return finish();
}
