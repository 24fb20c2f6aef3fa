// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %cpu(x86-64-v3) %t
// RUN: %cpu(x86-64-v2) %t
// RUN: %all env HEDDLE_DISABLE=noalias-arguments %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles with a rim that blocks fill once, under conditions: whole and partial blocks at the sides of arrays of any size, rims
// that the threads beside them copy or others, cells of several sizes, results over what was read.
#include "support.h"

__host__ __device__ inline unsigned combined(unsigned here, unsigned left, unsigned right, unsigned up, unsigned down) {
  return here * 3 + left * 5 + right * 7 + up * 11 + down * 13;
}

template <int X, int Y> __global__ static void cross(int w, int h, const unsigned *in, unsigned *out) {
  __shared__ unsigned tile[Y + 2][X + 2];
  int x = blockIdx.x * X + threadIdx.x, y = blockIdx.y * Y + threadIdx.y, i = y * w + x;
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  if (x < w && y < h) {
    tile[ty][tx] = in[i];
    if (threadIdx.x == 0 && x > 0)
      tile[ty][0] = in[i - 1];
    if (threadIdx.x == X - 1 && x < w - 1)
      tile[ty][X + 1] = in[i + 1];
    if (threadIdx.y == 0 && y > 0)
      tile[0][tx] = in[i - w];
    if (threadIdx.y == Y - 1 && y < h - 1)
      tile[Y + 1][tx] = in[i + w];
  }
  __syncthreads();
  if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
    out[i] = combined(tile[ty][tx], tile[ty][tx - 1], tile[ty][tx + 1], tile[ty - 1][tx], tile[ty + 1][tx]);
  else if (x < w && y < h)
    out[i] = tile[ty][tx];
}

template <int X, int Y> static void checkCross(int w, int h, bool inPlace) {
  std::vector<unsigned> in(size_t(w) * h), want(in);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = unsigned(i) * 2654435761u >> 3;
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      size_t i = size_t(y) * w + x;
      bool isInside = x > 0 && x < w - 1 && y > 0 && y < h - 1;
      want[i] = isInside ? combined(in[i], in[i - 1], in[i + 1], in[i - w], in[i + w]) : in[i];
    }
  Buffer<unsigned> input(in), output(in.size());
  // One block may read and write the same array.
  cross<X, Y><<<dim3((w + X - 1) / X, (h + Y - 1) / Y), dim3(X, Y)>>>(w, h, input, inPlace ? input : output);
  checkLaunch();
  expectAll("cross " + std::to_string(X) + "x" + std::to_string(Y) + " of " + std::to_string(w) + "x" + std::to_string(h),
            (inPlace ? input : output).get(), want);
}

/// A sum over 2 R + 1 cells. The first R threads copy the rims at both sides; threads beyond the end return before they wait
/// if `returns`, or else copy nothing.
template <class T, int N, int R, bool Returns> __global__ static void near(int n, const T *in, T *out) {
  __shared__ T cells[N + 2 * R];
  int x = blockIdx.x * N + threadIdx.x, at = threadIdx.x + R;
  if (Returns && x >= n)
    return;
  if (x < n) {
    cells[at] = in[x];
    if (threadIdx.x < R) {
      if (x >= R)
        cells[at - R] = in[x - R];
      if (x + N < n)
        cells[at + N] = in[x + N];
    }
  }
  __syncthreads();
  if (x >= R && x < n - R) {
    T sum = 0;
    for (int k = -R; k <= R; ++k)
      sum += cells[at + k] * T(k + R + 1);
    out[x] = sum;
  }
}

template <class T, int N, int R, bool Returns> static void checkNear(int n) {
  std::vector<T> in(n), want(n);
  for (int i = 0; i < n; ++i)
    in[i] = T(unsigned(i) * 2654435761u >> 24);
  for (int i = R; i < n - R; ++i)
    for (int k = -R; k <= R; ++k)
      want[i] += in[i + k] * T(k + R + 1);
  Buffer<T> input(in), output(n);
  near<T, N, R, Returns><<<(n + N - 1) / N, N>>>(n, input, output);
  checkLaunch();
  expectAll("near " + std::to_string(N) + ", " + std::to_string(R) + " of " + std::to_string(n), output.get(), want);
}

