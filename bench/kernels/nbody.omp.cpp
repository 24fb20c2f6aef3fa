// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nbody.h"

#include <cmath>

namespace {
struct Body {
  float x, y, z, w;
};
} // namespace

static void run(bench::Data &data) {
  const Body *bodies = data.get<Body>(0);
  Body *accelerations = data.get<Body>(1);
#pragma omp parallel for
  for (int i = 0; i < nbody::N; ++i) {
    Body me = bodies[i];
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < nbody::N; ++j) {
      float dx = bodies[j].x - me.x, dy = bodies[j].y - me.y, dz = bodies[j].z - me.z;
      float inverse = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + nbody::Softening);
      float force = bodies[j].w * inverse * inverse * inverse;
      ax += dx * force;
      ay += dy * force;
      az += dz * force;
    }
    accelerations[i] = {ax, ay, az, 0};
  }
}

BENCHMARK("nbody", nbody::problem, run)
