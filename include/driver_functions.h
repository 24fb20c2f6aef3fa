// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// make_cudaExtent and its like, for C and C++.
#ifndef HEDDLE_DRIVER_FUNCTIONS_H
#define HEDDLE_DRIVER_FUNCTIONS_H
#define __DRIVER_FUNCTIONS_H__

#include "driver_types.h"

static __inline__ __host__ struct cudaPitchedPtr make_cudaPitchedPtr(void *ptr, size_t pitch,
                                                                     size_t xsize, size_t ysize) {
  struct cudaPitchedPtr s;
  s.ptr = ptr, s.pitch = pitch, s.xsize = xsize, s.ysize = ysize;
  return s;
}
static __inline__ __host__ struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
  struct cudaPos p;
  p.x = x, p.y = y, p.z = z;
  return p;
}
static __inline__ __host__ struct cudaExtent make_cudaExtent(size_t width, size_t height,
                                                             size_t depth) {
  struct cudaExtent e;
  e.width = width, e.height = height, e.depth = depth;
  return e;
}

#endif
