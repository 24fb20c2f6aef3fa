// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %cpu(x86-64) %t
// RUN: %cpu(x86-64-v3) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products whose next tile comes from one of two lists. What is loaded in the loop over tiles is known nowhere before it.
#include "support.h"

constexpr int Tile = 16;

template <bool IsGuarded>
__global__ __launch_bounds__(Tile * Tile) void product(int n, int first, int rounds, const int *list, const short *more,
                                                       const float *a, const float *b, float *c) {
  __shared__ float tileA[Tile][Tile], tileB[Tile][Tile];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * Tile + y, column = blockIdx.x * Tile + x;
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
    int from;
    if (round < first)
      from = list[round];
    else
      from = more[round - first];
    bool isIn = !IsGuarded || round * Tile + x < n, isInB = !IsGuarded || round * Tile + y < n;
    tileA[y][x] = isIn ? a[row * n + from * Tile + x] : 0;
    tileB[y][x] = isInB ? b[(from * Tile + y) * n + column] : 0;
    __syncthreads();
    for (int k = 0; k < Tile; ++k)
      sum += tileA[y][k] * tileB[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

template <bool IsGuarded> void check(int first) {
  constexpr int N = 128, Rounds = N / Tile;
  Random random(first + 1);
  std::vector<float> a(N * N), b(N * N);
  for (float &number : a)
    number = random.next() % 7;
  for (float &number : b)
    number = random.next() % 5;
  std::vector<int> list(std::max(first, 1));
  std::vector<short> more(std::max(Rounds - first, 1));
  for (int &tile : list)
    tile = random.next() % Rounds;
  for (short &tile : more)
    tile = random.next() % Rounds;
  Buffer<float> deviceA(a), deviceB(b), deviceC(N * N);
  Buffer<int> deviceList(list);
  Buffer<short> deviceMore(more);
  product<IsGuarded><<<dim3(N / Tile, N / Tile), dim3(Tile, Tile)>>>(N, first, Rounds, deviceList.data, deviceMore.data,
                                                                     deviceA.data, deviceB.data, deviceC.data);
  std::vector<float> c = deviceC.get();
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) {
      float sum = 0;
      for (int round = 0; round < Rounds; ++round)
        for (int k = 0; k < Tile; ++k) {
          int at = (round < first ? list[round] : more[round - first]) * Tile + k;
          sum += a[i * N + at] * b[at * N + j];
        }
      expect("sum", i * N + j, c[i * N + j], sum);
    }
}

int main() {
  for (int first : {0, 3, 8}) {
    check<false>(first);
    check<true>(first);
  }
  return finish();
}
