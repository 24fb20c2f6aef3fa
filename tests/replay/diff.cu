// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle diff: the first kernel whose results differ on two devices. A race of blocks that depends on how many lanes run
// abreast differs; sums within the tolerance do not; a host that gives other memory is named as such; pointers differ
// always, and are the same if they lead to the same place.
//
// RUN: %heddle cc %s -o %t
// RUN: %t
// RUN: %heddle diff --devices cpu,cpu-width1 %t 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: env HEDDLE_GPU_DRIVER=%build/lib/heddle/libgpu_stand_in.so %heddle diff %t 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: not %heddle diff --devices cpu,cpu-width1 -o %t.race %t race 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: %heddle replay --plain %t.race | FileCheck %s --check-prefix=AGAIN
// RUN: not %heddle diff --devices cpu,cpu --second VALUE=7 -o %t.host %t host 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: not %heddle diff --devices cpu,cpu --second VALUE=3 -o %t.apart %t apart 2>&1 | FileCheck %s --check-prefix=APART
// RUN: %heddle diff --devices cpu,cpu --second VALUE=1 %t near 2>&1 | FileCheck %s --check-prefix=LIKE
// RUN: not %heddle diff --devices cpu,cpu --second VALUE=1 --relative 1e-8 -o %t.near %t near 2>&1 | FileCheck %s --check-prefix=NEAR
// RUN: not %heddle diff --devices cpu,cpu --second VALUE=1 -o %t.params %t params 2>&1 | FileCheck %s --check-prefix=PARAMS
// RUN: %heddle diff --devices cpu,cpu %t managed | FileCheck %s --check-prefix=MANAGED
// RUN: not %heddle diff --devices cpu %t 2>&1 | FileCheck %s --check-prefix=USAGE

// SAME: heddle diff: 3 launches have the same results on
// RACE: heddle diff: launch 4, race(int*), grid 1 x 1 x 1, block 32 x 1 x 1: results differ
// RACE: parameter 1 (256 bytes), int [
// RACE-SAME: on cpu, {{.*}} on cpu-width1; {{[0-9]+}} of 64 values differ
// RACE: the kernel stores at diff.cu:[[# @LINE + 30]]
// RACE: heddle replay {{.*}}.race
// AGAIN: heddle replay: race(int*): grid 1 x 1 x 1
// HOST: launch 4, keep(int*, int), {{.*}}: memory differs before it runs: the host, a copy or a library made it so
// HOST: parameter 1 (256 bytes), int [5]: 0 on cpu (first), 7 on cpu (second); 1 of 64 values differ
// APART: launch 4, keep(int*, int), {{.*}}: the programs go apart
// APART: other shapes
// LIKE: heddle diff: 4 launches have the same results on cpu (first) and cpu (second)
// NEAR: float [3]: 1000 (0x1.f4p+9) on cpu (first), 1000.00006 (0x1.f40002p+9) on cpu (second); 1 of 32 values differ
// PARAMS: launch 4, keep(int*, int), {{.*}}: the programs go apart
// PARAMS: parameter 2 of the launches is not the same
// USAGE: heddle diff needs two devices
// MANAGED: the host's 106, 904
#include "../run/support.h"
#include <cmath>
#include <cstdlib>
#include <cstring>

__global__ void links(int **to, int *p) { to[threadIdx.x] = p + threadIdx.x; }

__global__ void sums(float *to) {
  float sum = threadIdx.x;
  for (int i = 1; i < 40; ++i)
    sum += __shfl_xor_sync(~0u, sum, i & 31) / i;
  to[threadIdx.x] = __expf(sum * 1e-3f);
}

__global__ void race(int *p) {
  int one;
  asm("{\n .reg .s32 r;\n mov.s32 r, 1;\n mov.s32 %0, r;\n}" : "=r"(one));
  p[threadIdx.x + 1] = p[threadIdx.x] + one;
}

__global__ void count(int *p) { p[threadIdx.x] += threadIdx.x + 1; }

__global__ void keep(int *p, int i) { p[i] += 0; }

int main(int argc, char **argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const char *value = std::getenv("VALUE");
  const int given = value ? std::atoi(value) : 0;
  int *p, **to;
  float *f;
  CUDA_OK(cudaMalloc(&p, 64 * sizeof *p));
  CUDA_OK(cudaMalloc(&to, 32 * sizeof *to));
  CUDA_OK(cudaMalloc(&f, 32 * sizeof *f));
  CUDA_OK(cudaMemset(p, 0, 64 * sizeof *p));
  links<<<1, 32>>>(to, p);
  sums<<<1, 32>>>(f);
  keep<<<1, 1>>>(p, 0);
  if (what == "race")
    race<<<1, 32>>>(p);
  if (what == "host") {
    CUDA_OK(cudaMemcpy(p + 5, &given, sizeof given, cudaMemcpyHostToDevice));
    keep<<<1, 1>>>(p, 0);
  }
  if (what == "near") {
    const float near = given ? std::nextafter(1000.f, 2000.f) : 1000;
    CUDA_OK(cudaMemcpy(f + 3, &near, sizeof near, cudaMemcpyHostToDevice));
    keep<<<1, 1>>>(reinterpret_cast<int *>(f), 0);
  }
  if (what == "managed") { // what the host has written stays
    int *m;
    CUDA_OK(cudaMallocManaged(&m, 4096 * sizeof *m));
    m[5] = 100, m[900] = 3;
    count<<<1, 1024>>>(m);
    CUDA_OK(cudaDeviceSynchronize());
    std::printf("the host's %d, %d\n", m[5], m[900]);
  }
  if (what == "params")
    keep<<<1, 1>>>(p, given);
  if (what == "apart")
    keep<<<1, 1 + given>>>(p, 0);
  CUDA_OK(cudaDeviceSynchronize());
}
