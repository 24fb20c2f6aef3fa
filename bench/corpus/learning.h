// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers and clusters: backprop, k-means with points feature by feature and point by point, nearest
// neighbours, the gain of a new centre (streamcluster), a particle filter's steps, a convolution
// layer, pooling.
#pragma once

#include "corpus.h"

namespace learning {
using namespace corpus;
using bench::Problem;

constexpr int Inputs = 16411, Hidden = 16;                     // backprop
constexpr int Points = 20011, Features = 21, Centres = 7;      // kmeans
constexpr int Records = 300007;                                // nn
constexpr int Dimensions = 31, Opened = 24;                    // streamcluster
constexpr int Queries = 151, Base = 2003, Axes = 11, Kept = 5; // knn
constexpr int Filtered = 1999;                                 // particlefilter
constexpr int Channels = 8, Filters = 12, Side = 59;           // convolution layer
constexpr int PoolSide = 500, PoolChannels = 6;

/// Inputs, weights (Inputs x Hidden), errors of the hidden units; their outputs, the weights
/// adjusted.
inline Problem backprop() {
  return items(2.0 * Inputs * Hidden, floatError(2 * Inputs))
      .input(randomFloats(Inputs, 0, 1, 1))
      .input(randomFloats(Inputs * Hidden, -0.02f, 0.02f, 2))
      .input(randomFloats(Hidden, -1, 1, 3))
      .scratch<float>((Inputs + 15) / 16 * Hidden)
      .output<float>(Hidden)
      .output<float>(Inputs * Hidden);
}
/// Points (either way round), centres, the nearest of each point.
inline Problem kmeans() {
  return items(double(Points) * Features * Centres, 0.001)
      .input(randomFloats(Points * Features, 0, 1, 1))
      .input(randomFloats(Centres * Features, 0, 1, 2))
      .output<int>(Points);
}
/// Latitude and longitude of each record, distances.
inline Problem nn() {
  return items(Records, floatError(10))
      .input(randomFloats(Records * 2, 0, 90, 1))
      .output<float>(Records);
}
/// Points (dimension by dimension), weights, index and cost of each one's centre, what a new centre
/// saves: of points that change, and of each centre.
inline Problem streamcluster() {
  return items(double(Points) * Dimensions, floatError(2000))
      .input(randomFloats(Points * Dimensions, 0, 1, 1))
      .input(randomFloats(Points, 0.5f, 1, 2))
      .input(randomInts(Points, Opened, 3))
      .input(randomFloats(Points, 2, 8, 4))
      .output<float>(Points)
      .output<float>(Opened);
}
/// Queries, base, distances of the nearest of each query, in order.
inline Problem knn() {
  return items(double(Queries) * Base * Axes, floatError(2 * Axes))
      .input(randomFloats(Queries * Axes, 0, 1, 1))
      .input(randomFloats(Base * Axes, 0, 1, 2))
      .output<float>(Queries * Kept);
}
/// Weights' sums (rising to 1), places, positions of the comb, places drawn.
inline Problem particlefilter() {
  std::vector<float> weights = randomFloats(Filtered, 0.1f, 1, 1), comb(Filtered);
  double sum = 0, running = 0;
  for (float weight : weights)
    sum += weight;
  for (float &weight : weights)
    weight = float((running += weight) / sum);
  for (int i = 0; i < Filtered; ++i)
    comb[i] = (i + 0.37f) / Filtered;
  return items(double(Filtered) * Filtered / 2, 0)
      .input(weights)
      .input(randomFloats(Filtered, 0, 100, 2))
      .input(comb)
      .output<float>(Filtered);
}
/// Planes with a rim of one, filters (Filters x Channels x 3 x 3), biases, planes.
inline Problem layer() {
  return items(9.0 * Filters * Channels * Side * Side, floatError(18 * Channels))
      .input(randomFloats(Channels * (Side + 2) * (Side + 2), -1, 1, 1))
      .input(randomFloats(Filters * Channels * 9, -1, 1, 2))
      .input(randomFloats(Filters, -1, 1, 3))
      .output<float>(Filters * Side * Side);
}
/// Planes, planes of half the side.
inline Problem pool() {
  return items(double(PoolChannels) * PoolSide * PoolSide, 0)
      .input(randomFloats(PoolChannels * PoolSide * PoolSide, -1, 1, 1))
      .output<float>(PoolChannels * (PoolSide / 2) * (PoolSide / 2));
}
} // namespace learning
