// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %cpu(x86-64-v3) %t
// RUN: %all env HEDDLE_DISABLE=version-clamps,distribute-extensions %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stencils with clamped indices, on planes of many sizes in blocks of many shapes: warps at the border, warps inside,
// rows that end within a warp, planes that are smaller than a block. The reference is the same body in plain C++.
#include "support.h"

__host__ __device__ static int least(int a, int b) { return a < b ? a : b; }
__host__ __device__ static int most(int a, int b) { return a > b ? a : b; }

/// Minima and maxima.
struct Cross {
  __host__ __device__ static float at(const float *in, int w, int h, int x, int y) {
    int north = most(y - 1, 0), south = least(y + 1, h - 1), west = most(x - 1, 0), east = least(x + 1, w - 1);
    return in[north * w + x] + 2 * in[south * w + x] + 3 * in[y * w + west] + 4 * in[y * w + east] + 5 * in[y * w + x];
  }
};

/// Choices by the index, also the wrong way round: the copy for warps without borders is seldom run.
struct Choices {
  __host__ __device__ static float at(const float *in, int w, int h, int x, int y) {
    int c = y * w + x, west = x == 0 ? c : c - 1, east = x == w - 1 ? c : c + 1, north = y == 0 ? c : c - w,
        south = y == h - 1 ? c : c + w, far = x > w / 2 ? c - w / 2 : c, other = x < 3 ? c + least(3, w - 1 - x) : c;
    return in[west] + 2 * in[east] + 3 * in[north] + 4 * in[south] + 5 * in[far] + 6 * in[other];
  }
};

/// In loops: both ends, and a torus.
struct Taps {
  __host__ __device__ static float at(const float *in, int w, int h, int x, int y) {
    float sum = 0;
    for (int i = -3; i <= 3; i++)
      sum += float(i + 4) * in[y * w + least(most(x + i, 0), w - 1)];
    for (int i = -2; i <= 2; i++) {
      int q = x + i, r = y + i;
      q = q < 0 ? q + w : q >= w ? q - w : q;
      r = r < 0 ? 0 : r >= h ? h - 1 : r;
      sum += float(i + 3) * in[r * w + (w > 2 ? q : x)];
    }
    return sum;
  }
};

/// Behind a branch that parts the lanes, with unsigned indices.
struct Parted {
  __host__ __device__ static float at(const float *in, int w, int h, int x, int y) {
    unsigned u = x, last = w - 1, next = u + 1 < last ? u + 1 : last, before = u > 0 ? u - 1 : 0;
    float sum = in[y * w + x];
    if (sum > 8)
      sum += in[y * w + next] * 2;
    else
      sum -= in[unsigned(y) * w + before];
    for (int i = 0; i < int(sum) % 3; i++)
      sum += in[unsigned(most(y - i, 0)) * w + next];
    return sum;
  }
};

template <typename Stencil> __global__ void apply(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  out[y * w + x] = Stencil::at(in, w, h, x, y);
}

/// Without a guard: what lies outside is clamped, too, and stored by whoever is last or first, which is the same.
template <typename Stencil> __global__ void applyClamped(const float *in, float *out, int w, int h) {
  int x = least(blockIdx.x * blockDim.x + threadIdx.x, w - 1), y = least(blockIdx.y * blockDim.y + threadIdx.y, h - 1);
  out[y * w + x] = Stencil::at(in, w, h, x, y);
}

template <typename Stencil> static void check(const std::string &name, int w, int h, dim3 block) {
  std::vector<float> values(w * h), expected(w * h);
  for (int i = 0; i < w * h; i++)
    values[i] = float((i * 7 + i / w * 3 + 5) % 17);
  for (int i = 0; i < w * h; i++)
    expected[i] = Stencil::at(values.data(), w, h, i % w, i / w);
  Buffer<float> in(values), out(w * h), outClamped(w * h);
  dim3 grid((w + block.x - 1) / block.x, (h + block.y - 1) / block.y);
  apply<Stencil><<<grid, block>>>(in, out, w, h);
  applyClamped<Stencil><<<grid, block>>>(in, outClamped, w, h);
  checkLaunch();
  std::string where = name + " of " + std::to_string(w) + "x" + std::to_string(h) + " in blocks of " +
                      std::to_string(block.x) + "x" + std::to_string(block.y);
  expectAll(where, out.get(), expected);
  expectAll(where + ", without a guard", outClamped.get(), expected);
}

int main() {
  const int sizes[][2] = {{1, 1}, {3, 2}, {31, 5}, {32, 4}, {33, 7}, {64, 9}, {100, 17}, {257, 33}, {512, 6}};
  const dim3 blocks[] = {dim3(32, 8), dim3(16, 16), dim3(64, 4), dim3(256), dim3(33, 3), dim3(8, 8)};
  for (auto [w, h] : sizes)
    for (dim3 block : blocks) {
      check<Cross>("cross", w, h, block);
      check<Choices>("choices", w, h, block);
      check<Taps>("taps", w, h, block);
      check<Parted>("parted", w, h, block);
    }
  return finish();
}
