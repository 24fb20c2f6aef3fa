// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void stencil5(int n, global const float *in, global float *out) {
  int x = get_global_id(0), y = get_global_id(1);
  int i = y * n + x;
  if (x > 0 && x < n - 1 && y > 0 && y < n - 1)
    out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
  else if (x < n && y < n)
    out[i] = in[i];
}
