// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "textures.h"

#include <algorithm>
#include <cmath>

using namespace textures;
using bench::Data;

constexpr int W = Width, H = Height;

/// The texels that a coordinate lies between, and the second one's weight in 1/256.
struct Tap {
  int first, second;
  float fraction;
};

static Tap tapOf(float x, int n) {
  x = std::min(std::max(x, -1.0f), n + 1.0f);
  int fixed = int(std::floor(x * 256 - 127.5f)), first = fixed >> 8;
  return {std::min(std::max(first, 0), n - 1), std::min(std::max(first + 1, 0), n - 1),
          float(fixed & 255)};
}

template <int Channels, class T> static void turnLinear(const T *in, float *out, float scale) {
#pragma omp parallel for
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      Tap u = tapOf(x * Cosine - y * Sine + ShiftX, W),
          v = tapOf(x * Sine + y * Cosine + ShiftY, H);
      float d = std::floor(u.fraction * v.fraction * (1 / 256.0f) + 0.5f);
      float b = u.fraction - d, c = v.fraction - d, a = 256 - u.fraction - c;
      const T *top = in + Channels * W * v.first, *bottom = in + Channels * W * v.second;
      const int left = Channels * u.first, right = Channels * u.second;
      for (int i = 0; i < Channels; i++)
        out[Channels * (y * W + x) + i] = scale * (a * top[left + i] + b * top[right + i] +
                                                   c * bottom[left + i] + d * bottom[right + i]);
    }
}

static void pointRun(Data &data) {
  const float *in = data.get<float>(0);
  float *out = data.get<float>(1);
#pragma omp parallel for
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      float u = x * Cosine - y * Sine + ShiftX, v = x * Sine + y * Cosine + ShiftY;
      out[y * W + x] = in[int(std::min(std::max(v, 0.0f), H - 1.0f)) * W +
                          int(std::min(std::max(u, 0.0f), W - 1.0f))];
    }
}
static void linearRun(Data &data) {
  turnLinear<1>(data.get<float>(0), data.get<float>(1), 1 / 256.0f);
}
static void linearFourRun(Data &data) {
  turnLinear<4>(data.get<float>(0), data.get<float>(1), 1 / 256.0f);
}
static void linearBytesRun(Data &data) {
  turnLinear<4>(data.get<Byte>(0), data.get<float>(1), 1 / (255 * 256.0f));
}

BENCHMARK("texture_point", one, pointRun)
BENCHMARK("texture_linear", one, linearRun)
BENCHMARK("texture_linear_float4", four, linearFourRun)
BENCHMARK("texture_linear_uchar4", bytes, linearBytesRun)
