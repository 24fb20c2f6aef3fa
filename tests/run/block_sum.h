// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support.h"

/// A sum over the block that lacks its last barrier, as in many programs: when the next one begins,
/// the first warp writes to where the others read this one. On a GPU it has always come later.
template <class T> __device__ T sumOfBlock(T x) {
  __shared__ T sums[32];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  for (int offset = 16; offset > 0; offset /= 2)
    x += __shfl_xor_sync(~0u, x, offset);
  if (lane == 0)
    sums[warp] = x;
  __syncthreads();
  if (warp == 0) {
    x = lane < warps ? sums[lane] : 0;
    for (int offset = 16; offset > 0; offset /= 2)
      x += __shfl_xor_sync(~0u, x, offset);
    if (lane == 0)
      sums[0] = x;
  }
  __syncthreads();
  return sums[0];
}
