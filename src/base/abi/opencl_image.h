// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an argument of type image*_t points to: made by src/opencl, read by src/devlib/opencl/images.cl. For
// C, C++ and OpenCL C. A kernel is compiled for the formats of its images (frontend/opencl/specialize.cpp):
// there, the four words of the format are constants.
#ifndef HEDDLE_BASE_ABI_OPENCL_IMAGE_H
#define HEDDLE_BASE_ABI_OPENCL_IMAGE_H

struct HeddleClImage {
  unsigned order, type;          ///< CL_RGBA, ..., CL_UNORM_INT8, ...
  unsigned texelBytes, channels; ///< these end the format
  unsigned width, height, depth, layers;
  unsigned long data, rowBytes, sliceBytes; ///< the texels; slices are also layers
  unsigned long surface;                    ///< of the array that has them; 0: a buffer has them
  unsigned long texture;                    ///< of sRGB: one that knows its table
};

#endif
