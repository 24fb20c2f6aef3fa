// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenMP on the host, in a CUDA file and in a C++ file that another compiler may have compiled: both must see
// the same threads.
#include <cstdio>
#include <dlfcn.h>
#include <omp.h>

struct Part {
  int threads, sum, numbers;
};
Part runPart();
int threadInPart();

__global__ void fill(int *out) { out[threadIdx.x] = threadIdx.x; }

int main() {
  int threads = 0, counted = 0, mask = 0, sameNumber = 0;
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
#pragma omp critical
    {
      ++counted;
      mask |= 1 << omp_get_thread_num();
      sameNumber += threadInPart() == omp_get_thread_num();
    }
  }
  int sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 3)
  for (int i = 0; i < 1000; ++i)
    sum += i;
  Part part = runPart();

  int *out, seen[32];
  cudaMalloc(&out, sizeof(seen));
  fill<<<1, 32>>>(out);
  cudaMemcpy(seen, out, sizeof(seen), cudaMemcpyDeviceToHost);
  printf("here %d %d %x %d, there %d %d %x, same %d, device %d\n", threads, counted, mask, sum, part.threads,
         part.sum, part.numbers, sameNumber, seen[31]);
  // Whose functions all of the process calls: libomp's and libgomp's names for the same thing differ.
  Dl_info info;
  dladdr(reinterpret_cast<void *>(&omp_get_num_threads), &info);
  printf("runtime %s\n", info.dli_fname);
  return 0;
}
