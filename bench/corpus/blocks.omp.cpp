// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blocks.h"

using namespace blocks;
using bench::Data;

static void sumRun(Data &data) {
  const float *values = data.get<float>(0);
  float sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
  for (int i = 0; i < Count; i++)
    sum += values[i];
  *data.get<float>(2) = sum;
}

static void dotRun(Data &data) {
  const double *a = data.get<double>(0), *b = data.get<double>(1);
  double sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
  for (int i = 0; i < Count; i++)
    sum += a[i] * b[i];
  *data.get<double>(3) = sum;
}

/// The least value first, then its first place.
static void argminRun(Data &data) {
  const int *values = data.get<int>(0);
  int least = 0x7fffffff;
#pragma omp parallel for simd reduction(min : least)
  for (int i = 0; i < Count; i++)
    least = std::min(least, values[i]);
  *data.get<int>(2) = int(std::find(values, values + Count, least) - values);
}

/// Chunks that fit a cache: their sums, then each from the sum before it.
static void scanRun(Data &data) {
  constexpr int Chunk = 4096, Chunks = (Count + Chunk - 1) / Chunk;
  const int *in = data.get<int>(0);
  int *out = data.get<int>(1), sums[Chunks + 1] = {};
#pragma omp parallel
  {
#pragma omp for
    for (int chunk = 0; chunk < Chunks; chunk++) {
      int sum = 0;
      for (int i = chunk * Chunk; i < std::min((chunk + 1) * Chunk, Count); i++)
        sum += in[i];
      sums[chunk + 1] = sum;
    }
#pragma omp single
    for (int chunk = 0; chunk < Chunks; chunk++)
      sums[chunk + 1] += sums[chunk];
#pragma omp for
    for (int chunk = 0; chunk < Chunks; chunk++) {
      int running = sums[chunk];
      for (int i = chunk * Chunk; i < std::min((chunk + 1) * Chunk, Count); i++) {
        out[i] = running;
        running += in[i];
      }
    }
  }
}

static void histogramRun(Data &data) {
  const unsigned char *values = data.get<unsigned char>(0);
  int *bins = data.get<int>(1);
  std::memset(bins, 0, Bins * sizeof(int));
#pragma omp parallel
  {
    int mine[Bins] = {};
#pragma omp for nowait
    for (int i = 0; i < Count; i++)
      mine[values[i]]++;
#pragma omp critical
    for (int bin = 0; bin < Bins; bin++)
      bins[bin] += mine[bin];
  }
}

static void compactRun(Data &data) {
  constexpr int Chunk = 4096, Chunks = (Count + Chunk - 1) / Chunk;
  const int *in = data.get<int>(0);
  int *out = data.get<int>(1), counts[Chunks + 1] = {};
  std::memset(out, 0, Count * sizeof(int));
#pragma omp parallel
  {
#pragma omp for
    for (int chunk = 0; chunk < Chunks; chunk++) {
      int count = 0;
      for (int i = chunk * Chunk; i < std::min((chunk + 1) * Chunk, Count); i++)
        count += in[i] >= 500;
      counts[chunk + 1] = count;
    }
#pragma omp single
    for (int chunk = 0; chunk < Chunks; chunk++)
      counts[chunk + 1] += counts[chunk];
#pragma omp for
    for (int chunk = 0; chunk < Chunks; chunk++) {
      int place = counts[chunk];
      for (int i = chunk * Chunk; i < std::min((chunk + 1) * Chunk, Count); i++)
        if (in[i] >= 500)
          out[place++] = in[i];
    }
  }
  *data.get<int>(2) = counts[Chunks];
}

static void rowSumRun(Data &data) {
  const float *a = data.get<float>(0);
  float *sums = data.get<float>(1);
#pragma omp parallel for
  for (int i = 0; i < Rows; i++) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int j = 0; j < Columns; j++)
      sum += a[i * Columns + j];
    sums[i] = sum;
  }
}

static void layerNormRun(Data &data) {
#pragma omp parallel for
  for (int i = 0; i < Rows; i++) {
    const float *row = data.get<float>(0) + i * Columns;
    float *out = data.get<float>(1) + i * Columns, sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
    for (int j = 0; j < Columns; j++)
      sum += row[j];
    float mean = sum / Columns;
#pragma omp simd reduction(+ : squares)
    for (int j = 0; j < Columns; j++)
      squares += (row[j] - mean) * (row[j] - mean);
    float scale = 1 / std::sqrt(squares / Columns + 1e-5f);
    for (int j = 0; j < Columns; j++)
      out[j] = (row[j] - mean) * scale;
  }
}

static void softmaxRun(Data &data) {
#pragma omp parallel for
  for (int i = 0; i < Rows; i++) {
    const float *row = data.get<float>(0) + i * Columns;
    float *out = data.get<float>(1) + i * Columns, most = -1e30f, sum = 0;
#pragma omp simd reduction(max : most)
    for (int j = 0; j < Columns; j++)
      most = std::max(most, row[j]);
#pragma omp simd reduction(+ : sum)
    for (int j = 0; j < Columns; j++)
      sum += out[j] = std::exp(row[j] - most);
    for (int j = 0; j < Columns; j++)
      out[j] /= sum;
  }
}

/// A part of the segments for each turn; where one starts is found by search.
static void segmentRun(Data &data) {
  const int *keys = data.get<int>(0);
  const float *values = data.get<float>(1);
  float *sums = data.get<float>(2);
  constexpr int Part = 128;
#pragma omp parallel for
  for (int part = 0; part < Segments; part += Part) {
    int i = int(std::lower_bound(keys, keys + Count, part) - keys);
    for (int key = part; key < std::min(part + Part, Segments); key++) {
      float sum = 0;
      for (; i < Count && keys[i] == key; i++)
        sum += values[i];
      sums[key] = sum;
    }
  }
}

BENCHMARK("reduce_tree", sum, sumRun)
BENCHMARK("reduce_warps", sum, sumRun)
BENCHMARK("dot_double", dot, dotRun)
BENCHMARK("argmin", argmin, argminRun)
BENCHMARK("scan_tree", scan, scanRun)
BENCHMARK("scan_warps", scan, scanRun)
BENCHMARK("histogram_global", histogram, histogramRun)
BENCHMARK("histogram_shared", histogram, histogramRun)
BENCHMARK("compact", compact, compactRun)
BENCHMARK("block_row_sum", rowSums, rowSumRun)
BENCHMARK("layer_norm", rowMatrices, layerNormRun)
BENCHMARK("softmax_warp", rowMatrices, softmaxRun)
BENCHMARK("segment_sum", segments, segmentRun)
