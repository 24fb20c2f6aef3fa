// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__device__ int factor = 3;
__device__ int callee(int x) { return factor * x; }
