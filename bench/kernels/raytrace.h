// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spheres seen along the z axis: each pixel takes the shade of the nearest sphere that its ray
// hits. The scene is in constant memory (CUDA, OpenCL), all threads read the same sphere at the
// same time. Items are rays times spheres.
#pragma once

#include "../harness/bench.h"

namespace raytrace {
constexpr int Width = 1024, Height = 1024, Spheres = 64;

struct Sphere {
  float x, y, z, radius, red, green, blue, unused;
};

inline std::vector<float> scene() {
  bench::Random random(7);
  std::vector<float> values;
  for (int i = 0; i < Spheres; ++i)
    for (float value : {random.uniform(-512, 512), random.uniform(-512, 512), random.uniform(-512, 512),
                        random.uniform(20, 120), random.uniform(0, 1), random.uniform(0, 1),
                        random.uniform(0, 1), 0.0f})
      values.push_back(value);
  return values;
}

inline bench::Problem problem() {
  bench::Problem problem{bench::Unit::Items, double(Width) * Height * Spheres};
  problem.tolerance = 5e-3; // a byte may round the other way
  return problem.input(scene()).output<unsigned char>(4 * Width * Height);
}
} // namespace raytrace
