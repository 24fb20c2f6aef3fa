// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "raytrace.h"

using namespace raytrace;

__constant__ Sphere spheres[Spheres];

__global__ static void raytraceKernel(int width, int height, uchar4 *image) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float ox = x - width / 2, oy = y - height / 2;
  float red = 0, green = 0, blue = 0, nearest = -1e30f;
  for (int i = 0; i < Spheres; ++i) {
    float dx = ox - spheres[i].x, dy = oy - spheres[i].y, radius = spheres[i].radius;
    float inside = radius * radius - dx * dx - dy * dy;
    if (inside > 0) {
      float dz = sqrtf(inside), z = dz + spheres[i].z, shade = dz / radius;
      if (z > nearest) {
        nearest = z;
        red = spheres[i].red * shade;
        green = spheres[i].green * shade;
        blue = spheres[i].blue * shade;
      }
    }
  }
  image[y * width + x] = make_uchar4(int(red * 255), int(green * 255), int(blue * 255), 255);
}

/// The scene goes to constant memory with every image; it is 2 KB.
static void run(bench::Data &data) {
  cudaMemcpyToSymbolAsync(spheres, data.arrays[0], sizeof(Sphere) * Spheres, 0, cudaMemcpyDeviceToDevice);
  raytraceKernel<<<dim3(Width / 16, Height / 16), dim3(16, 16)>>>(Width, Height, data.get<uchar4>(1));
}

BENCHMARK("raytrace", problem, run)
