// RUN: %heddle cc %s -o %t
// RUN: %widths(64,256) %t
// RUN: %cpu(x86-64-v3) %t
// RUN: %all env HEDDLE_DISABLE=serialize-lanes %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that does little but gather and scatter: wavefronts over tiles, permutations whose values are used later, chains
// of indices; active lanes side by side, with gaps, and none but one; elements of 1 to 8 bytes; blocks with rows.
#include "support.h"

constexpr int Side = 37;

/// Each cell from the ones above, to the left and above that; `steps` is 2 * Side - 1, not known when compiled.
__global__ void wavefront(int steps, const int *scores, int *out) {
  __shared__ int cells[Side + 1][Side + 1];
  int x = threadIdx.x;
  for (int y = 0; y <= Side; ++y)
    for (int i = x; i <= Side; i += blockDim.x)
      cells[y][i] = -2 * (y + i);
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    int y = step - x;
    if (y >= 0 && y < Side && x < Side)
      cells[y + 1][x + 1] = max(cells[y][x] + scores[y * Side + x], max(cells[y][x + 1], cells[y + 1][x]) - 2);
    __syncthreads();
  }
  for (int y = 1; y <= Side; ++y)
    for (int i = x + 1; i <= Side; i += blockDim.x)
      out[(blockIdx.x * Side + y - 1) * Side + i - 1] = cells[y][i];
}

template <class T> __global__ void permute(int n, int every, const int *from, const int *to, const T *in, T *out, T *sums) {
  int i = threadInGrid();
  T a = 0, b = 0;
  if (i < n && i % every == 0) {
    a = in[from[i]];
    b = in[to[from[i]]];
    out[to[i]] = a + b;
    out[n + from[to[i]]] = a;
  }
  if (i < n)
    sums[i] = a * T(3) + b;
}

/// Rows of a 2D block.
__global__ void rows(const short *index, const double *in, double *out) {
  __shared__ double tile[16 * 17];
  int me = threadIdx.y * blockDim.x + threadIdx.x, y = threadIdx.y, x = threadIdx.x;
  tile[index[me]] = in[me];
  __syncthreads();
  if (x > y)
    out[index[me] + blockIdx.x * 272] = tile[index[x * 16 + y]] + tile[index[y * 16 + x]] * x;
}

/// Scatters to one side of a barrier, gathers from what other warps wrote on the other.
__global__ void exchange(int rounds, const int *index, int *sums) {
  __shared__ int cells[8][256];
  int t = threadIdx.x, to = index[t], from = index[blockDim.x + t], sum = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int k = 0; k < 7; ++k)
      cells[k][to] = (round * 8 + k) * 256 + t;
    __syncthreads();
    for (int k = 0; k < 7; ++k)
      sum ^= cells[k][from];
    __syncthreads();
  }
  sums[t] = sum;
}

void testWavefront(int blocks, int threads) {
  Random random(threads);
  std::vector<int> scores(Side * Side), one(Side * Side), want;
  for (int &score : scores)
    score = random.below(7) - 3;
  auto at = [&](int y, int x) { return y < 0 || x < 0 ? -2 * (y + 1 + x + 1) : one[y * Side + x]; };
  for (int y = 0; y < Side; ++y)
    for (int x = 0; x < Side; ++x)
      one[y * Side + x] = std::max(at(y - 1, x - 1) + scores[y * Side + x], std::max(at(y - 1, x), at(y, x - 1)) - 2);
  for (int block = 0; block < blocks; ++block)
    want.insert(want.end(), one.begin(), one.end());
  Buffer<int> deviceScores(scores), out(want.size());
  wavefront<<<blocks, threads>>>(2 * Side - 1, deviceScores, out);
  checkLaunch();
  expectAll("wavefront", out.get(), want);
}

template <class T> void testPermute(int n, int every) {
  Random random(n * every);
  std::vector<int> from(n), to(n);
  for (int i = 0; i < n; ++i)
    from[i] = to[i] = i;
  for (int i = n - 1; i > 0; --i) {
    std::swap(from[i], from[random.below(i + 1)]);
    std::swap(to[i], to[random.below(i + 1)]);
  }
  std::vector<T> in(n), want(2 * n), wantSums(n);
  for (T &value : in)
    value = T(random.below(20));
  for (int i = 0; i < n; i += every) {
    T a = in[from[i]], b = in[to[from[i]]];
    want[to[i]] = a + b;
    want[n + from[to[i]]] = a;
    wantSums[i] = a * T(3) + b;
  }
  Buffer<int> deviceFrom(from), deviceTo(to);
  Buffer<T> deviceIn(in), out(2 * n), sums(n);
  permute<T><<<(n + 95) / 96, 96>>>(n, every, deviceFrom, deviceTo, deviceIn, out, sums);
  checkLaunch();
  expectAll("permuted", out.get(), want);
  expectAll("sums", sums.get(), wantSums);
}

void testRows(int height) {
  Random random(height);
  std::vector<short> index(256);
  for (int i = 0; i < 256; ++i)
    index[i] = short(i);
  for (int i = 255; i > 0; --i)
    std::swap(index[i], index[random.below(i + 1)]);
  std::vector<double> in(256), tile(272), want(2 * 272);
  for (int i = 0; i < 256; ++i)
    tile[index[i]] = in[i] = random.below(1000);
  for (int block = 0; block < 2; ++block)
    for (int y = 0; y < height; ++y)
      for (int x = y + 1; x < 16; ++x)
        want[block * 272 + index[y * 16 + x]] = tile[index[x * 16 + y]] + tile[index[y * 16 + x]] * x;
  Buffer<short> deviceIndex(index);
  Buffer<double> deviceIn(in), out(want.size());
  rows<<<2, dim3(16, height)>>>(deviceIndex, deviceIn, out);
  checkLaunch();
  expectAll("rows", out.get(), want);
}

void testExchange(int threads, int rounds) {
  Random random(threads + rounds);
  std::vector<int> index(2 * threads), sums(threads), owner(threads);
  for (int half = 0; half < 2; ++half) {
    for (int i = 0; i < threads; ++i)
      index[half * threads + i] = i;
    for (int i = threads - 1; i > 0; --i)
      std::swap(index[half * threads + i], index[half * threads + random.below(i + 1)]);
  }
  for (int t = 0; t < threads; ++t)
    owner[index[t]] = t;
  for (int round = 0; round < rounds; ++round)
    for (int t = 0; t < threads; ++t)
      for (int k = 0; k < 7; ++k)
        sums[t] ^= (round * 8 + k) * 256 + owner[index[threads + t]];
  Buffer<int> deviceIndex(index), deviceSums(threads);
  exchange<<<1, threads>>>(rounds, deviceIndex, deviceSums);
  checkLaunch();
  expectAll("exchange " + std::to_string(threads), deviceSums.get(), sums);
}

int main() {
  for (int threads : {8, 50, 64, 200, 256})
    for (int rounds : {1, 2, 5})
      testExchange(threads, rounds);
  for (int threads : {37, 40, 64, 200})
    testWavefront(3, threads);
  for (int every : {1, 2, 5, 40})
    for (int n : {1, 50, 96, 1001}) {
      testPermute<int>(n, every);
      testPermute<unsigned char>(n, every);
      testPermute<float>(n, every);
      testPermute<long long>(n, every);
    }
  testRows(16);
  return finish();
}
