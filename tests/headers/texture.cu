// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A texture function is refused by name; host code may still create the object.
// RUN: not %nvcc -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: 'tex2D<float, {{.*}}>' is unavailable: textures and surfaces are not in this version of Heddle
__global__ void k(cudaTextureObject_t t, float *out) { *out = tex2D<float>(t, 1, 2); }
