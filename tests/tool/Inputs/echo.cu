// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "extra.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void set(int *p, int value) { *p = value + EXTRA; }

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "abort"))
    abort();
  for (int i = 0; i < argc; ++i)
    printf("%s%c", argv[i], i + 1 < argc ? ' ' : '\n');
  for (int c; (c = getchar()) != EOF;)
    putchar(c);
  int *device, result = 0;
  cudaMalloc(&device, sizeof(int));
  set<<<1, 1>>>(device, atoi(argv[2]));
  cudaMemcpy(&result, device, sizeof(int), cudaMemcpyDeviceToHost);
  return result;
}
