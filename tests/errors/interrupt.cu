// RUN: %nvcc %s -o %t
// RUN: %python %S/Inputs/interrupt.py %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HARDWARE: undefined
//
// Ctrl-C ends a program whose kernels wait or compute for ever, also while the host waits for them; a handler of the
// program's is called.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <unistd.h>

__device__ volatile int flag;

__global__ void poll() {
  while (!flag)
    ;
}

__global__ void compute(int *out) {
  int x = 1;
  for (unsigned i = 0; *(volatile int *)out != 77; ++i)
    x = x * 3 + i;
  *out = x;
}

int main(int, char **argv) {
  if (strstr(argv[1], "handler"))
    signal(SIGINT, [](int) {
      constexpr char Text[] = "handled\n";
      _exit(write(1, Text, sizeof(Text) - 1) < 0 ? 1 : 42);
    });
  int *out;
  cudaMalloc(&out, sizeof(int));
  cudaMemset(out, 0, sizeof(int));
  if (strstr(argv[1], "poll"))
    poll<<<50, 64>>>();
  else
    compute<<<50, 64>>>(out);
  printf("launched\n");
  fflush(stdout);
  return cudaDeviceSynchronize();
}
