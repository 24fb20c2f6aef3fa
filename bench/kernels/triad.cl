// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void triad(int n, global const float *b, global const float *c, global float *a) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    a[i] = b[i] + 3.0f * c[i];
}