/// Differences along a line of unsigned indices, with a thread's neighbour to the left only.
template <int N> __global__ static void steps(unsigned n, const double *in, double *out) {
  __shared__ double cells[N + 1];
  unsigned x = blockIdx.x * N + threadIdx.x;
  if (x < n) {
    cells[threadIdx.x + 1] = in[x];
    if (threadIdx.x == 0 && x > 0)
      cells[0] = in[x - 1];
  }
  __syncthreads();
  if (x > 0 && x < n)
    out[x] = cells[threadIdx.x + 1] - cells[threadIdx.x];
}

static void checkSteps(unsigned n) {
  std::vector<double> in(n), want(n);
  for (unsigned i = 0; i < n; ++i)
    in[i] = i * 2654435761u >> 9;
  for (unsigned i = 1; i < n; ++i)
    want[i] = in[i] - in[i - 1];
  Buffer<double> input(in), output(n);
  steps<512><<<(n + 511) / 512, 512>>>(n, input, output);
  checkLaunch();
  expectAll("steps of " + std::to_string(n), output.get(), want);
}

/// What threads hand to each other in global memory is there behind the barrier, too.
template <int N> __global__ static void relay(int n, const int *in, int *notes, int *out) {
  __shared__ int cells[N + 1];
  int x = blockIdx.x * N + threadIdx.x;
  if (x < n) {
    cells[threadIdx.x + 1] = in[x];
    if (threadIdx.x == 0 && x > 0)
      cells[0] = in[x - 1];
    notes[x] = 3 * in[x];
  }
  __syncthreads();
  int turned = blockIdx.x * N + (N - 1 - threadIdx.x);
  if (x > 0 && x < n)
    out[x] = cells[threadIdx.x] + (turned < n ? notes[turned] : 0);
}

/// The same the other way: what is read before the barrier is written behind it.
template <int N> __global__ static void overwritten(int n, const int *in, int *notes) {
  __shared__ int cells[N + 1];
  int x = blockIdx.x * N + threadIdx.x, turned = blockIdx.x * N + (N - 1 - threadIdx.x);
  int note = turned < n ? notes[turned] : 0;
  if (x < n) {
    cells[threadIdx.x + 1] = in[x];
    if (threadIdx.x == 0 && x > 0)
      cells[0] = in[x - 1];
  }
  __syncthreads();
  if (x > 0 && x < n)
    notes[x] = cells[threadIdx.x] + note;
}

static void checkRelay(int n) {
  constexpr int N = 1024;
  std::vector<int> in(n), notes(n), want(n), over(n);
  for (int i = 0; i < n; ++i)
    in[i] = unsigned(i) * 2654435761u >> 9, notes[i] = over[i] = i * 7;
  for (int i = 1; i < n; ++i) {
    int turned = i / N * N + (N - 1 - i % N);
    want[i] = in[i - 1] + (turned < n ? 3 * in[turned] : 0);
    over[i] = in[i - 1] + (turned < n ? notes[turned] : 0);
  }
  Buffer<int> input(in), scratch(n), output(n), memory(notes);
  relay<N><<<(n + N - 1) / N, N>>>(n, input, scratch, output);
  checkLaunch();
  expectAll("relay of " + std::to_string(n), output.get(), want);
  overwritten<N><<<(n + N - 1) / N, N>>>(n, input, memory);
  checkLaunch();
  expectAll("overwritten " + std::to_string(n), memory.get(), over);
}

/// Filled by loops in x and y. Cells beyond the sides are those at the sides, or 255.
template <class T, int X, int Y, int R, bool Clamps> __global__ static void least(int w, int h, const T *in, T *out) {
  __shared__ T tile[Y + 2 * R][X + 2 * R];
  int left = blockIdx.x * X - R, top = blockIdx.y * Y - R;
  for (int j = threadIdx.y; j < Y + 2 * R; j += blockDim.y)
    for (int i = threadIdx.x; i < X + 2 * R; i += blockDim.x) {
      int x = left + i, y = top + j;
      if (Clamps)
        tile[j][i] = in[min(max(y, 0), h - 1) * w + min(max(x, 0), w - 1)];
      else
        tile[j][i] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : T(255);
    }
  __syncthreads();
  int x = left + R + threadIdx.x, y = top + R + threadIdx.y;
  if (x >= w || y >= h)
    return;
  T best = 255;
  for (int j = 0; j <= 2 * R; ++j)
    for (int i = 0; i <= 2 * R; ++i)
      best = min(best, tile[threadIdx.y + j][threadIdx.x + i]);
  out[y * w + x] = best;
}

