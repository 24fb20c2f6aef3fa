// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's coordinates in an array, as loops over their few dimensions are written; no pragma asks to unroll.
__global__ void nearest(int points, const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float mine[8], least = 1e30f;
  for (int d = 0; d < 8; ++d)
    mine[d] = in[d * points + i];
  for (int other = 0; other < points; ++other) {
    float distance = 0;
    for (int d = 0; d < 8; ++d)
      distance += (mine[d] - in[d * points + other]) * (mine[d] - in[d * points + other]);
    least = distance < least && other != i ? distance : least;
  }
  out[i] = least;
}
