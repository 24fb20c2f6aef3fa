// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
template <typename T> __global__ void fill(T *p, T value) { p[threadIdx.x] = value; }

template <typename T> void launchFill(T *p, T value) {
  fill<T> << < 1, 64 >> >
    (p, value);
}
