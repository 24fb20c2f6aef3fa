// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define SPHERES 64

typedef struct {
  float x, y, z, radius, red, green, blue, unused;
} Sphere;

kernel void raytrace(int width, int height, constant Sphere *spheres, global uchar4 *image) {
  int x = get_global_id(0), y = get_global_id(1);
  float ox = x - width / 2, oy = y - height / 2;
  float red = 0, green = 0, blue = 0, nearest = -1e30f;
  for (int i = 0; i < SPHERES; ++i) {
    float dx = ox - spheres[i].x, dy = oy - spheres[i].y, radius = spheres[i].radius;
    float inside = radius * radius - dx * dx - dy * dy;
    if (inside > 0) {
      float dz = sqrt(inside), z = dz + spheres[i].z, shade = dz / radius;
      if (z > nearest) {
        nearest = z;
        red = spheres[i].red * shade;
        green = spheres[i].green * shade;
        blue = spheres[i].blue * shade;
      }
    }
  }
  image[y * width + x] = (uchar4)((int)(red * 255), (int)(green * 255), (int)(blue * 255), 255);
}