/// Filled by one loop over all cells.
template <class T, int X, int Y, int R> __global__ static void leastFlat(int w, int h, const T *in, T *out) {
  constexpr int Pitch = X + 2 * R;
  __shared__ T tile[(Y + 2 * R) * Pitch];
  int left = blockIdx.x * X - R, top = blockIdx.y * Y - R;
  for (int i = threadIdx.y * X + threadIdx.x; i < (Y + 2 * R) * Pitch; i += X * Y) {
    int x = left + i % Pitch, y = top + i / Pitch;
    tile[i] = x >= 0 && x < w && y >= 0 && y < h ? in[y * w + x] : T(255);
  }
  __syncthreads();
  int x = left + R + threadIdx.x, y = top + R + threadIdx.y;
  if (x >= w || y >= h)
    return;
  T best = 255;
  for (int j = 0; j <= 2 * R; ++j)
    for (int i = 0; i <= 2 * R; ++i)
      best = min(best, tile[(threadIdx.y + j) * Pitch + threadIdx.x + i]);
  out[y * w + x] = best;
}

template <class T, int X, int Y, int R, bool Clamps> static void checkLeast(int w, int h) {
  std::vector<T> in(size_t(w) * h), want(in.size(), T(255));
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = T(unsigned(i) * 2654435761u >> 24);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      for (int j = std::max(y - R, 0); j <= std::min(y + R, h - 1); ++j)
        for (int i = std::max(x - R, 0); i <= std::min(x + R, w - 1); ++i)
          want[size_t(y) * w + x] = std::min(want[size_t(y) * w + x], in[size_t(j) * w + i]);
  Buffer<T> input(in), output(in.size());
  least<T, X, Y, R, Clamps><<<dim3((w + X - 1) / X, (h + Y - 1) / Y), dim3(X, Y)>>>(w, h, input, output);
  checkLaunch();
  std::string name = std::to_string(X) + "x" + std::to_string(Y) + " of " + std::to_string(w) + "x" + std::to_string(h);
  expectAll("least " + name, output.get(), want);
  Buffer<T> flat(in.size());
  leastFlat<T, X, Y, R><<<dim3((w + X - 1) / X, (h + Y - 1) / Y), dim3(X, Y)>>>(w, h, input, flat);
  checkLaunch();
  expectAll("least by one loop " + name, flat.get(), want);
}

int main() {
  for (auto [w, h] : {std::pair(256, 64), {255, 63}, {33, 17}, {1, 1}, {2, 3}, {100, 1}, {1, 100}, {130, 41}}) {
    checkCross<32, 8>(w, h, false);
    checkCross<64, 16>(w, h, false);
    checkCross<48, 9>(w, h, false);
    checkCross<16, 32>(w, h, false);
    checkLeast<unsigned char, 32, 8, 1, true>(w, h);
    checkLeast<unsigned char, 16, 16, 2, false>(w, h);
    checkLeast<unsigned short, 8, 8, 5, true>(w, h);
    checkLeast<int, 32, 4, 3, false>(w, h);
  }
  checkCross<64, 16>(64, 16, true);
  checkCross<32, 8>(31, 7, true);
  for (int n : {1, 2, 31, 512, 513, 1000, 1024, 1025, 4096, 5001}) {
    checkNear<float, 512, 1, false>(n);
    checkNear<float, 1024, 3, false>(n);
    checkNear<float, 1024, 2, true>(n);
    checkNear<double, 512, 3, false>(n);
    checkNear<short, 1024, 1, false>(n);
    checkNear<unsigned char, 1024, 4, true>(n);
    checkSteps(n);
    checkRelay(n);
  }
  return finish();
}
