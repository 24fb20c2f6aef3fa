// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "raytrace.h"

#include <cmath>

using namespace raytrace;

static void run(bench::Data &data) {
  const Sphere *spheres = data.get<Sphere>(0);
  unsigned char *image = data.get<unsigned char>(1);
#pragma omp parallel for
  for (int y = 0; y < Height; ++y)
    for (int x = 0; x < Width; ++x) {
      float ox = x - Width / 2, oy = y - Height / 2;
      float red = 0, green = 0, blue = 0, nearest = -1e30f;
      for (int i = 0; i < Spheres; ++i) {
        float dx = ox - spheres[i].x, dy = oy - spheres[i].y, radius = spheres[i].radius;
        float inside = radius * radius - dx * dx - dy * dy;
        if (inside > 0) {
          float dz = std::sqrt(inside), z = dz + spheres[i].z, shade = dz / radius;
          if (z > nearest) {
            nearest = z;
            red = spheres[i].red * shade;
            green = spheres[i].green * shade;
            blue = spheres[i].blue * shade;
          }
        }
      }
      unsigned char *pixel = image + 4 * (y * Width + x);
      pixel[0] = int(red * 255);
      pixel[1] = int(green * 255);
      pixel[2] = int(blue * 255);
      pixel[3] = 255;
    }
}

BENCHMARK("raytrace", problem, run)
