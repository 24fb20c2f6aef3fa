// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The back end's settings (HEDDLE_BACK_END): the same results, code of their own in the cache, and
// an error for others.
// RUN: %heddle cc %s -o %t
// RUN: rm -rf %t.cache
// RUN: env HEDDLE_BACK_END=full CUDA_CACHE_PATH=%t.cache %t
// RUN: env HEDDLE_BACK_END=quick CUDA_CACHE_PATH=%t.cache %t
// RUN: find %t.cache -type f -size +1k | count 2
// RUN: env HEDDLE_BACK_END=slow not %t 2>&1 | FileCheck %s
// CHECK: HEDDLE_BACK_END is 'slow'; expected full or quick
#include "support.h"

__global__ void sums(int n, const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = i; k < n; k += 7)
    sum += in[k] * float(k % 3);
  if (i < n)
    out[i] = sum;
}

int main() {
  const int n = 301;
  Random random(1);
  std::vector<float> input(n), want(n);
  for (float &value : input)
    value = float(random.between(-1, 1));
  for (int i = 0; i < n; ++i)
    for (int k = i; k < n; k += 7)
      want[i] = std::fmaf(input[k], float(k % 3), want[i]);
  Buffer<float> in(input), out(n);
  sums<<<3, 128>>>(n, in, out);
  checkLaunch();
  expectAll("sums", out.get(), want);
  return finish();
}
