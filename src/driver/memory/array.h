// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/memory/channel_format.h"
#include "driver/memory/memory.h"

#include <functional>
#include <memory>
#include <vector>

namespace heddle::driver {
class ArrayPages; ///< array_pages.h
}

/// What cudaArray_t points to. A GPU lays arrays out in tiles that no program can see; here rows
/// lie one after the other without gaps. `extent` is as the program gave it, with zeros for
/// dimensions that it does not have; rows and slices count at least one.
struct cudaArray {
  cudaChannelFormatDesc format;
  cudaExtent extent;
  unsigned flags;
  int device;
  size_t elementBytes, rowBytes, rows, slices;
  size_t pitch, sliceBytes; ///< distances; only arrays that get their memory later have gaps
  uint8_t *data;
  const cudaMipmappedArray *mipmap;                  ///< of which it is a level; null: its own
  std::shared_ptr<heddle::driver::ArrayPages> pages; ///< if it gets its memory later
  size_t bytes() const { return rowBytes * rows * slices; }
  /// Layers, cubes of a layered cubemap; 1 if it has none.
  size_t layers() const {
    return !(flags & cudaArrayLayered) ? 1 : flags & cudaArrayCubemap ? slices / 6 : slices;
  }
  /// Coordinates that a texture of it has, cubemaps aside.
  int dimensions() const {
    return extent.height == 0                                                   ? 1
           : extent.depth == 0 || flags & (cudaArrayLayered | cudaArrayCubemap) ? 2
                                                                                : 3;
  }
};

struct cudaMipmappedArray {
  int device;
  uint8_t *data;
  std::vector<std::unique_ptr<cudaArray>> levels;
  std::shared_ptr<heddle::driver::ArrayPages> pages; ///< if they get their memory later
};

namespace heddle::driver {

bool isArray(cudaArray_const_t);
bool isMipmap(cudaMipmappedArray_const_t);

/// Such an array gets its memory later (array_pages.h).
inline constexpr unsigned LateFlags = cudaArraySparse | cudaArrayDeferredMapping;

/// An array on the current device. Errors: CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NOT_SUPPORTED for
/// compressed formats, CUDA_ERROR_OUT_OF_MEMORY.
CUresult makeArray(CUarray &, const cudaChannelFormatDesc &, const cudaExtent &, unsigned flags);
/// Finds memory for that many bytes.
using TakeBytes = std::function<CUresult(size_t bytes, uint8_t *&data)>;
/// A mipmapped array on the current device in the memory that `take` finds. Its levels lie there
/// one after the other, each from a multiple of 256 bytes on. Errors: makeArray's, and `take`'s.
CUresult makeMipmapped(CUmipmappedArray &, const cudaChannelFormatDesc &, const cudaExtent &,
                       unsigned levels, unsigned flags, const TakeBytes &take);
/// The same in memory of its own.
CUresult makeMipmapped(CUmipmappedArray &, const cudaChannelFormatDesc &, const cudaExtent &,
                       unsigned levels, unsigned flags);
/// After the work of its context. Error: CUDA_ERROR_INVALID_VALUE for what is none, or a level.
CUresult freeArray(cudaArray_t);
CUresult freeMipmapped(cudaMipmappedArray_t);

} // namespace heddle::driver
