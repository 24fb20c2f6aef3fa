// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cancellation and copyprivate, whose code calls libomp.
#include <cstdio>
#include <omp.h>

struct Part {
  int threads, sum, numbers;
};
Part runPart();

int main() {
  int found = -1, told = 0;
#pragma omp parallel num_threads(4)
  {
#pragma omp for
    for (int i = 0; i < 1000; ++i) {
      if (i == 77) {
#pragma omp atomic write
        found = i;
#pragma omp cancel for
      }
    }
    int value;
#pragma omp single copyprivate(value)
    value = 5;
#pragma omp atomic
    told += value == 5;
  }
  std::printf("found %d, told %d times, part %d\n", found, told, runPart().sum);
  return 0;
}
