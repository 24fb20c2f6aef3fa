// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "groups.h"

#include <algorithm>

using namespace groups;
using bench::Data;

static void normaliseRun(Data &data) {
  const float *a = data.get<float>(0);
  float *out = data.get<float>(1);
#pragma omp parallel for
  for (int row = 0; row < Rows; row++) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int j = 0; j < Columns; j++)
      sum += a[row * Columns + j] * a[row * Columns + j];
    float scale = 1 / std::sqrt(sum);
#pragma omp simd
    for (int j = 0; j < Columns; j++)
      out[row * Columns + j] = a[row * Columns + j] * scale;
  }
}

/// Each thread counts first, so that it knows where to write.
static void appendRun(Data &data) {
  const int *in = data.get<int>(0);
  int *out = data.get<int>(1), *tally = data.get<int>(3), count = 0;
  std::memset(tally, 0, 1000 * sizeof(int));
  constexpr int Piece = 4096;
#pragma omp parallel for
  for (int piece = 0; piece < Candidates; piece += Piece) {
    int found[Piece], here = 0, at;
    for (int i = piece; i < std::min(piece + Piece, Candidates); i++) {
      found[here] = in[i];
      here += in[i] % 3 == 0;
    }
#pragma omp atomic capture
    {
      at = count;
      count += here;
    }
    std::memcpy(out + at, found, here * sizeof(int));
  }
  *data.get<int>(2) = count;
  for (int i = 0; i < std::min(count, 20000); i++)
    tally[out[i]] = 1;
}

static void segmentedRun(Data &data) {
  const float *values = data.get<float>(0);
  const int *heads = data.get<int>(1);
  float *sums = data.get<float>(2);
#pragma omp parallel for schedule(static)
  for (int first = 0; first < Values; first += 32) {
    float sum = 0;
    for (int i = first; i < std::min(first + 32, Values); i++) {
      sum = heads[i] ? values[i] : sum + values[i];
      sums[i] = sum;
    }
  }
}

/// Along the diagonals too, which vectorises.
static void alignRun(Data &data) {
  int *best = data.get<int>(2);
#pragma omp parallel for
  for (int pair = 0; pair < Pairs; pair++) {
    const int *first = data.get<int>(0) + pair * Letters;
    int backward[Letters], a[Letters + 1] = {}, b[Letters + 1] = {}, c[Letters + 1] = {};
    int *before = a, *last = b, *next = c, most = 0;
    for (int i = 0; i < Letters; i++)
      backward[Letters - 1 - i] = data.get<int>(1)[pair * Letters + i];
    for (int diagonal = 0; diagonal < 2 * Letters - 1; diagonal++) {
      int from = std::max(0, diagonal - Letters + 1), to = std::min(diagonal, Letters - 1);
      const int *second = backward + Letters - 1 - diagonal;
#pragma omp simd reduction(max : most)
      for (int row = from; row <= to; row++) {
        int score = before[row] + (first[row] == second[row] ? 3 : -2);
        score = std::max(std::max(score, 0), std::max(last[row], last[row + 1]) - 1);
        next[row + 1] = score;
        most = std::max(most, score);
      }
      int *free = before;
      before = last, last = next, next = free;
    }
    best[pair] = most;
  }
}

static void fourierRun(Data &data) {
  const float *in = data.get<float>(0), *roots = data.get<float>(1);
  float *out = data.get<float>(2);
  unsigned char inverted[Points];
  for (int i = 0; i < Points; i++) {
    inverted[i] = 0;
    for (int bit = 0; bit < 8; bit++)
      inverted[i] |= (unsigned char)((i >> bit & 1) << (7 - bit));
  }
#pragma omp parallel for
  for (int signal = 0; signal < Signals; signal++) {
    float re[Points], im[Points];
    for (int i = 0; i < Points; i++) {
      re[inverted[i]] = in[2 * (signal * Points + i)];
      im[inverted[i]] = in[2 * (signal * Points + i) + 1];
    }
    for (int half = 1; half < Points; half *= 2)
      for (int start = 0; start < Points; start += 2 * half)
#pragma omp simd
        for (int place = 0; place < half; place++) {
          float rootRe = roots[2 * place * (Points / 2 / half)];
          float rootIm = roots[2 * place * (Points / 2 / half) + 1];
          int i = start + place, j = i + half;
          float turnedRe = re[j] * rootRe - im[j] * rootIm;
          float turnedIm = re[j] * rootIm + im[j] * rootRe;
          re[j] = re[i] - turnedRe, im[j] = im[i] - turnedIm;
          re[i] += turnedRe, im[i] += turnedIm;
        }
    for (int i = 0; i < Points; i++) {
      out[2 * (signal * Points + i)] = re[i];
      out[2 * (signal * Points + i) + 1] = im[i];
    }
  }
}

