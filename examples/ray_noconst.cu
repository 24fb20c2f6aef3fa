// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s %t.png
//
// Illustrates: course "GPU Programming", section 5.4 (ray tracing without constant memory).
//
// A thread per pixel sends one ray into a scene of 20 spheres, which lies in global memory.
// Use: ray_noconst [picture.png [size]]
#include "scene.h"

__global__ void trace(const Sphere *spheres, uchar4 *pixels, int size) {
  int x = threadIdx.x + blockIdx.x * blockDim.x;
  int y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x < size && y < size)
    pixels[x + y * size] = tracePixel(spheres, x, y, size);
}

static void run(int size, const char *path) {
  std::vector<Sphere> spheres = randomScene(size, 31);
  EventTimer timer;
  Sphere *scene = toDevice(spheres);
  uchar4 *pixels = zerosOnDevice<uchar4>(size_t(size) * size);
  int blocks = (size + 31) / 32;
  trace<<<dim3(blocks, blocks), dim3(32, 32)>>>(scene, pixels, size);
  std::vector<uchar4> picture = toHost(pixels, size_t(size) * size);
  std::printf("time: %.3f ms\n", timer.milliseconds());
  CUDA_CHECK(cudaFree(scene));
  CUDA_CHECK(cudaFree(pixels));
  checkPicture(picture, spheres, size);
  if (path)
    savePicture(path, picture, size);
}

int main(int argc, char **argv) {
  for (int size : {33, 256, 500})
    run(size, nullptr);
  run(argc > 2 ? std::atoi(argv[2]) : 1024, argc > 1 ? argv[1] : "ray_noconst.png");
  return exitCode();
}
