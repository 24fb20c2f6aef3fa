// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of the two stream examples: a long array goes through a device buffer piece by piece,
// and a kernel blends two inputs with their neighbours.
#pragma once

#include "common.h"

/// Each result depends on three elements of both inputs, inside its own piece (indices wrap
/// around).
__host__ __device__ inline int blendAt(const int *a, const int *b, int i, int n) {
  int next = i + 1 < n ? i + 1 : 0, afterNext = next + 1 < n ? next + 1 : 0;
  int meanA = (a[i] + a[next] + a[afterNext]) / 3;
  int meanB = (b[i] + b[next] + b[afterNext]) / 3;
  return (meanA + meanB) / 2;
}

__global__ void blend(const int *a, const int *b, int *c, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n)
    c[i] = blendAt(a, b, i, n);
}

/// Page-locked host memory: only copies from and to it can run beside the host and beside kernels.
inline int *lockedArray(int n) {
  int *array = nullptr;
  CUDA_CHECK(cudaHostAlloc((void **)&array, n * sizeof(int), cudaHostAllocDefault));
  return array;
}

/// Inputs and output of length `total` in page-locked memory.
struct Arrays {
  int total;
  int *a, *b, *c;
  explicit Arrays(int total)
      : total(total), a(lockedArray(total)), b(lockedArray(total)), c(lockedArray(total)) {
    Random random(33);
    for (int i = 0; i < total; ++i) {
      a[i] = random.integer(-1000000, 1000000);
      b[i] = random.integer(-1000000, 1000000);
      c[i] = 0x55555555;
    }
  }
  ~Arrays() {
    for (int *array : {a, b, c})
      CUDA_CHECK(cudaFreeHost(array));
  }
  /// Whether c is what serial code makes of a and b in pieces of `piece` elements.
  bool right(int piece) const {
    for (int first = 0; first < total; first += piece) {
      int n = total - first < piece ? total - first : piece;
      for (int i = 0; i < n; ++i)
        if (c[first + i] != blendAt(a + first, b + first, i, n))
          return false;
    }
    return true;
  }
};

/// The device's buffers for one piece.
struct Buffers {
  int *a, *b, *c;
  explicit Buffers(int n) {
    for (int **buffer : {&a, &b, &c})
      CUDA_CHECK(cudaMalloc(buffer, n * sizeof(int)));
  }
  ~Buffers() {
    for (int *buffer : {a, b, c})
      CUDA_CHECK(cudaFree(buffer));
  }
};
