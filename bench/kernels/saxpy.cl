// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void saxpy(int n, float a, global const float *x, global const float *z, global float *y) {
  int i = get_global_id(0);
  if (i < n)
    y[i] = a * x[i] + z[i];
}
