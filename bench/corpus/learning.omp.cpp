// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "learning.h"

#include <algorithm>

using namespace learning;
using bench::Data;

static void backpropRun(Data &data) {
  const float *in = data.get<float>(0), *weights = data.get<float>(1), *errors = data.get<float>(2);
  float *out = data.get<float>(4), *adjusted = data.get<float>(5), sums[Hidden] = {};
#pragma omp parallel for reduction(+ : sums)
  for (int i = 0; i < Inputs; i++)
    for (int unit = 0; unit < Hidden; unit++)
      sums[unit] += weights[i * Hidden + unit] * in[i];
  for (int unit = 0; unit < Hidden; unit++)
    out[unit] = 1 / (1 + std::exp(-sums[unit]));
#pragma omp parallel for
  for (int i = 0; i < Inputs; i++)
    for (int unit = 0; unit < Hidden; unit++)
      adjusted[i * Hidden + unit] = weights[i * Hidden + unit] + 0.3f * errors[unit] * in[i] +
                                    0.3f * weights[i * Hidden + unit];
}

static void kmeansFeaturesRun(Data &data) {
  constexpr int Band = 256;
  const float *all = data.get<float>(0), *means = data.get<float>(1);
  int *nearest = data.get<int>(2);
#pragma omp parallel for
  for (int first = 0; first < Points; first += Band) {
    int count = std::min(Band, Points - first);
    float least[Band];
    std::fill(least, least + Band, 3e38f);
    for (int centre = 0; centre < Centres; centre++) {
      float distances[Band] = {};
      for (int f = 0; f < Features; f++)
#pragma omp simd
        for (int i = 0; i < count; i++) {
          float difference = all[f * Points + first + i] - means[centre * Features + f];
          distances[i] += difference * difference;
        }
      for (int i = 0; i < count; i++) {
        nearest[first + i] = distances[i] < least[i] ? centre : nearest[first + i];
        least[i] = std::min(least[i], distances[i]);
      }
    }
  }
}

static void kmeansRowsRun(Data &data) {
  const float *all = data.get<float>(0), *means = data.get<float>(1);
  int *nearest = data.get<int>(2);
#pragma omp parallel for
  for (int point = 0; point < Points; point++) {
    float least = 3e38f;
    for (int centre = 0; centre < Centres; centre++) {
      float distance = 0;
#pragma omp simd reduction(+ : distance)
      for (int f = 0; f < Features; f++) {
        float difference = all[point * Features + f] - means[centre * Features + f];
        distance += difference * difference;
      }
      if (distance < least) {
        least = distance;
        nearest[point] = centre;
      }
    }
  }
}

static void nnRun(Data &data) {
  const float *places = data.get<float>(0);
  float *distances = data.get<float>(1);
#pragma omp parallel for simd
  for (int i = 0; i < Records; i++) {
    float dx = 30 - places[2 * i], dy = 60 - places[2 * i + 1];
    distances[i] = std::sqrt(dx * dx + dy * dy);
  }
}

static void streamclusterRun(Data &data) {
  constexpr int Band = 256, Candidate = 101;
  const float *all = data.get<float>(0), *weights = data.get<float>(1), *costs = data.get<float>(3);
  const int *centres = data.get<int>(2);
  float *switched = data.get<float>(4), *saved = data.get<float>(5);
  std::memset(saved, 0, Opened * sizeof(float));
#pragma omp parallel for reduction(+ : saved[ : Opened])
  for (int first = 0; first < Points; first += Band) {
    int count = std::min(Band, Points - first);
    float distances[Band] = {};
    for (int d = 0; d < Dimensions; d++)
#pragma omp simd
      for (int i = 0; i < count; i++) {
        float difference = all[d * Points + first + i] - all[d * Points + Candidate];
        distances[i] += difference * difference;
      }
    for (int i = 0; i < count; i++) {
      float change = distances[i] * weights[first + i] - costs[first + i];
      switched[first + i] = std::min(change, 0.0f);
      if (change >= 0)
        saved[centres[first + i]] -= change;
    }
  }
}

static void knnRun(Data &data) {
  const float *asked = data.get<float>(0), *all = data.get<float>(1);
  float *nearest = data.get<float>(2);
#pragma omp parallel for
  for (int query = 0; query < Queries; query++) {
    float kept[Kept];
    std::fill(kept, kept + Kept, 3e38f);
    for (int point = 0; point < Base; point++) {
      float distance = 0;
#pragma omp simd reduction(+ : distance)
      for (int axis = 0; axis < Axes; axis++) {
        float difference = asked[query * Axes + axis] - all[point * Axes + axis];
        distance += difference * difference;
      }
      if (distance < kept[Kept - 1]) {
        int at = Kept - 1;
        for (; at > 0 && kept[at - 1] > distance; at--)
          kept[at] = kept[at - 1];
        kept[at] = distance;
      }
    }
    std::copy(kept, kept + Kept, nearest + query * Kept);
  }
}

static void particlefilterRun(Data &data) {
  const float *sums = data.get<float>(0), *places = data.get<float>(1), *comb = data.get<float>(2);
  float *drawn = data.get<float>(3);
#pragma omp parallel for
  for (int i = 0; i < Filtered; i++) {
    int index = int(std::lower_bound(sums, sums + Filtered, comb[i]) - sums);
    drawn[i] = places[std::min(index, Filtered - 1)];
  }
}

static void layerRun(Data &data) {
  constexpr int Pitch = Side + 2;
  const float *in = data.get<float>(0), *filters = data.get<float>(1), *biases = data.get<float>(2);
#pragma omp parallel for collapse(2)
  for (int filter = 0; filter < Filters; filter++)
    for (int y = 0; y < Side; y++) {
      float *out = data.get<float>(3) + (filter * Side + y) * Side, sums[Side];
      std::fill(sums, sums + Side, biases[filter]);
      for (int c = 0; c < Channels; c++)
        for (int i = 0; i < 3; i++) {
          const float *row = in + (c * Pitch + y + i) * Pitch,
                      *taps = filters + ((filter * Channels + c) * 3 + i) * 3;
#pragma omp simd
          for (int x = 0; x < Side; x++)
            sums[x] += row[x] * taps[0] + row[x + 1] * taps[1] + row[x + 2] * taps[2];
        }
      for (int x = 0; x < Side; x++)
        out[x] = std::max(sums[x], 0.0f);
    }
}

static void poolRun(Data &data) {
  constexpr int Half = PoolSide / 2;
  const float *in = data.get<float>(0);
  float *out = data.get<float>(1);
#pragma omp parallel for
  for (int row = 0; row < PoolChannels * Half; row++) {
    const float *upper = in + 2 * row * PoolSide, *lower = upper + PoolSide;
#pragma omp simd
    for (int x = 0; x < Half; x++)
      out[row * Half + x] = std::max(std::max(upper[2 * x], upper[2 * x + 1]),
                                     std::max(lower[2 * x], lower[2 * x + 1]));
  }
}

BENCHMARK("backprop", backprop, backpropRun)
BENCHMARK("kmeans_features", kmeans, kmeansFeaturesRun)
BENCHMARK("kmeans_rows", kmeans, kmeansRowsRun)
BENCHMARK("nn", nn, nnRun)
BENCHMARK("streamcluster", streamcluster, streamclusterRun)
BENCHMARK("knn", knn, knnRun)
BENCHMARK("particlefilter", particlefilter, particlefilterRun)
BENCHMARK("convolution_layer", layer, layerRun)
BENCHMARK("max_pool", pool, poolRun)
