// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA arrays: creation, and what is asked of them. Copies are in array_copy.cpp.
#include "driver/memory/array.h"

#include "driver/boards/board.h"
#include "driver/streams/stream.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

namespace heddle::driver {

using device::cpu::MemoryKind;

namespace {

constexpr unsigned ArrayFlags =
    cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;

bool within(size_t value, int limit) { return value <= static_cast<size_t>(limit); }

/// The table of cudaMalloc3DArray in the manual.
bool isValidExtent(const cudaDeviceProp &p, const cudaExtent &e, unsigned flags) {
  if (!e.width)
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
  return array;
}

CUresult check(const cudaChannelFormatDesc *format, const cudaExtent &extent, unsigned flags) {
  if (!format || flags & ~ArrayFlags)
    return CUDA_ERROR_INVALID_VALUE;
  if (const char *compression = compressionOf(*format)) {
    reportFailure("CUDA arrays", std::string("the format ") + compression + " is not supported");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  if (format->f == cudaChannelFormatKindNV12)
    return CUDA_ERROR_INVALID_VALUE;
  if (!isValidFormat(*format))
    return CUresult(cudaErrorInvalidChannelDescriptor);
  return isValidExtent(currentContext().board->properties, extent, flags)
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

void keep(cudaArray_const_t array) {
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  table.arrays.insert(array);
}

CUresult makeArray(cudaArray_t *out, const cudaChannelFormatDesc *format, const cudaExtent &extent,
                   unsigned flags) {
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = check(format, extent, flags))
    return error;
  auto array = describe(*format, extent, flags);
  array->data = static_cast<uint8_t *>(
      takeMemory(currentContext(), array->bytes(), MemoryKind::Device, {Owner::Array}));
  if (!array->data)
    return CUDA_ERROR_OUT_OF_MEMORY;
  keep(array.get());
  *out = array.release();
  return CUDA_SUCCESS;
}

cudaExtent levelExtent(const cudaExtent &e, unsigned level, unsigned flags) {
  auto half = [&](size_t n) { return n ? std::max<size_t>(1, n >> level) : 0; };
  const bool layers = flags & (cudaArrayLayered | cudaArrayCubemap);
  return {half(e.width), half(e.height), layers ? e.depth : half(e.depth)};
}

} // namespace

CUresult makeMipmapped(cudaMipmappedArray_t *out, const cudaChannelFormatDesc *format,
                       const cudaExtent &extent, unsigned levels, unsigned flags,
                       const TakeBytes &take) {
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = check(format, extent, flags))
    return error;
  const bool layers = flags & (cudaArrayLayered | cudaArrayCubemap);
  const size_t longest = std::max({extent.width, extent.height, layers ? 0 : extent.depth});
  levels = std::clamp(levels, 1u, static_cast<unsigned>(std::bit_width(longest)));
  auto mipmap = std::make_unique<cudaMipmappedArray>();
  size_t bytes = 0;
  for (unsigned level = 0; level < levels; ++level) {
    mipmap->levels.push_back(describe(*format, levelExtent(extent, level, flags), flags));
    bytes += (mipmap->levels.back()->bytes() + 255) / 256 * 256;
  }
  mipmap->device = currentContext().index;
  if (CUresult error = take(bytes, mipmap->data))
    return error;
  uint8_t *next = mipmap->data;
  for (auto &level : mipmap->levels) {
    level->data = next;
    level->mipmap = mipmap.get();
    next += (level->bytes() + 255) / 256 * 256;
    keep(level.get());
  }
  *out = mipmap.release();
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  table.mipmaps.insert(*out);
  return CUDA_SUCCESS;
}

namespace {

CUresult allocateMipmapped(cudaMipmappedArray_t *out, const cudaChannelFormatDesc *format,
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
  if (CUresult error = synchronize(contextAt(array->device)))
    return error;
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  if (!table.arrays.erase(array))
    return CUDA_ERROR_INVALID_VALUE;
  lock.unlock();
  giveMemory(array->data, MemoryKind::Device, Owner::Array);
  delete array;
  return CUDA_SUCCESS;
}

CUresult freeMipmapped(cudaMipmappedArray_t mipmap) {
  if (!isMipmap(mipmap))
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = synchronize(contextAt(mipmap->device)))
    return error;
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  if (!table.mipmaps.erase(mipmap))
    return CUDA_ERROR_INVALID_VALUE;
  for (auto &level : mipmap->levels)
    table.arrays.erase(level.get());
  lock.unlock();
  if (!giveMemory(mipmap->data, MemoryKind::Device, Owner::Array))
    giveMemory(mipmap->data, MemoryKind::Device, Owner::External);
  delete mipmap;
  return CUDA_SUCCESS;
}

CUresult requirementsOf(cudaArrayMemoryRequirements *out, size_t bytes, int device) {
  if (device < 0 || device >= static_cast<int>(state().devices.size()))
    return CUDA_ERROR_INVALID_DEVICE;
  *out = {};
  out->size = bytes;
  out->alignment = device::cpu::Allocator::Alignment;
  return CUDA_SUCCESS;
}

} // namespace

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
  MemoryTable &table = memoryTable();
  std::unique_lock lock(table.mutex);
  std::erase_if(table.arrays, [&](cudaArray_const_t array) {
    if (array->device != device.index)
      return false;
    if (!array->mipmap)
      delete array;
    return true;
  });
  std::erase_if(table.mipmaps, [&](cudaMipmappedArray_t mipmap) {
    if (mipmap->device != device.index)
      return false;
    delete mipmap;
    return true;
  });
}

} // namespace heddle::driver

