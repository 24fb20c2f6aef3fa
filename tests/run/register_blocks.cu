// RUN: %heddle cc %s -o %t
// RUN: %widths(64) %t
// RUN: %if avx512 %{ env HEDDLE_CPU=x86-64-v3 %t %}
// RUN: %cpu(x86-64-v3) %at(8) %t
// RUN: %cpu(x86-64-v3) %at(16) %t
// RUN: %all env HEDDLE_DISABLE=prefetch-next-round,register-block-sums %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products with blocks of sums in each thread's registers, more of them than a processor has registers; slices
// in shared memory, twice, so that one barrier a round is enough. Sizes that are no multiple of the tile, one round
// only; whole matrices with float4; sums that also change in other ways between the barriers.
#include "support.h"

__device__ static float4 four(const float *p) { return *(const float4 *)p; }

/// Whole tiles, `float4` accesses.
template <int Tile, int Slice, int Mine> __global__ void product(int n, const float *a, const float *b, float *c) {
  constexpr int Groups = Mine / 4, Apart = Tile / Groups, Across = Tile / Mine;
  __shared__ __align__(16) float sliceA[2][Slice][Tile], sliceB[2][Slice][Tile];
  int thread = threadIdx.x, x = thread % Across, y = thread / Across;
  int rowA = thread / (Slice / 4), columnA = thread % (Slice / 4) * 4;
  int rowB = thread / (Tile / 4), columnB = thread % (Tile / 4) * 4;
  const float *fromA = a + (blockIdx.y * Tile + rowA) * n + columnA;
  const float *fromB = b + rowB * n + blockIdx.x * Tile + columnB;
  float4 nextA = four(fromA), nextB = four(fromB);
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
      nextA = four(fromA + start + Slice);
      nextB = four(fromB + (start + Slice) * n);
    }
#pragma unroll
    for (int k = 0; k < Slice; ++k) {
      float rows[Mine], columns[Mine];
#pragma unroll
      for (int g = 0; g < Groups; ++g) {
        *(float4 *)&rows[4 * g] = four(&sliceA[now][k][g * Apart + 4 * y]);
        *(float4 *)&columns[4 * g] = four(&sliceB[now][k][g * Apart + 4 * x]);
      }
#pragma unroll
      for (int i = 0; i < Mine; ++i)
#pragma unroll
        for (int j = 0; j < Mine; ++j)
          sums[i][j] += rows[i] * columns[j];
    }
    now ^= 1;
  }
#pragma unroll
  for (int i = 0; i < Mine; ++i)
#pragma unroll
    for (int j = 0; j < Mine; ++j)
      c[(blockIdx.y * Tile + i / 4 * Apart + 4 * y + i % 4) * n + blockIdx.x * Tile + j / 4 * Apart + 4 * x + j % 4] =
          sums[i][j];
}

/// As textbooks begin: one tile, filled and used in turns, with a barrier after each; or two that take turns.
template <int Tile, int Slice, int Mine, int Tiles> __global__ void plain(int n, const float *a, const float *b, float *c) {
  constexpr int Across = Tile / Mine;
  __shared__ __align__(16) float sliceA[Tiles][Slice][Tile], sliceB[Tiles][Slice][Tile];
  int thread = threadIdx.x, x = thread % Across, y = thread / Across;
  int rowA = thread / (Slice / 4), columnA = thread % (Slice / 4) * 4;
  int rowB = thread / (Tile / 4), columnB = thread % (Tile / 4) * 4, now = 0;
  float sums[Mine][Mine] = {};
  for (int start = 0; start < n; start += Slice) {
    float4 fromA = four(a + (blockIdx.y * Tile + rowA) * n + start + columnA);
    sliceA[now][columnA + 0][rowA] = fromA.x;
    sliceA[now][columnA + 1][rowA] = fromA.y;
    sliceA[now][columnA + 2][rowA] = fromA.z;
    sliceA[now][columnA + 3][rowA] = fromA.w;
    *(float4 *)&sliceB[now][rowB][columnB] = four(b + (start + rowB) * n + blockIdx.x * Tile + columnB);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Slice; ++k) {
      float rows[Mine], columns[Mine];
#pragma unroll
      for (int g = 0; g < Mine; g += 4) {
        *(float4 *)&rows[g] = four(&sliceA[now][k][g * Across + 4 * y]);
        *(float4 *)&columns[g] = four(&sliceB[now][k][g * Across + 4 * x]);
      }
#pragma unroll
      for (int i = 0; i < Mine; ++i)
#pragma unroll
        for (int j = 0; j < Mine; ++j)
          sums[i][j] += rows[i] * columns[j];
    }
    if (Tiles == 1)
      __syncthreads();
    else
      now ^= 1;
  }
#pragma unroll
  for (int i = 0; i < Mine; ++i)
#pragma unroll
    for (int j = 0; j < Mine; ++j)
      c[(blockIdx.y * Tile + i / 4 * 4 * Across + 4 * y + i % 4) * n + blockIdx.x * Tile + j / 4 * 4 * Across + 4 * x +
        j % 4] = sums[i][j];
}

