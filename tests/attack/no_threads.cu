// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A system that has no thread left, from the n-th on or for one: the program gets CUDA's errors, or
// all works with fewer; it neither ends nor hangs.
//
// UNSUPPORTED: sanitizer
// RUN: %heddle cc %s -o %t -ldl && env -u HEDDLE_SAME_CODE CUDA_CACHE_DISABLE=1 HEDDLE_WORKERS=3 %t
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static std::atomic<int> left{1 << 30};
static bool onlyOne;

// In front of the C library's.
extern "C" __attribute__((visibility("default"))) int
pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *),
               void *argument) noexcept {
  using Function = int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  static const auto create = Function(dlsym(RTLD_NEXT, "pthread_create"));
  const int now = left--;
  if (now == 0 || (now < 0 && !onlyOne))
    return EAGAIN;
  return create(thread, attributes, body, argument);
}

__global__ void add(int *x) { atomicAdd(x, 1); }
__global__ void spin(volatile int *x) {
  if (blockIdx.x == 0)
    *x = 1;
  while (*x == 0)
    ;
}

static int run() {
  int *x, value = 0;
  alarm(100);
  cudaError_t error = cudaMalloc(&x, 8);
  if (error == cudaErrorOperatingSystem)
    return 3; // no device
  cudaMemset(x, 0, 8);
  add<<<4, 32>>>(x);
  error = cudaGetLastError();
  cudaError_t behind = cudaDeviceSynchronize();
  if (error != behind && !(error && behind))
    return printf("launch: %s, then %s\n", cudaGetErrorName(error), cudaGetErrorName(behind)), 1;
  if (error)
    return 4; // no compiler
  if (cudaMemcpy(&value, x, 4, cudaMemcpyDeviceToHost) || value != 128)
    return 1;
  cudaLaunchHostFunc(nullptr, [](void *) {}, nullptr);
  spin<<<8, 32>>>(x + 1);
  error = cudaGetLastError();
  return cudaDeviceSynchronize() && !error ? 1 : 0;
}

int main() {
  int ends[5] = {};
  for (int way = 0; way < 2; way++)
    for (int count = 0; count < 14; count++) {
      fflush(stdout);
      const pid_t child = fork();
      if (child == 0) {
        onlyOne = way;
        left = count;
        _exit(run());
      }
      int status;
      waitpid(child, &status, 0);
      if (!WIFEXITED(status) || WEXITSTATUS(status) == 1 || WEXITSTATUS(status) > 4)
        return printf("FAIL way %d, %d threads: status %x\n", way, count, status), 1;
      ends[WEXITSTATUS(status)]++;
    }
  printf("%d worked, %d without a device, %d without a compiler\n", ends[0], ends[3], ends[4]);
  return !ends[0] || !ends[3] || !ends[4];
}
