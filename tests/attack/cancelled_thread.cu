// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that is cancelled ends between two calls of CUDA, not in one: a call that compiles,
// waits or writes a message leaves no lock taken.
//
// RUN: %heddle cc %s -o %t && env CUDA_CACHE_DISABLE=1 %t 12
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <unistd.h>

template <int N> __global__ void kernel(float *p) {
  for (int i = 0; i < N + 3; i++)
    p[threadIdx.x] += sinf(p[threadIdx.x] + N);
}

static float *memory;

template <int N> static void launchAll() {
  if constexpr (N > 0) {
    kernel<N><<<1, 64>>>(memory);
    cudaStreamSynchronize(nullptr);
    launchAll<N - 1>();
  }
}

static void *run(void *type) {
  int before;
  pthread_setcanceltype(type ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED, &before);
  for (;;) {
    launchAll<8>();
    pthread_testcancel();
  }
}

int main(int, char **arguments) {
  const int turns = atoi(arguments[1]);
  alarm(120);
  cudaMalloc(&memory, 4096);
  for (int turn = 0; turn < turns; turn++) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, nullptr, run, turn % 2 ? &memory : nullptr);
    usleep(turn * 20000);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    if (result != PTHREAD_CANCELED)
      return printf("not cancelled\n"), 1;
    kernel<1><<<1, 64>>>(memory);
    if (cudaDeviceSynchronize() != cudaSuccess)
      return printf("turn %d: %s\n", turn, cudaGetErrorName(cudaGetLastError())), 1;
  }
  printf("ok\n");
}
