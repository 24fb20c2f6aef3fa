// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// K-means, three rounds: each point finds its nearest centre and is added to that centre's sum, in
// shared memory first, by atomics; then the centres move. Coordinates lie in planes. Items are
// points times rounds.
#pragma once

#include "../harness/bench.h"

namespace kmeans {
constexpr int Points = 1 << 18, Dimensions = 8, Centres = 16, Rounds = 3;
constexpr int Block = 256;
constexpr int Cells = Centres * (Dimensions + 1); // of the sums: a centre's coordinates, then how many points

/// Points around 16 places, and the first centres.
inline bench::Problem problem() {
  bench::Problem problem{bench::Unit::Items, double(Points) * Rounds};
  problem.tolerance = 1e-3;
  bench::Random random(7);
  std::vector<float> places = bench::randomFloats(Centres * Dimensions, 0, 10, 8);
  std::vector<float> points(size_t(Points) * Dimensions), centres(places);
  for (int i = 0; i < Points; ++i) {
    int place = random.next() % Centres;
    for (int d = 0; d < Dimensions; ++d)
      points[size_t(d) * Points + i] = places[place * Dimensions + d] + random.uniform(-2, 2);
  }
  for (float &coordinate : centres)
    coordinate += random.uniform(-1, 1);
  return problem.input(points)
      .input(centres)
      .output<float>(Centres * Dimensions)
      .output<int>(Points)
      .scratch<float>(Cells);
}
} // namespace kmeans
