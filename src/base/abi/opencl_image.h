// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an argument of type image*_t points to: made by src/opencl, read by src/devlib/opencl/images.cl. For
// C, C++ and OpenCL C. OpenCL joins an image with a sampler where it reads, CUDA where a texture object is
// made: so an image has a texture object for each sampler.
#ifndef HEDDLE_BASE_ABI_OPENCL_IMAGE_H
#define HEDDLE_BASE_ABI_OPENCL_IMAGE_H

/// A sampler's number: clang's bits, CLK_ADDRESS_* (0, 2, ..., 8), CLK_NORMALIZED_COORDS_TRUE (1),
/// CLK_FILTER_LINEAR (0x20).
#define HEDDLE_CL_SAMPLERS 20
#define HEDDLE_CL_SAMPLER_INDEX(bits) ((((bits) >> 1 & 7) % 5) * 4 + ((bits)&1) * 2 + ((bits) >> 5 & 1))

struct HeddleClImage {
  unsigned long textures[HEDDLE_CL_SAMPLERS];
  unsigned long surface;
  unsigned long data, rowBytes; ///< of an image of a buffer: its texels
  unsigned order, type; ///< CL_RGBA, ..., CL_UNORM_INT8, ...
  unsigned width, height, depth, layers;
  unsigned texelBytes, channels;
};

#endif
