// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <omp.h>

struct Part {
  int threads, sum, numbers;
};

int threadInPart() { return omp_get_thread_num(); }

Part runPart() {
  Part part = {0, 0, 0};
#pragma omp parallel
  {
#pragma omp single
    part.threads = omp_get_num_threads();
#pragma omp critical(numbers)
    part.numbers |= 1 << omp_get_thread_num();
#pragma omp barrier
  }
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 1000; ++i)
    sum += i;
  part.sum = sum;
  return part;
}
