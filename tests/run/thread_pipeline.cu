// RUN: %widths %heddle run %s
// RUN: env HEDDLE_PRINT_AFTER=mark-polls CUDA_CACHE_DISABLE=1 %heddle run %s 2>&1 | FileCheck %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each thread has a pipeline of its own, by which it brings what it reads some turns later. It waits for no other.
#include "support.h"
#include <cuda/pipeline>

constexpr int Block = 64, Stages = 3;

// CHECK-LABEL: define internal void @_Z5ahead
// CHECK-NOT: call void @llvm.nvvm.nanosleep
// CHECK-NOT: call void @heddle.yield
// CHECK: ret void
__global__ void ahead(const int *in, int *out, int turns) {
  __shared__ int stage[Stages][Block];
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  unsigned sum = 0;
  for (int turn = 0, next = 0; turn < turns; turn++) {
    for (; next < turns && next < turn + Stages; next++) {
      pipe.producer_acquire();
      cuda::memcpy_async(&stage[next % Stages][threadIdx.x], &in[next * Block + threadIdx.x], sizeof(int), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum = sum * 5 + unsigned(stage[turn % Stages][threadIdx.x]);
    pipe.consumer_release();
  }
  out[threadIdx.x] = int(sum);
}

int main() {
  constexpr int Turns = 20;
  Random random(7);
  std::vector<int> in(Turns * Block), want(Block);
  for (int &x : in)
    x = random.below(1000);
  for (int i = 0; i < Turns * Block; i++)
    want[i % Block] = int(unsigned(want[i % Block]) * 5 + unsigned(in[i]));
  Buffer<int> source(in), out(Block);
  ahead<<<1, Block>>>(source, out, Turns);
  checkLaunch();
  expectAll("ahead", out.get(), want);
  return finish();
}
