// RUN: %heddle cc %s -o %t
// RUN: %widths(64) %t
// RUN: %all env HEDDLE_DISABLE=pack-structs %t
// RUN: %if avx512 %{ env HEDDLE_CPU=x86-64-v3 %t %}
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of structures: all members the same way, as they lie in memory, or some of them another way; sums over loops,
// alone and beside others; lanes in rows of tiles; tiles written by rows and read by columns.
#include "support.h"

/// The four members of a structure; `Wide` is loaded and stored at once.
template <class Wide> struct Kernels {
  using T = decltype(Wide::x);

  /// sums[i] over n structures a thread, each member its own way in `which`.
  __host__ __device__ static void sum(int t, int threads, int n, int which, const Wide *in, Wide *out) {
    Wide s = {T(0), T(0), T(0), T(0)}, last = {T(1), T(2), T(3), T(4)};
    T alone = 0;
    for (int k = 0; k < n; ++k) {
      Wide v = in[k * threads + t], w = in[k * threads + threads - 1 - t];
      T factor = T(k % 3 + 1);
      s.x += v.x * factor, s.y += v.y * factor, s.z += v.z * factor, s.w += v.w * factor;
      if (which == 1) // one member for itself
        alone += v.y - v.w;
      if (which == 2) // another order
        last.x += w.w, last.y += w.x, last.z += w.y, last.w += w.z;
      if (which == 3) // other operations
        last.x += w.x, last.y -= w.y, last.z += w.z, last.w += w.w;
      if (which == 4) // on the sums of the loop
        last.x = s.x - last.x, last.y = s.y - last.y, last.z = s.z - last.z, last.w = s.w - last.w;
    }
    s.x += alone;
    out[t] = s;
    out[threads + t] = last;
  }

  /// No loop: some threads only, members exchanged if asked for.
  __host__ __device__ static void straight(int t, int n, bool exchanges, const Wide *a, const Wide *b, Wide *out) {
    if (t >= n || t % 7 == 3)
      return;
    Wide v = a[t], w = b[t], r;
    r.x = v.x + w.x * v.x, r.y = v.y + w.y * v.y, r.z = v.z + w.z * v.z, r.w = v.w + w.w * v.w;
    if (exchanges) {
      T x = r.x;
      r.x = r.z;
      r.z = x;
    }
    out[t] = r;
  }
};

template <class Wide> __global__ void sumKernel(int threads, int n, int which, const Wide *in, Wide *out) {
  int t = threadInGrid();
  if (t < threads)
    Kernels<Wide>::sum(t, threads, n, which, in, out);
}

template <class Wide> __global__ void straightKernel(int n, bool exchanges, const Wide *a, const Wide *b, Wide *out) {
  Kernels<Wide>::straight(threadInGrid(), n, exchanges, a, b, out);
}

template <class Wide> static std::vector<Wide> inputs(size_t count, Random &random) {
  using T = decltype(Wide::x);
  std::vector<Wide> values(count);
  for (Wide &v : values)
    v = {T(random.below(16)), T(random.below(16)), T(random.below(16)), T(random.below(16))};
  return values;
}

template <class Wide> static void compare(const std::string &what, const std::vector<Wide> &got, const std::vector<Wide> &want) {
  for (size_t i = 0; i < got.size(); ++i) {
    expect(what + " x", i, got[i].x, want[i].x);
    expect(what + " y", i, got[i].y, want[i].y);
    expect(what + " z", i, got[i].z, want[i].z);
    expect(what + " w", i, got[i].w, want[i].w);
  }
}

template <class Wide> static void testStructs(const char *name, Random &random) {
  for (int threads : {1, 33, 64, 200, 257})
    for (int which : {0, 1, 2, 3, 4})
      for (int n : {0, 1, 5}) {
        auto in = inputs<Wide>(size_t(threads) * (n + 1), random), want = inputs<Wide>(2 * threads, random);
        for (int t = 0; t < threads; ++t)
          Kernels<Wide>::sum(t, threads, n, which, in.data(), want.data());
        Buffer<Wide> deviceIn(in), out(want.size());
        sumKernel<Wide><<<(threads + 63) / 64, 64>>>(threads, n, which, deviceIn, out);
        checkLaunch();
        compare(std::string(name) + " sum " + std::to_string(which), out.get(), want);
      }
  for (int n : {1, 50, 128, 1000})
    for (bool exchanges : {false, true}) {
      auto a = inputs<Wide>(n, random), b = inputs<Wide>(n, random), want = inputs<Wide>(n, random);
      Buffer<Wide> deviceA(a), deviceB(b), out(want);
      for (int t = 0; t < n; ++t)
        Kernels<Wide>::straight(t, n, exchanges, a.data(), b.data(), want.data());
      straightKernel<Wide><<<(n + 127) / 128, 128>>>(n, exchanges, deviceA, deviceB, out);
      checkLaunch();
      compare(std::string(name) + " straight", out.get(), want);
    }
}

