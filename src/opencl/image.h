// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images are arrays of CUDA, which kernels read through texture objects and write through a surface
// object. An image of a buffer, or of its rows, is a texture over the buffer's memory.
#pragma once

#include "opencl/memory.h"

#include "base/abi/opencl_image.h"

namespace heddle::cl {

/// A format that images may have.
struct Format {
  CUarray_format element;
  unsigned channels, channelBytes;
  bool isInteger, isSrgb;
  unsigned texelBytes() const { return channels * channelBytes; }
};
bool isImageType(cl_mem_object_type);
/// False if such images cannot have it.
bool findFormat(const cl_image_format &, cl_mem_flags, cl_mem_object_type, Format &);
std::vector<cl_image_format> formatsOf(cl_mem_flags, cl_mem_object_type);

/// What a memory object has that is an image.
struct Image {
  cl_image_format format = {};
  cl_image_desc description = {}; ///< with the pitches that host pointers have
  Format layout = {};
  CUarray array = nullptr;
  HeddleClImage *descriptor = nullptr; ///< in managed memory

  /// Texels along x, y, z as commands count them: layers are along y or z.
  size_t extent(unsigned dimension) const;
  /// Of an image of a buffer's rows: between them.
  size_t rowBytes() const {
    return description.mem_object && description.image_row_pitch
               ? description.image_row_pitch
               : description.image_width * layout.texelBytes();
  }
};

/// A copy between a box and memory with these pitches; 0: none between rows and slices.
CUDA_MEMCPY3D boxToMemory(const _cl_mem &, const ImageBox &, void *to, size_t row, size_t slice);
CUDA_MEMCPY3D memoryToBox(const _cl_mem &, const ImageBox &, const void *from, size_t row,
                          size_t slice);

void destroyImage(_cl_mem &);

} // namespace heddle::cl