using namespace heddle::driver;

CUresult heddle::driver::cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *format,
                                         size_t width, size_t height, unsigned flags) {
  return enterUnsafe([&] {
    if (flags & (cudaArrayLayered | cudaArrayCubemap))
      return CUDA_ERROR_INVALID_VALUE;
    return makeArray(array, format, {width, height, 0}, flags);
  });
}

CUresult heddle::driver::cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *format,
                                           cudaExtent extent, unsigned flags) {
  return enterUnsafe([&] { return makeArray(array, format, extent, flags); });
}

CUresult heddle::driver::cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmap,
                                                  const cudaChannelFormatDesc *format,
                                                  cudaExtent extent, unsigned levels,
                                                  unsigned flags) {
  return enterUnsafe([&] { return allocateMipmapped(mipmap, format, extent, levels, flags); });
}

CUresult heddle::driver::cudaFreeArray(cudaArray_t array) {
  return enterFree([&] { return array ? freeArray(array) : CUDA_SUCCESS; });
}

CUresult heddle::driver::cudaFreeMipmappedArray(cudaMipmappedArray_t mipmap) {
  return enterFree([&] { return mipmap ? freeMipmapped(mipmap) : CUDA_SUCCESS; });
}

CUresult heddle::driver::cudaGetMipmappedArrayLevel(cudaArray_t *array,
                                                    cudaMipmappedArray_const_t mipmap,
                                                    unsigned level) {
  return enter([&] {
    if (!array || !isMipmap(mipmap) || level >= mipmap->levels.size())
      return CUDA_ERROR_INVALID_VALUE;
    *array = mipmap->levels[level].get();
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaArrayGetInfo(cudaChannelFormatDesc *format, cudaExtent *extent,
                                          unsigned *flags, cudaArray_t array) {
  return enter([&] {
    if (!isArray(array))
      return CUDA_ERROR_INVALID_HANDLE;
    if (format)
      *format = array->format;
    if (extent)
      *extent = array->extent;
    if (flags)
      *flags = array->flags;
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaArrayGetMemoryRequirements(cudaArrayMemoryRequirements *requirements,
                                                        cudaArray_t array, int device) {
  return enter([&] {
    if (!requirements || !isArray(array))
      return CUDA_ERROR_INVALID_VALUE;
    return requirementsOf(requirements, array->bytes(), device);
  });
}

CUresult
heddle::driver::cudaMipmappedArrayGetMemoryRequirements(cudaArrayMemoryRequirements *requirements,
                                                        cudaMipmappedArray_t mipmap, int device) {
  return enter([&] {
    if (!requirements || !isMipmap(mipmap))
      return CUDA_ERROR_INVALID_VALUE;
    const cudaArray &last = *mipmap->levels.back();
    const size_t bytes = static_cast<size_t>(last.data - mipmap->data) + last.bytes();
    return requirementsOf(requirements, bytes, device);
  });
}

// Arrays of several planes and sparse ones cannot be made.

CUresult heddle::driver::cudaArrayGetPlane(cudaArray_t *, cudaArray_t array, unsigned) {
  return enter(
      [&] { return isArray(array) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE; });
}

CUresult heddle::driver::cudaArrayGetSparseProperties(cudaArraySparseProperties *,
                                                      cudaArray_t array) {
  return enter(
      [&] { return isArray(array) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE; });
}

CUresult heddle::driver::cudaMipmappedArrayGetSparseProperties(cudaArraySparseProperties *,
                                                               cudaMipmappedArray_t mipmap) {
  return enter(
      [&] { return isMipmap(mipmap) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE; });
}
