// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void mandelbrot(int width, int height, int limit, global int *counts) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height)
    return;
  float cx = -2.0f + 3.0f * x / width, cy = -1.125f + 2.25f * y / height;
  float zx = 0, zy = 0;
  int count = 0;
  while (count < limit && zx * zx + zy * zy < 4.0f) {
    float next = zx * zx - zy * zy + cx;
    zy = 2 * zx * zy + cy;
    zx = next;
    ++count;
  }
  counts[y * width + x] = count;
}