/// A tile of X float4 columns and Y rows from a matrix with rows of `pitch` elements; stored transposed, read by columns.
template <int X, int Y> __global__ void transposeTile(int pitch, const float *in, float *out) {
  __shared__ float cells[4 * X][Y + 1];
  int t = threadIdx.x, row = t / X, column = t % X * 4;
  const float *from = in + blockIdx.x * Y * pitch;
  float4 v = *(const float4 *)&from[row * pitch + column];
  cells[column][row] = v.x;
  cells[column + 1][row] = v.y;
  cells[column + 2][row] = v.z;
  cells[column + 3][row] = v.w;
  __syncthreads();
  for (int i = t; i < 4 * X * Y; i += X * Y)
    out[blockIdx.x * 4 * X * Y + i] = cells[i / Y][i % Y] + 2 * cells[i % (4 * X)][i / (4 * X)];
}

template <int X, int Y> static void testTiles(Random &random) {
  const int pitch = 4 * X + 8, blocks = 3;
  std::vector<float> in(blocks * Y * pitch), want(blocks * 4 * X * Y);
  for (float &v : in)
    v = float(random.below(1000));
  for (int block = 0; block < blocks; ++block)
    for (int i = 0; i < 4 * X * Y; ++i) {
      auto at = [&](int column, int row) { return in[(block * Y + row) * pitch + column]; };
      want[block * 4 * X * Y + i] = at(i / Y, i % Y) + 2 * at(i % (4 * X), i / (4 * X));
    }
  Buffer<float> deviceIn(in), out(want.size());
  transposeTile<X, Y><<<blocks, X * Y>>>(pitch, deviceIn, out);
  checkLaunch();
  expectAll("tile " + std::to_string(X) + "x" + std::to_string(Y), out.get(), want);
}

/// 4x4 sums a thread, as register-blocked products keep them.
__global__ void blocked(int n, int depth, const float *a, const float *b, float *c) {
  int x = threadIdx.x % 16 * 4, y = threadIdx.x / 16 * 4;
  float sums[4][4] = {};
  for (int k = 0; k < depth; ++k) {
    float4 columns = *(const float4 *)&b[k * n + x];
    for (int i = 0; i < 4; ++i) {
      float r = a[(y + i) * depth + k];
      sums[i][0] += r * columns.x, sums[i][1] += r * columns.y, sums[i][2] += r * columns.z, sums[i][3] += r * columns.w;
    }
  }
  for (int i = 0; i < 4; ++i)
    *(float4 *)&c[(y + i) * n + x] = make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
}

static void testBlocked(int depth, Random &random) {
  const int n = 64;
  std::vector<float> a(n * depth), b(n * depth), want(n * n);
  for (auto *v : {&a, &b})
    for (float &x : *v)
      x = float(random.below(9) - 4);
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x)
      for (int k = 0; k < depth; ++k)
        want[y * n + x] += a[y * depth + k] * b[k * n + x];
  Buffer<float> deviceA(a), deviceB(b), c(want.size());
  blocked<<<1, 256>>>(n, depth, deviceA, deviceB, c);
  checkLaunch();
  expectAll("blocked " + std::to_string(depth), c.get(), want);
}

int main() {
  Random random(5);
  testStructs<float4>("float4", random);
  testStructs<int4>("int4", random);
  testStructs<short4>("short4", random);
  testStructs<double4>("double4", random);
  testTiles<2, 64>(random);
  testTiles<4, 32>(random);
  testTiles<8, 8>(random);
  testTiles<16, 16>(random);
  for (int depth : {1, 7, 64})
    testBlocked(depth, random);
  return finish();
}
