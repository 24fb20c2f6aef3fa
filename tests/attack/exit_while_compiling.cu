// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that ends while its threads compile kernels ends with its own exit status: by a return
// of main, by exit in another thread, in a signal handler, with a static object that waits for the
// threads; while other forms are tried, too. What the thread that ends it registers last may compile.
//
// RUN: %heddle cc %s -o %t
// RUN: env CUDA_CACHE_DISABLE=1 %t 40
// RUN: env CUDA_CACHE_DISABLE=1 HEDDLE_TUNE=full %t 20
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

template <int N> __global__ void kernel(float *p, int n) {
  __shared__ float tile[256];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    tile[threadIdx.x] = p[i] * N;
    __syncthreads();
    for (int j = 0; j < N + 2; j++)
      sum += sinf(tile[(threadIdx.x + j) % 256]) / (1 + j);
    __syncthreads();
  }
  p[threadIdx.x + blockIdx.x * blockDim.x] = sum;
}

static float *memory;

template <int N> static void launchAll() {
  if constexpr (N > 0) {
    for (int i = 0; i < 3; i++)
      kernel<N><<<4, 256>>>(memory, 1024);
    cudaDeviceSynchronize();
    launchAll<N - 1>();
  }
}

static void *launch(void *) {
  launchAll<6>();
  return nullptr;
}

struct Waiting {
  pthread_t thread;
  bool isStarted = false;
  ~Waiting() {
    if (isStarted)
      pthread_join(thread, nullptr);
  }
} waiting;

static void *end(void *delay) {
  usleep(useconds_t(size_t(delay)));
  exit(7);
}

static void endBySignal(int) { exit(7); }

static int run(int way, unsigned delay) {
  cudaMalloc(&memory, 1 << 20);
  pthread_t thread, other;
  switch (way) {
  case 0: // main returns
    pthread_create(&thread, nullptr, launch, nullptr);
    usleep(delay);
    return 7;
  case 1: // another thread ends the program, while this one compiles
    pthread_create(&other, nullptr, end, (void *)size_t(delay));
    launch(nullptr);
    pause();
    return 1;
  case 2: // a handler on the thread that compiles
    signal(SIGALRM, endBySignal);
    ualarm(delay + 1, 0);
    launch(nullptr);
    pause();
    return 1;
  case 4: // a kernel that nobody has compiled before, in a handler
    kernel<100><<<1, 1>>>(memory, 0);
    atexit([] {
      kernel<101><<<1, 1>>>(memory, 0);
      if (cudaGetLastError() == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess)
        _exit(7);
    });
    return 1;
  default: // what waits for the thread comes last
    pthread_create(&waiting.thread, nullptr, launch, nullptr);
    waiting.isStarted = true;
    usleep(delay);
    return 7;
  }
}

int main(int count, char **arguments) {
  if (count > 2)
    return run(atoi(arguments[1]), unsigned(atoi(arguments[2])));
  const int turns = atoi(arguments[1]);
  for (int turn = 0; turn < turns; turn++) {
    char way[16], delay[16];
    snprintf(way, sizeof way, "%d", turn % 5);
    snprintf(delay, sizeof delay, "%d", turn * 400000 / turns);
    const pid_t child = fork();
    if (child == 0) {
      alarm(120);
      execl(arguments[0], arguments[0], way, delay, nullptr);
      _exit(127);
    }
    int status;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 7) {
      printf("FAIL way %s after %s us: status %x\n", way, delay, status);
      return 1;
    }
  }
  printf("ok\n");
}
