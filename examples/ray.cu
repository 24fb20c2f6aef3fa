// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s %t.png
//
// Illustrates: course "GPU Programming", sections 5.5 and 5.6 (ray tracing with constant memory).
//
// The same picture, but the spheres lie in constant memory: all threads of a warp read the same
// sphere at the same time, and one read serves them all. Use: ray [picture.png [size]]
#include "scene.h"

__constant__ Sphere scene[Spheres];

__global__ void trace(uchar4 *pixels, int size) {
  int x = threadIdx.x + blockIdx.x * blockDim.x;
  int y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x < size && y < size)
    pixels[x + y * size] = tracePixel(scene, x, y, size);
}

static void run(int size, const char *path) {
  std::vector<Sphere> spheres = randomScene(size, 31);
  EventTimer timer;
  CUDA_CHECK(cudaMemcpyToSymbol(scene, spheres.data(), sizeof(Sphere) * Spheres));
  uchar4 *pixels = zerosOnDevice<uchar4>(size_t(size) * size);
  int blocks = (size + 31) / 32;
  trace<<<dim3(blocks, blocks), dim3(32, 32)>>>(pixels, size);
  std::vector<uchar4> picture = toHost(pixels, size_t(size) * size);
  std::printf("time: %.3f ms\n", timer.milliseconds());
  CUDA_CHECK(cudaFree(pixels));
  checkPicture(picture, spheres, size);
  if (path)
    savePicture(path, picture, size);
}

int main(int argc, char **argv) {
  for (int size : {33, 256, 500})
    run(size, nullptr);
  run(argc > 2 ? std::atoi(argv[2]) : 1024, argc > 1 ? argv[1] : "ray.png");
  return exitCode();
}
