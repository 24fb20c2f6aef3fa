// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sgemm.h"

/// Tile: rows and columns of C a block; Slice: columns of A and rows of B at a time; Mine: rows and
/// columns a thread, in groups of four that lie Tile * 4 / Mine apart. Each thread loads one float4
/// of each slice.
template <int Tile, int Slice, int Mine>
__global__ static __launch_bounds__(256) void sgemmTile(int n, const float *a, const float *b, float *c) {
  constexpr int Groups = Mine / 4, Apart = Tile / Groups, Across = Tile / Mine;
  static_assert(Across * Across == 256 && Tile * Slice == 4 * 256);
  __shared__ __align__(16) float sliceA[2][Slice][Tile], sliceB[2][Slice][Tile];

  int thread = threadIdx.x, x = thread % Across, y = thread / Across;
  int rowA = thread / (Slice / 4), columnA = thread % (Slice / 4) * 4;
  int rowB = thread / (Tile / 4), columnB = thread % (Tile / 4) * 4;
  const float *fromA = a + (blockIdx.y * Tile + rowA) * n + columnA;
  const float *fromB = b + rowB * n + blockIdx.x * Tile + columnB;

  float4 nextA = *(const float4 *)fromA, nextB = *(const float4 *)fromB;
  float sums[Mine][Mine] = {};
  int now = 0;
  for (int start = 0; start < n; start += Slice) {
    sliceA[now][columnA + 0][rowA] = nextA.x;
    sliceA[now][columnA + 1][rowA] = nextA.y;
    sliceA[now][columnA + 2][rowA] = nextA.z;
    sliceA[now][columnA + 3][rowA] = nextA.w;
    *(float4 *)&sliceB[now][rowB][columnB] = nextB;
    __syncthreads();
    if (start + Slice < n) {
      nextA = *(const float4 *)(fromA + start + Slice);
      nextB = *(const float4 *)(fromB + (start + Slice) * n);
    }
#pragma unroll
    for (int k = 0; k < Slice; ++k) {
      float rows[Mine], columns[Mine];
#pragma unroll
      for (int g = 0; g < Groups; ++g) {
        *(float4 *)&rows[4 * g] = *(const float4 *)&sliceA[now][k][g * Apart + 4 * y];
        *(float4 *)&columns[4 * g] = *(const float4 *)&sliceB[now][k][g * Apart + 4 * x];
      }
#pragma unroll
      for (int i = 0; i < Mine; ++i)
#pragma unroll
        for (int j = 0; j < Mine; ++j)
          sums[i][j] += rows[i] * columns[j];
    }
    now ^= 1; // the barrier of the next round keeps both halves apart
  }

#pragma unroll
  for (int i = 0; i < Mine; ++i)
#pragma unroll
    for (int g = 0; g < Groups; ++g) {
      int row = blockIdx.y * Tile + i / 4 * Apart + 4 * y + i % 4;
      int column = blockIdx.x * Tile + g * Apart + 4 * x;
      *(float4 *)&c[row * n + column] =
          make_float4(sums[i][4 * g], sums[i][4 * g + 1], sums[i][4 * g + 2], sums[i][4 * g + 3]);
    }
}

template <int Tile, int Slice, int Mine> static void run(bench::Data &data) {
  using sgemm::N;
  sgemmTile<Tile, Slice, Mine><<<dim3(N / Tile, N / Tile), 256>>>(N, data.get<float>(0), data.get<float>(1),
                                                                  data.get<float>(2));
}

static const auto run128 = run<128, 8, 8>;
static const auto run64 = run<64, 16, 4>;
BENCHMARK("sgemm_128x128", sgemm::problem, run128)
BENCHMARK("sgemm_64x64", sgemm::problem, run64)
