// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scene of the two ray tracing examples: spheres, their intersection with a ray, and the
// picture that plain C++ makes of them.
//
// All coordinates are whole numbers, so that sums of products are exact with and without fused
// multiply-add and every machine computes the same picture.
#pragma once

#include "common.h"
#include "png.h"

constexpr int Spheres = 20;

struct Sphere {
  float red, green, blue;
  float radius;
  float x, y, z;

  /// A ray through (rayX, rayY) along the z axis: the z of the nearest hit, or minus infinity.
  /// `shade` is the cosine between ray and surface normal: 1 in the middle of the sphere, 0 at its
  /// edge.
  __host__ __device__ float hit(float rayX, float rayY, float *shade) const {
    float dx = rayX - x, dy = rayY - y;
    float inside = radius * radius - dx * dx - dy * dy;
    if (!(inside > 0))
      return -INFINITY;
    float dz = sqrtf(inside);
    *shade = dz / radius;
    return z + dz;
  }
};

/// The colour that the ray of pixel (x, y) of a square picture sees: the sphere nearest to the eye.
__host__ __device__ inline uchar4 tracePixel(const Sphere *spheres, int x, int y, int size) {
  float rayX = float(x - size / 2), rayY = float(y - size / 2);
  float red = 0, green = 0, blue = 0, nearest = -INFINITY;
  for (int i = 0; i < Spheres; ++i) {
    float shade;
    float z = spheres[i].hit(rayX, rayY, &shade);
    if (z > nearest) {
      nearest = z;
      red = spheres[i].red * shade;
      green = spheres[i].green * shade;
      blue = spheres[i].blue * shade;
    }
  }
  return make_uchar4((unsigned char)(red * 255), (unsigned char)(green * 255),
                     (unsigned char)(blue * 255), 255);
}

/// Random spheres in a cube that fills a picture of `size` pixels.
inline std::vector<Sphere> randomScene(int size, uint32_t seed) {
  Random random(seed);
  std::vector<Sphere> spheres(Spheres);
  for (Sphere &sphere : spheres) {
    sphere.red = 0.25f + 0.75f * random.unit();
    sphere.green = 0.25f + 0.75f * random.unit();
    sphere.blue = 0.25f + 0.75f * random.unit();
    sphere.x = float(random.integer(-size / 2, size / 2));
    sphere.y = float(random.integer(-size / 2, size / 2));
    sphere.z = float(random.integer(-size / 2, size / 2));
    sphere.radius = float(random.integer(size / 40 + 1, size / 8 + 1));
  }
  return spheres;
}

/// Compares the device's picture with the host's.
inline void checkPicture(const std::vector<uchar4> &got, const std::vector<Sphere> &spheres,
                         int size) {
  size_t different = 0, covered = 0;
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x) {
      uchar4 g = got[size_t(y) * size + x], w = tracePixel(spheres.data(), x, y, size);
      different += g.x != w.x || g.y != w.y || g.z != w.z || g.w != w.w;
      covered += (w.x | w.y | w.z) != 0;
    }
  check(different == 0 && covered > 0, "picture of %d x %d pixels, %zu on spheres", size, size,
        covered);
}

/// Writes the picture to `path`, if there is one.
inline void savePicture(const char *path, const std::vector<uchar4> &pixels, int size) {
  Image image(size, size);
  for (size_t i = 0; i < pixels.size(); ++i) {
    image.rgb[3 * i] = pixels[i].x;
    image.rgb[3 * i + 1] = pixels[i].y;
    image.rgb[3 * i + 2] = pixels[i].z;
  }
  check(writePng(path, image), "picture written");
}
