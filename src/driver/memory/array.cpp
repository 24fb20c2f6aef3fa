// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA arrays: how they are made and freed. The functions are in array_functions.cpp.
#include "driver/memory/array.h"

#include "driver/memory/array_pages.h"

#include "driver/boards/board.h"
#include "driver/streams/stream.h"

#include <algorithm>
#include <bit>
#include <string>

namespace heddle::driver {

using device::cpu::MemoryKind;

namespace {

constexpr unsigned ArrayFlags = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap |
                                cudaArrayTextureGather | CUDA_ARRAY3D_VIDEO_ENCODE_DECODE |
                                LateFlags; // video is as good in any array

/// Memory that comes later is for arrays of two dimensions, layers of them, and of three.
bool areValidLateFlags(const cudaExtent &e, unsigned flags) {
  return !(flags & LateFlags) ||
         ((flags & LateFlags) != LateFlags && e.height && !(flags & cudaArrayCubemap));
}

bool within(size_t value, int limit) { return value <= static_cast<size_t>(limit); }

/// The table of cudaMalloc3DArray in the manual.
bool isValidExtent(const cudaDeviceProp &p, const cudaExtent &e, unsigned flags) {
  if (!e.width)
    return false;
  if (flags & cudaArrayTextureGather &&
      (!e.height || e.depth || !within(e.width, p.maxTexture2DGather[0]) ||
       !within(e.height, p.maxTexture2DGather[1])))
    return false;
  if (flags & cudaArrayCubemap) {
    const bool layered = flags & cudaArrayLayered;
    return e.width == e.height && (layered ? e.depth && e.depth % 6 == 0 : e.depth == 6) &&
           within(e.width, layered ? p.maxTextureCubemapLayered[0] : p.maxTextureCubemap) &&
           (!layered || within(e.depth, p.maxTextureCubemapLayered[1]));
  }
  if (flags & cudaArrayLayered) {
    if (!e.depth)
      return false;
    return e.height ? within(e.width, p.maxTexture2DLayered[0]) &&
                          within(e.height, p.maxTexture2DLayered[1]) &&
                          within(e.depth, p.maxTexture2DLayered[2])
                    : within(e.width, p.maxTexture1DLayered[0]) &&
                          within(e.depth, p.maxTexture1DLayered[1]);
  }
  if (e.depth)
    return e.height &&
           ((within(e.width, p.maxTexture3D[0]) && within(e.height, p.maxTexture3D[1]) &&
             within(e.depth, p.maxTexture3D[2])) ||
            (within(e.width, p.maxTexture3DAlt[0]) && within(e.height, p.maxTexture3DAlt[1]) &&
             within(e.depth, p.maxTexture3DAlt[2])));
  if (e.height)
    return within(e.width, p.maxTexture2D[0]) && within(e.height, p.maxTexture2D[1]);
  return within(e.width, p.maxTexture1D);
}

std::unique_ptr<cudaArray> describe(const cudaChannelFormatDesc &format, const cudaExtent &extent,
                                    unsigned flags) {
  auto array = std::make_unique<cudaArray>();
  array->format = format;
  array->extent = extent;
  array->flags = flags;
  array->device = currentContext().index;
  array->elementBytes = texelBytes(format);
  array->rowBytes = extent.width * array->elementBytes;
  array->rows = std::max<size_t>(1, extent.height);
  array->slices = std::max<size_t>(1, extent.depth);
  array->pitch = array->rowBytes;
  array->sliceBytes = array->rowBytes * array->rows;
  return array;
}

CUresult check(const cudaChannelFormatDesc &format, const cudaExtent &extent, unsigned flags) {
  if (flags & ~ArrayFlags || !areValidLateFlags(extent, flags))
    return CUDA_ERROR_INVALID_VALUE;
  if (const char *compression = compressionOf(format)) {
    reportFailure("CUDA arrays", std::string("the format ") + compression + " is not supported");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  if (!isValidFormat(format))
    return CUDA_ERROR_INVALID_VALUE;
  return isValidExtent(currentContext().board->properties, extent, flags)
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

/// With the table's mutex held, for a destroyed array: its handle is not given out again at once, and
/// so is recognised.
template <typename T> void retire(MemoryTable &table, T *array) {
  constexpr size_t Most = 64;
  table.retired.emplace_back(std::shared_ptr<T>(array));
  if (table.retired.size() > Most)
    table.retired.pop_front();
}

void keep(cudaArray_const_t array) {
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  table.arrays.insert(array);
}

std::vector<cudaArray *> levelsOf(const cudaMipmappedArray &mipmap) {
  std::vector<cudaArray *> levels;
  for (auto &level : mipmap.levels)
    levels.push_back(level.get());
  return levels;
}

cudaExtent levelExtent(const cudaExtent &e, unsigned level, unsigned flags) {
  auto half = [&](size_t n) { return n ? std::max<size_t>(1, n >> level) : 0; };
  const bool layers = flags & (cudaArrayLayered | cudaArrayCubemap);
  return {half(e.width), half(e.height), layers ? e.depth : half(e.depth)};
}

} // namespace

CUresult makeArray(CUarray &out, const cudaChannelFormatDesc &format, const cudaExtent &extent,
                   unsigned flags) {
  if (CUresult error = check(format, extent, flags))
    return error;
  auto array = describe(format, extent, flags);
  if (flags & LateFlags)
    array->pages = placeLater({array.get()});
  else
    array->data = static_cast<uint8_t *>(
        takeMemory(currentContext(), array->bytes(), MemoryKind::Device, {Owner::Array}));
  if (!array->data)
    return CUDA_ERROR_OUT_OF_MEMORY;
  keep(array.get());
  out = reinterpret_cast<CUarray>(array.release());
  return CUDA_SUCCESS;
}

CUresult makeMipmapped(CUmipmappedArray &out, const cudaChannelFormatDesc &format,
                       const cudaExtent &extent, unsigned levels, unsigned flags,
                       const TakeBytes &take) {
  if (CUresult error = check(format, extent, flags))
    return error;
  const bool layers = flags & (cudaArrayLayered | cudaArrayCubemap);
  const size_t longest = std::max({extent.width, extent.height, layers ? 0 : extent.depth});
  levels = std::clamp(levels, 1u, static_cast<unsigned>(std::bit_width(longest)));
  auto mipmap = std::make_unique<cudaMipmappedArray>();
  size_t bytes = 0;
  for (unsigned level = 0; level < levels; ++level) {
    mipmap->levels.push_back(describe(format, levelExtent(extent, level, flags), flags));
    bytes += (mipmap->levels.back()->bytes() + 255) / 256 * 256;
  }
  mipmap->device = currentContext().index;
  if (flags & LateFlags) {
    mipmap->pages = placeLater(levelsOf(*mipmap));
    if (!mipmap->pages)
      return CUDA_ERROR_OUT_OF_MEMORY;
  } else {
    if (CUresult error = take(bytes, mipmap->data))
      return error;
    uint8_t *next = mipmap->data;
    for (auto &level : mipmap->levels) {
      level->data = next;
      next += (level->bytes() + 255) / 256 * 256;
    }
  }
  for (auto &level : mipmap->levels) {
    level->mipmap = mipmap.get();
    keep(level.get());
  }
  out = reinterpret_cast<CUmipmappedArray>(mipmap.get());
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  table.mipmaps.insert(mipmap.release());
  return CUDA_SUCCESS;
}

CUresult makeMipmapped(CUmipmappedArray &out, const cudaChannelFormatDesc &format,
                       const cudaExtent &extent, unsigned levels, unsigned flags) {
  return makeMipmapped(
      out, format, extent, levels, flags, [](size_t bytes, uint8_t *&data) -> CUresult {
        data = static_cast<uint8_t *>(
            takeMemory(currentContext(), bytes, MemoryKind::Device, {Owner::Array}));
        return data ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
      });
}

CUresult freeArray(cudaArray_t array) {
  if (!isArray(array) || array->mipmap)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = synchronizeDevice(contextAt(array->device)))
    return error;
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  if (!table.arrays.erase(array))
    return CUDA_ERROR_INVALID_VALUE;
  const auto pages = std::move(array->pages); // goes without the lock
  uint8_t *data = array->data;
  retire(table, array);
  lock.unlock();
  if (!pages)
    giveMemory(data, MemoryKind::Device, Owner::Array);
  return CUDA_SUCCESS;
}

CUresult freeMipmapped(cudaMipmappedArray_t mipmap) {
  if (!isMipmap(mipmap))
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = synchronizeDevice(contextAt(mipmap->device)))
    return error;
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  if (!table.mipmaps.erase(mipmap))
    return CUDA_ERROR_INVALID_VALUE;
  for (auto &level : mipmap->levels)
    table.arrays.erase(level.get());
  const auto pages = std::move(mipmap->pages); // goes without the lock
  uint8_t *data = mipmap->data;
  retire(table, mipmap);
  lock.unlock();
  if (!pages && !giveMemory(data, MemoryKind::Device, Owner::Array))
    giveMemory(data, MemoryKind::Device, Owner::External);
  return CUDA_SUCCESS;
}

bool isArray(cudaArray_const_t array) {
  MemoryTable &table = memoryTable();
  std::shared_lock lock(table.mutex);
  return array && table.arrays.count(array) != 0;
}

bool isMipmap(cudaMipmappedArray_const_t mipmap) {
  MemoryTable &table = memoryTable();
  std::shared_lock lock(table.mutex);
  return table.mipmaps.count(const_cast<cudaMipmappedArray_t>(mipmap)) != 0;
}

/// Their memory goes with all memory of the device; here go the objects.
void resetArrays(Context &device) {
  std::vector<std::shared_ptr<ArrayPages>> gone; // without the lock
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  std::erase_if(table.arrays, [&](cudaArray_const_t array) {
    if (array->device != device.index)
      return false;
    if (array->mipmap)
      return true;
    auto *own = const_cast<cudaArray_t>(array);
    gone.push_back(std::move(own->pages));
    retire(table, own);
    return true;
  });
  std::erase_if(table.mipmaps, [&](cudaMipmappedArray_t mipmap) {
    if (mipmap->device != device.index)
      return false;
    gone.push_back(std::move(mipmap->pages));
    retire(table, mipmap);
    return true;
  });
}

} // namespace heddle::driver
