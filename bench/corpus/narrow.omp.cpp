// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "narrow.h"

#include <algorithm>

using namespace narrow;
using bench::Data;

static void sharpenRun(Data &data) {
  const Byte *in = data.get<Byte>(0);
  Byte *out = data.get<Byte>(1);
  constexpr int Pitch = 4 * Width;
#pragma omp parallel for firstprivate(in, out)
  for (int y = 0; y < Height; y++) {
    const Byte *row = in + y * Pitch;
    Byte *to = out + y * Pitch;
    std::memcpy(to, row, Pitch);
    if (y == 0 || y == Height - 1)
      continue;
#pragma omp simd
    for (int i = 4; i < Pitch - 4; i++) {
      int value = 5 * row[i] - row[i - 4] - row[i + 4] - row[i - Pitch] - row[i + Pitch];
      to[i] = i % 4 == 3 ? row[i] : Byte(std::min(std::max(value, 0), 255));
    }
  }
}

static void tileRun(Data &data) {
  const Byte *in = data.get<Byte>(0);
  Byte *out = data.get<Byte>(1);
#pragma omp parallel for firstprivate(in, out)
  for (int y = 0; y < Height; y++) {
    const Byte *up = in + std::max(y - 1, 0) * Width, *row = in + y * Width;
    const Byte *down = in + std::min(y + 1, Height - 1) * Width;
    unsigned short sums[Width + 2];
    for (int x = 0; x < Width; x++)
      sums[x + 1] = (unsigned short)(up[x] + row[x] + down[x]);
    sums[0] = sums[1];
    sums[Width + 1] = sums[Width];
    for (int x = 0; x < Width; x++)
      out[y * Width + x] = Byte((unsigned short)(sums[x] + sums[x + 1] + sums[x + 2]) / 9);
  }
}

static void maskRun(Data &data) {
  const Byte *a = data.get<Byte>(0), *b = data.get<Byte>(1), *mask = data.get<Byte>(2);
  Byte *out = data.get<Byte>(3);
#pragma omp parallel for simd firstprivate(a, b, mask, out)
  for (int i = 0; i < Letters; i++)
    out[i] = mask[i] ? Byte((a[i] + b[i] + 1) / 2) : std::max(a[i], b[i]);
}

static void countRun(Data &data) {
  const Byte *text = data.get<Byte>(0);
  int *counts = data.get<int>(1), bins[256] = {};
#pragma omp parallel for reduction(+ : bins)
  for (int i = 0; i < Letters; i++)
    bins[text[i]]++;
  std::memcpy(counts, bins, sizeof(bins));
}

static void mixRun(Data &data) {
  const short *a = data.get<short>(0), *b = data.get<short>(1);
  short *out = data.get<short>(2);
  int left = 211, right = 180;
#pragma omp parallel for simd firstprivate(a, b, out, left, right)
  for (int i = 0; i < Samples; i++)
    out[i] = short(std::min(std::max((a[i] * left + b[i] * right) >> 8, -32768), 32767));
}

static void lookupRun(Data &data) {
  const float *table = data.get<float>(0), *x = data.get<float>(1);
  float *y = data.get<float>(2);
#pragma omp parallel for simd firstprivate(table, x, y)
  for (int i = 0; i < Looked; i++) {
    float at = x[i] * Entries;
    int entry = int(at);
    float part = at - entry;
    y[i] = table[entry] + part * (table[entry + 1] - table[entry]);
  }
}

BENCHMARK("sharpen_pixels", pixels, sharpenRun)
BENCHMARK("tile_bytes", picture, tileRun)
BENCHMARK("mask_bytes", masked, maskRun)
BENCHMARK("count_letters", counts, countRun)
BENCHMARK("mix_shorts", sound, mixRun)
BENCHMARK("table_constant", lookup, lookupRun)
BENCHMARK("table_shared", lookup, lookupRun)
