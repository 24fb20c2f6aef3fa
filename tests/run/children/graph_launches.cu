// RUN: %heddle cc -rdc=true -arch=sm_90 %s -o %t
// RUN: %widths %t
// RUN: env HEDDLE_WORKERS=1 %t
// NVCC: -rdc=true -arch=sm_90
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs that kernels of graphs launch: beside the running graph, behind it, beside its parent; a graph that is its own
// tail launch; the order of tail launches; how many there may be; what is refused. An H200 does the same but for the
// last: there a graph that was not uploaded, or none, is an illegal address.
#include "../support.h"

#include <algorithm>

/// What happened, in order.
struct Log {
  int count;
  int entries[1000];
};
__device__ void note(Log *log, int what) { log->entries[atomicAdd(&log->count, 1)] = what; }
__global__ void write(Log *log, int what) { note(log, what); }

struct Launch {
  cudaGraphExec_t graph;
  int stream; ///< 0: beside, 1: tail, 2: sibling, else none
  int error;  ///< out
};

__device__ cudaError_t launch(cudaGraphExec_t graph, int stream) {
  return cudaGraphLaunch(graph, stream == 0   ? cudaStreamGraphFireAndForget
                                : stream == 1 ? cudaStreamGraphTailLaunch
                                : stream == 2 ? cudaStreamGraphFireAndForgetAsSibling
                                : stream == 3 ? (cudaStream_t)0
                                              : cudaStreamFireAndForget);
}
/// One thread launches them in order.
__global__ void launchAll(Launch *launches, int count) {
  if (threadIdx.x == 0)
    for (int i = 0; i < count; ++i)
      launches[i].error = launch(launches[i].graph, launches[i].stream);
}
/// Waits for `value` in the log's length.
__global__ void waitForLog(Log *log, int value) {
  while (atomicAdd(&log->count, 0) < value)
    ;
}

__global__ void relaunch(Log *log, int *turns, cudaGraphExec_t *current, int *second) {
  *current = cudaGetCurrentGraphExec();
  note(log, *turns);
  if (++*turns < 6) {
    cudaError_t error = cudaGraphLaunch(*current, cudaStreamGraphTailLaunch);
    if (error != cudaSuccess)
      note(log, -int(error));
    *second = cudaGraphLaunch(*current, cudaStreamGraphTailLaunch); // only one at a time
  }
}

struct Builder {
  cudaStream_t stream;
  Builder() { CUDA_OK(cudaStreamCreate(&stream)); }
  template <class Body> cudaGraphExec_t make(Body body, unsigned long long flags = cudaGraphInstantiateFlagDeviceLaunch, bool upload = true) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    body();
    CUDA_OK(cudaStreamEndCapture(stream, &graph));
    CUDA_OK(cudaGraphInstantiate(&exec, graph, flags));
    CUDA_OK(cudaGraphDestroy(graph));
    if (upload && flags)
      CUDA_OK(cudaGraphUpload(exec, stream));
    return exec;
  }
  /// Runs a graph of the host's and waits.
  void run(cudaGraphExec_t exec) {
    CUDA_OK(cudaGraphLaunch(exec, stream));
    CUDA_OK(cudaStreamSynchronize(stream));
  }
};

std::vector<int> entriesOf(Log *log) {
  Log copy;
  CUDA_OK(cudaMemcpy(&copy, log, sizeof copy, cudaMemcpyDeviceToHost));
  CUDA_OK(cudaMemset(log, 0, sizeof copy));
  return std::vector<int>(copy.entries, copy.entries + copy.count);
}