/// The scores of a query, then its row of weighted values.
static void attentionRun(Data &data) {
  const float *queries = data.get<float>(0), *keys = data.get<float>(1);
  const float *values = data.get<float>(2);
  float *out = data.get<float>(3);
#pragma omp parallel for
  for (int row = 0; row < Heads * Places; row++) {
    const float *query = queries + row * Depth, *key = keys + row / Places * Places * Depth;
    const float *value = values + row / Places * Places * Depth;
    float scores[Places], most = -1e30f, total = 0, sums[Depth] = {};
    for (int j = 0; j < Places; j++) {
      float score = 0;
#pragma omp simd reduction(+ : score)
      for (int d = 0; d < Depth; d++)
        score += query[d] * key[j * Depth + d];
      scores[j] = score;
      most = std::max(most, score);
    }
#pragma omp simd reduction(+ : total)
    for (int j = 0; j < Places; j++)
      total += scores[j] = expf(scores[j] - most);
    for (int j = 0; j < Places; j++)
#pragma omp simd
      for (int d = 0; d < Depth; d++)
        sums[d] += scores[j] * value[j * Depth + d];
    for (int d = 0; d < Depth; d++)
      out[row * Depth + d] = sums[d] / total;
  }
}

static int placed(int n, int row, unsigned columns, unsigned left, unsigned right) {
  if (row == n)
    return 1;
  int count = 0;
  for (unsigned free = ((1u << n) - 1) & ~(columns | left | right); free; free &= free - 1) {
    unsigned place = free & -free;
    count += placed(n, row + 1, columns | place, (left | place) << 1, (right | place) >> 1);
  }
  return count;
}

static void queensRun(Data &data) {
  int *counts = data.get<int>(0);
#pragma omp parallel for schedule(dynamic, 4)
  for (int i = 0; i < Queens * Queens; i++) {
    unsigned a = 1u << i / Queens, b = 1u << i % Queens;
    counts[i] = b & (a | a << 1 | a >> 1)
                    ? 0
                    : placed(Queens, 2, a | b, (a << 1 | b) << 1, (a >> 1 | b) >> 1);
  }
}

static void nearestRun(Data &data) {
  const float *points = data.get<float>(0), *queries = data.get<float>(1);
  float *means = data.get<float>(2);
#pragma omp parallel for
  for (int i = 0; i < Queries; i++) {
    float best[Nearest], distances[Known];
    float x = queries[3 * i], y = queries[3 * i + 1], z = queries[3 * i + 2];
    std::fill_n(best, Nearest, 1e30f);
#pragma omp simd
    for (int j = 0; j < Known; j++) {
      float dx = points[3 * j] - x, dy = points[3 * j + 1] - y, dz = points[3 * j + 2] - z;
      distances[j] = dx * dx + dy * dy + dz * dz;
    }
    for (float distance : distances)
      if (distance < best[Nearest - 1]) {
        int k = Nearest - 1;
        for (; k > 0 && best[k - 1] > distance; k--)
          best[k] = best[k - 1];
        best[k] = distance;
      }
    float sum = 0;
    for (float square : best)
      sum += std::sqrt(square);
    means[i] = sum / Nearest;
  }
}

static void neighboursRun(Data &data) {
  const float *places = data.get<float>(0);
  const int *lists = data.get<int>(1);
  float *forces = data.get<float>(2);
#pragma omp parallel for
  for (int i = 0; i < Particles; i++) {
    const float *me = places + 4 * i;
    float x = 0, y = 0, z = 0, energy = 0;
#pragma omp simd reduction(+ : x, y, z, energy)
    for (int j = 0; j < Neighbours; j++) {
      const float *other = places + 4 * lists[i * Neighbours + j];
      float dx = me[0] - other[0], dy = me[1] - other[1], dz = me[2] - other[2];
      float inverse = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01f);
      float pull = me[3] * other[3] * inverse * inverse * inverse;
      x += pull * dx, y += pull * dy, z += pull * dz;
      energy += me[3] * other[3] * inverse;
    }
    forces[4 * i] = x, forces[4 * i + 1] = y, forces[4 * i + 2] = z, forces[4 * i + 3] = energy;
  }
}

BENCHMARK("normalise_rows_warp", normalised, normaliseRun)
BENCHMARK("append_ballot", appended, appendRun)
BENCHMARK("segmented_scan_warp", segmented, segmentedRun)
BENCHMARK("align_wavefront", aligned, alignRun)
BENCHMARK("fourier_shared", spectra, fourierRun)
BENCHMARK("attention_shared", attention, attentionRun)
BENCHMARK("queens", queens, queensRun)
BENCHMARK("nearest_sorted", nearest, nearestRun)
BENCHMARK("neighbour_lists", neighbours, neighboursRun)
