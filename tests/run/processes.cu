// RUN: %heddle cc %s -o %t.exe
// RUN: %widths %t.exe
// RUN: env HEDDLE_WIDTH=32 HEDDLE_HANG_SECONDS=1 %t.exe slow
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of several processes on one allocation: each adds to all values with atomic operations; they take turns by an
// event of all of them; and a kernel waits for a value that another process's kernel writes, which is no hang.
#include "support.h"

#include <string>
#include <sys/wait.h>
#include <unistd.h>

static const int n = 50'001, children = 3;

// What the processes tell each other, through a pipe.
struct Shared {
  cudaIpcMemHandle_t values, flags;
  cudaIpcEventHandle_t event;
};

__global__ void addToAll(int *values, int n, int amount) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(values + i, amount);
}
__global__ void multiply(int *values, int n, int factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    values[i] *= factor;
}
// Block b waits for flag b and answers in the one behind all of them.
__global__ void waitForFlags(volatile int *flags) {
  if (threadIdx.x == 0) {
    while (flags[blockIdx.x] == 0)
      ;
    flags[gridDim.x + blockIdx.x] = flags[blockIdx.x] * 2;
  }
}
__global__ void setFlags(int *flags) { flags[threadIdx.x] = int(threadIdx.x) + 10; }

static void readAll(int file, void *to, size_t bytes) {
  for (char *at = static_cast<char *>(to); bytes;) {
    ssize_t got = read(file, at, bytes);
    if (got <= 0)
      std::exit(3);
    at += got;
    bytes -= size_t(got);
  }
}

static int runChild(int number, int file) {
  Shared shared;
  readAll(file, &shared, sizeof shared);
  int *values, *flags;
  cudaEvent_t event;
  CUDA_OK(cudaIpcOpenMemHandle(reinterpret_cast<void **>(&values), shared.values,
                               cudaIpcMemLazyEnablePeerAccess));
  CUDA_OK(cudaIpcOpenMemHandle(reinterpret_cast<void **>(&flags), shared.flags,
                               cudaIpcMemLazyEnablePeerAccess));
  CUDA_OK(cudaIpcOpenEventHandle(&event, shared.event));
  for (int round = 0; round < 10; round++)
    addToAll<<<7, 64>>>(values, n, number + 1);
  if (number == 0) { // the parent's kernel has been told of as running
    char byte;
    readAll(file, &byte, 1);
    if (byte == 's') // longer than a kernel of one process may wait for nothing
      sleep(3);
    setFlags<<<1, 4>>>(flags);
  }
  CUDA_OK(cudaEventRecord(event));
  CUDA_OK(cudaDeviceSynchronize());
  CUDA_OK(cudaIpcCloseMemHandle(values));
  CUDA_OK(cudaIpcCloseMemHandle(flags));
  return finish();
}

static pid_t startChild(int number, int *toChild) {
  int ends[2];
  if (pipe(ends) != 0)
    std::exit(3);
  pid_t process = fork();
  if (process == 0) {
    close(ends[1]);
    execl("/proc/self/exe", "child", std::to_string(number).c_str(),
          std::to_string(ends[0]).c_str(), static_cast<char *>(nullptr));
    _exit(127);
  }
  close(ends[0]);
  *toChild = ends[1];
  return process;
}

static void writeAll(int file, const void *from, size_t bytes) {
  if (write(file, from, bytes) != ssize_t(bytes))
    std::exit(3);
}

int main(int argc, char **argv) {
  if (argc == 3)
    return runChild(std::atoi(argv[1]), std::atoi(argv[2]));
  const bool isSlow = argc == 2;
  Buffer<int> values(std::vector<int>(n, 5)), flags(std::vector<int>(8, 0));
  cudaEvent_t event;
  cudaStream_t waiting, behind;
  CUDA_OK(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
  CUDA_OK(cudaStreamCreateWithFlags(&waiting, cudaStreamNonBlocking));
  CUDA_OK(cudaStreamCreateWithFlags(&behind, cudaStreamNonBlocking));
  Shared shared;
  // The memory goes into a file while kernels use it.
  for (int round = 0; round < 10; round++)
    addToAll<<<7, 64, 0, behind>>>(values, n, 100);
  CUDA_OK(cudaIpcGetMemHandle(&shared.values, values));
  CUDA_OK(cudaIpcGetMemHandle(&shared.flags, flags));
  CUDA_OK(cudaIpcGetEventHandle(&shared.event, event));
  pid_t processes[children];
  int lines[children];
  for (int i = 0; i < children; i++) {
    processes[i] = startChild(i, &lines[i]);
    writeAll(lines[i], &shared, sizeof shared);
  }
  waitForFlags<<<4, 32, 0, waiting>>>(flags);
  writeAll(lines[0], isSlow ? "s" : "g", 1);
  CUDA_OK(cudaStreamSynchronize(waiting));
  std::vector<int> seen = flags.get();
  for (int i = 0; i < 4; i++)
    expect("flag", i, seen[size_t(i) + 4], (i + 10) * 2);
  for (pid_t process : processes) {
    int status = -1;
    waitpid(process, &status, 0);
    expect("child", process, status, 0);
  }
  CUDA_OK(cudaStreamWaitEvent(behind, event));
  multiply<<<(n + 127) / 128, 128, 0, behind>>>(values, n, 3);
  CUDA_OK(cudaStreamSynchronize(behind));
  std::vector<int> got = values.get();
  for (int i = 0; i < n; i++)
    expect("value", i, got[size_t(i)], (5 + 1000 + 10 * (1 + 2 + 3)) * 3);
  return finish();
}