int main() {
  Builder b;
  Buffer<Log> log(1);
  Buffer<Launch> launches(300);
  auto writer = [&](int what) { return b.make([&] { write<<<1, 1, 0, b.stream>>>(log, what); }); };
  auto launcher = [&](int first, int count, int before, int after) {
    return [=, &b, &log, &launches] {
      if (before)
        write<<<1, 1, 0, b.stream>>>(log, before);
      launchAll<<<1, 32, 0, b.stream>>>(launches.data + first, count);
      if (after)
        write<<<1, 1, 0, b.stream>>>(log, after);
    };
  };
  auto errors = [&](int first, int count) {
    std::vector<int> result;
    for (const Launch &l : launches.get())
      result.push_back(l.error);
    return std::vector<int>(result.begin() + first, result.begin() + first + count);
  };

  // Beside: over before the host's next work in the stream, in whatever order.
  cudaGraphExec_t one = writer(1), two = writer(2), three = writer(3), four = writer(4);
  std::vector<Launch> list(300);
  list[0] = {one, 0, -1};
  list[1] = {two, 0, -1};
  list[2] = {one, 1, -1}; // it is under way, so not in the list again
  launches.put(list);
  cudaGraphExec_t parent = b.make(launcher(0, 2, 10, 11), 0);
  for (int run = 0; run < 3; ++run) {
    CUDA_OK(cudaGraphLaunch(parent, b.stream));
    write<<<1, 1, 0, b.stream>>>(log, 99);
    CUDA_OK(cudaStreamSynchronize(b.stream));
    std::vector<int> entries = entriesOf(log);
    expect("beside, first", run, entries.front(), 10);
    expect("beside, last", run, entries.back(), 99);
    std::sort(entries.begin(), entries.end());
    expectAll("beside", entries, {1, 2, 10, 11, 99});
    expectAll("beside, errors", errors(0, 2), {0, 0});
  }

  // Tail launches: in order, behind all of the graph and what runs beside it; those of a tail launch come first.
  list[10] = {three, 1, -1};
  launches.put(list);
  cudaGraphExec_t tail = b.make(launcher(10, 1, 20, 21));
  list[20] = {tail, 1, -1};
  list[21] = {four, 1, -1};
  list[22] = {one, 0, -1};
  list[23] = {tail, 1, -1}; // waits already
  launches.put(list);
  b.run(b.make(launcher(20, 4, 10, 11), 0));
  std::vector<int> entries = entriesOf(log);
  expectTrue("beside is over first", entries.size() == 7 && (entries[1] == 1 || entries[2] == 1));
  entries.erase(std::remove(entries.begin(), entries.end(), 1), entries.end());
  expectAll("tails", entries, {10, 11, 20, 21, 3, 4});
  expectAll("tails, errors", errors(20, 4), {0, 0, 0, cudaErrorInvalidValue});

  // A graph that is its own tail launch.
  Buffer<int> turns(1), second(1);
  Buffer<cudaGraphExec_t> current(1);
  cudaGraphExec_t again = b.make([&] { relaunch<<<1, 1, 0, b.stream>>>(log, turns, current, second); });
  b.run(again);
  expectAll("again", entriesOf(log), {0, 1, 2, 3, 4, 5});
  expectTrue("current", current.get()[0] == again);
  expect("twice", 0, second.get()[0], int(cudaErrorInvalidValue));

  // A sibling does not hold back its launcher's tail launches: the tail writes what the sibling waits for.
  cudaGraphExec_t waiter = b.make([&] {
    waitForLog<<<1, 1, 0, b.stream>>>(log, 3);
    write<<<1, 1, 0, b.stream>>>(log, 5);
  });
  list[30] = {waiter, 2, -1};
  list[31] = {three, 1, -1};
  launches.put(list);
  cudaGraphExec_t child = b.make(launcher(30, 2, 20, 21));
  list[40] = {child, 0, -1};
  launches.put(list);
  for (int inner = 0; inner < 2; ++inner) {
    b.run(inner ? b.make([&] { launchAll<<<1, 1, 0, b.stream>>>(launches.data + 40, 1); }, 0) : child);
    expectAll("sibling", entriesOf(log), {20, 21, 3, 5});
  }

  // At most 120 beside one run of a graph; the next run has as many again.
  std::vector<cudaGraphExec_t> many;
  for (int i = 0; i < 121; ++i) {
    many.push_back(writer(7));
    list[100 + i] = {many.back(), 0, -1};
  }
  launches.put(list);
  cudaGraphExec_t crowd = b.make(launcher(100, 121, 0, 0), 0);
  for (int run = 0; run < 2; ++run) {
    b.run(crowd);
    expectAll("120", entriesOf(log), std::vector<int>(120, 7));
    std::vector<int> want(120, 0);
    want.push_back(cudaErrorInvalidValue);
    expectAll("120, errors", errors(100, 121), want);
  }

  // What is refused: no upload, not made for it, other streams, no graph, a kernel that is in none.
  list[50] = {b.make([&] { write<<<1, 1, 0, b.stream>>>(log, 8); }, cudaGraphInstantiateFlagDeviceLaunch, false), 0, -1};
  list[51] = {b.make([&] { write<<<1, 1, 0, b.stream>>>(log, 8); }, 0), 0, -1};
  list[52] = {one, 3, -1};
  list[53] = {one, 4, -1};
  list[54] = {nullptr, 0, -1};
  launches.put(list);
  b.run(b.make(launcher(50, 5, 0, 0), 0));
  expectAll("refused", errors(50, 5), std::vector<int>(5, cudaErrorInvalidValue));
  launchAll<<<1, 1, 0, b.stream>>>(launches.data + 0, 1);
  CUDA_OK(cudaStreamSynchronize(b.stream));
  expect("no graph", 0, errors(0, 1)[0], int(cudaErrorInvalidValue));
  expectAll("nothing", entriesOf(log), {});

  // Uploaded by the instantiation, or by a launch of the host's.
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CUDA_OK(cudaStreamBeginCapture(b.stream, cudaStreamCaptureModeGlobal));
  write<<<1, 1, 0, b.stream>>>(log, 8);
  CUDA_OK(cudaStreamEndCapture(b.stream, &graph));
  cudaGraphInstantiateParams params = {};
  params.flags = cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUpload;
  params.uploadStream = b.stream;
  CUDA_OK(cudaGraphInstantiateWithParams(&exec, graph, &params));
  CUDA_OK(cudaGraphLaunch(list[50].graph, b.stream));
  list[60] = {exec, 0, -1};
  list[61] = {list[50].graph, 0, -1};
  launches.put(list);
  b.run(b.make(launcher(60, 2, 0, 0), 0));
  expectAll("uploaded", entriesOf(log), {8, 8, 8});
  return finish();
}