/// Any size, one element after the other; every round halves one sum and swaps two.
template <int Tile, int Slice, int Mine> __global__ void guarded(int n, const float *a, const float *b, float *c) {
  constexpr int Across = Tile / Mine, Threads = Across * Across;
  __shared__ float sliceA[Slice][Tile], sliceB[Slice][Tile];
  int x = threadIdx.x, y = threadIdx.y, thread = y * Across + x;
  float sums[Mine][Mine] = {};
  for (int start = 0; start < n; start += Slice) {
    for (int i = thread; i < Slice * Tile; i += Threads) {
      int k = i / Tile, at = i % Tile, row = blockIdx.y * Tile + at, column = blockIdx.x * Tile + at;
      sliceA[k][at] = row < n && start + k < n ? a[row * n + start + k] : 0;
      sliceB[k][at] = column < n && start + k < n ? b[(start + k) * n + column] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Slice; ++k)
#pragma unroll
      for (int i = 0; i < Mine; ++i)
#pragma unroll
        for (int j = 0; j < Mine; ++j)
          sums[i][j] += sliceA[k][y + i * Across] * sliceB[k][x + j * Across];
    sums[0][1] *= 0.5f;
    float kept = sums[1][0];
    sums[1][0] = sums[1][1];
    sums[1][1] = kept;
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < Mine; ++i)
#pragma unroll
    for (int j = 0; j < Mine; ++j) {
      int row = blockIdx.y * Tile + y + i * Across, column = blockIdx.x * Tile + x + j * Across;
      if (row < n && column < n)
        c[row * n + column] = sums[i][j];
    }
}

template <int Tile, int Slice, int Mine>
static float guardedOnHost(int n, const std::vector<float> &a, const std::vector<float> &b, int row, int column) {
  constexpr int Across = Tile / Mine;
  int i = row % Tile / Across, j = column % Tile / Across, y = row % Across, x = column % Across;
  int top = row / Tile * Tile, left = column / Tile * Tile;
  float sums[Mine][Mine] = {};
  for (int start = 0; start < n; start += Slice) {
    for (int k = start; k < start + Slice; ++k)
      for (int p = 0; p < Mine; ++p)
        for (int q = 0; q < Mine; ++q) {
          int r = top + y + p * Across, s = left + x + q * Across;
          bool inA = r < n && k < n, inB = s < n && k < n;
          sums[p][q] = std::fma(inA ? a[r * n + k] : 0, inB ? b[k * n + s] : 0, sums[p][q]);
        }
    sums[0][1] *= 0.5f;
    std::swap(sums[1][0], sums[1][1]);
  }
  return sums[i][j];
}

static std::vector<float> randomFloats(int count, uint64_t seed) {
  Random random(seed);
  std::vector<float> values(count);
  for (float &value : values)
    value = random.between(-1, 1);
  return values;
}

using Kernel = void(int n, const float *a, const float *b, float *c);

template <int Tile, int Mine> static void testWhole(Kernel *kernel, int n, const char *name) {
  auto a = randomFloats(n * n, n), b = randomFloats(n * n, n + 1);
  Buffer<float> inA(a), inB(b), out(n * n);
  kernel<<<dim3(n / Tile, n / Tile), (Tile / Mine) * (Tile / Mine)>>>(n, inA.data, inB.data, out.data);
  auto c = out.get();
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k)
        sum = std::fma(a[i * n + k], b[k * n + j], sum);
      expect(name, i * n + j, c[i * n + j], sum);
    }
}

template <int Tile, int Slice, int Mine> static void testGuarded(int n, const char *name) {
  auto a = randomFloats(n * n, n), b = randomFloats(n * n, n + 1);
  Buffer<float> inA(a), inB(b), out(n * n);
  int blocks = (n + Tile - 1) / Tile;
  guarded<Tile, Slice, Mine><<<dim3(blocks, blocks), dim3(Tile / Mine, Tile / Mine)>>>(n, inA.data, inB.data, out.data);
  auto c = out.get();
  for (int row = 0; row < n; ++row)
    for (int column = 0; column < n; column += 1 + row % 3)
      expect(name, row * n + column, c[row * n + column],
             guardedOnHost<Tile, Slice, Mine>(n, a, b, row, column));
}

int main() {
  testWhole<128, 8>(product<128, 8, 8>, 128, "128x128");
  testWhole<128, 8>(product<128, 8, 8>, 256, "128x128 twice");
  testWhole<64, 4>(product<64, 16, 4>, 128, "64x64");
  testWhole<128, 8>(plain<128, 8, 8, 1>, 256, "128x128, one tile");
  testWhole<128, 8>(plain<128, 8, 8, 2>, 128, "128x128, two tiles");
  testWhole<64, 4>(plain<64, 16, 4, 1>, 128, "64x64, one tile");
  testWhole<64, 4>(plain<64, 16, 4, 2>, 192, "64x64, two tiles");
  testGuarded<64, 8, 8>(77, "64x64, odd");
  testGuarded<64, 4, 8>(3, "64x64, small");
  testGuarded<48, 8, 4>(61, "48x48, odd");
  testGuarded<33, 4, 3>(70, "33x33");
  return finish();
}
