// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory for arrays that get it later (driver API, "Memory Management", "Virtual Memory
// Management"): what they need, and mapping it in the order of a stream.
#include "driver/functions.h"
#include "driver/memory/addresses.h"
#include "driver/memory/array_pages.h"
#include "driver/streams/capture.h"
#include "driver/streams/stream.h"

#include <algorithm>

namespace heddle::driver {

namespace {

/// Runs `tell(pages)` for a live array's pages, if they are of that sort.
template <typename F>
CUresult withPages(CUresult error, const std::shared_ptr<ArrayPages> *pages, bool isSparse,
                   F &&tell) {
  if (error)
    return error;
  if (!*pages || (*pages)->isSparse != isSparse)
    return CUDA_ERROR_INVALID_VALUE;
  tell(**pages);
  return CUDA_SUCCESS;
}
template <typename F> CUresult ofArray(CUarray array, bool isSparse, F &&tell) {
  const bool lives = isArray(asArray(array));
  return withPages(lives ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE,
                   lives ? &asArray(array)->pages : nullptr, isSparse, tell);
}
template <typename F> CUresult ofMipmap(CUmipmappedArray array, bool isSparse, F &&tell) {
  const bool lives = isMipmap(asMipmap(array));
  return withPages(lives ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE,
                   lives ? &asMipmap(array)->pages : nullptr, isSparse, tell);
}

CUDA_ARRAY_SPARSE_PROPERTIES propertiesOf(const SparseShape &shape) {
  CUDA_ARRAY_SPARSE_PROPERTIES p = {};
  p.tileExtent = {static_cast<unsigned>(shape.tile.width), static_cast<unsigned>(shape.tile.height),
                  static_cast<unsigned>(shape.tile.depth)};
  p.miptailFirstLevel = shape.tailLevel;
  p.miptailSize = shape.tailBytes;
  return p;
}

CUDA_ARRAY_MEMORY_REQUIREMENTS requirementsOf(const ArrayPages &pages) {
  CUDA_ARRAY_MEMORY_REQUIREMENTS r = {};
  r.size = pages.bytes();
  r.alignment = TileBytes;
  return r;
}

// ---------------------------------------------------------------------------------------------------
// Mapping.

/// Addresses of an array that lie side by side; no memory: to be unmapped.
struct Step {
  std::shared_ptr<ArrayPages> pages;
  size_t at = 0, bytes = 0;
  std::shared_ptr<VirtualMemory> memory;
  uint64_t offset = 0;
};

/// What a CUarrayMapInfo names: an array or the levels of a mipmapped one.
struct Resource {
  std::shared_ptr<ArrayPages> pages;
  std::vector<const cudaArray *> levels;
  bool isMipmapped = false;
};

CUresult resourceOf(const CUarrayMapInfo &info, Resource &resource) {
  if (info.resourceType == CU_RESOURCE_TYPE_ARRAY) {
    const cudaArray_t array = asArray(info.resource.array);
    if (!isArray(array) || array->mipmap)
      return CUDA_ERROR_INVALID_VALUE;
    resource = {array->pages, {array}, false};
  } else if (info.resourceType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY) {
    const cudaMipmappedArray_t mipmap = asMipmap(info.resource.mipmap);
    if (!isMipmap(mipmap))
      return CUDA_ERROR_INVALID_VALUE;
    resource = {mipmap->pages, {}, true};
    for (auto &level : mipmap->levels)
      resource.levels.push_back(level.get());
  }
  return resource.pages ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/// A range in one dimension: whole tiles, the last of which may lie over the end.
bool isTiled(size_t start, size_t count, size_t tile, size_t size) {
  return count && start % tile == 0 && start < size && count <= size - start &&
         (count % tile == 0 || start + count == size);
}

/// Adds a run of bytes, to the last one if it comes behind that.
void addRun(std::vector<std::pair<size_t, size_t>> &runs, size_t at, size_t bytes) {
  if (!runs.empty() && runs.back().first + runs.back().second == at)
    runs.back().second += bytes;
  else
    runs.emplace_back(at, bytes);
}

using Runs = std::vector<std::pair<size_t, size_t>>; ///< places and bytes

/// The tiles of a part of a level, in the order of their coordinates.
CUresult tilesOf(const Resource &resource, const CUarrayMapInfo &info, Runs &runs) {
  const auto &part = info.subresource.sparseLevel;
  const SparseShape &shape = resource.pages->shape;
  if (part.level >= shape.tailLevel)
    return CUDA_ERROR_INVALID_VALUE;
  const cudaArray &level = *resource.levels[part.level];
  const bool hasLayers = level.flags & cudaArrayLayered;
  if (part.layer >= (hasLayers ? level.slices : 1) ||
      !isTiled(part.offsetX, part.extentWidth, shape.tile.width, level.extent.width) ||
      !isTiled(part.offsetY, part.extentHeight, shape.tile.height, level.rows) ||
      !isTiled(part.offsetZ, part.extentDepth, shape.tile.depth, hasLayers ? 1 : level.slices))
    return CUDA_ERROR_INVALID_VALUE;
  const auto start =
      static_cast<size_t>(level.data - resource.pages->start()) + part.layer * level.sliceBytes;
  for (size_t z = part.offsetZ; z < size_t(part.offsetZ) + part.extentDepth; z += shape.tile.depth)
    for (size_t y = part.offsetY; y < size_t(part.offsetY) + part.extentHeight;
         y += shape.tile.height)
      for (size_t x = part.offsetX; x < size_t(part.offsetX) + part.extentWidth;
           x += shape.tile.width)
        addRun(runs, start + z * level.sliceBytes + y * level.pitch + x * level.elementBytes,
               TileBytes);
  return CUDA_SUCCESS;
}

CUresult tailOf(const Resource &resource, const CUarrayMapInfo &info, Runs &runs) {
  const auto &part = info.subresource.miptail;
  const SparseShape &shape = resource.pages->shape;
  if (part.layer >= resource.levels[0]->layers() || !part.size || part.offset % TileBytes ||
      part.size % TileBytes || part.offset > shape.tailBytes ||
      part.size > shape.tailBytes - part.offset)
    return CUDA_ERROR_INVALID_VALUE;
  addRun(runs, shape.tailStart + part.layer * shape.tailBytes + part.offset, part.size);
  return CUDA_SUCCESS;
}

/// A deferred array is mapped as a whole.
CUresult runsOf(const Resource &resource, const CUarrayMapInfo &info, Runs &runs) {
  if (!resource.pages->isSparse) {
    addRun(runs, 0, resource.pages->bytes());
    return CUDA_SUCCESS;
  }
  switch (info.subresourceType) {
  case CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_SPARSE_LEVEL:
    return tilesOf(resource, info, runs);
  case CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_MIPTAIL:
    return tailOf(resource, info, runs);
  }
  return CUDA_ERROR_INVALID_VALUE;
}

/// The memory to map: the device's own, a pool of tiles if the array is sparse. None to unmap.
CUresult memoryOf(const CUarrayMapInfo &info, const Resource &resource, int device,
                  std::shared_ptr<VirtualMemory> &memory) {
  const CUmemGenericAllocationHandle handle = info.memHandle.memHandle;
  if (info.memHandleType != CU_MEM_HANDLE_TYPE_GENERIC)
    return CUDA_ERROR_INVALID_VALUE;
  if (info.memOperationType == CU_MEM_OPERATION_TYPE_UNMAP)
    return handle ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  memory = findVirtual(handle);
  const bool isKnown = info.memOperationType == CU_MEM_OPERATION_TYPE_MAP && memory;
  if (!isKnown || memory->isHosts() || memory->properties.location.id != device ||
      info.offset % TileBytes || info.offset > memory->bytes)
    return CUDA_ERROR_INVALID_VALUE;
  const bool isPool = memory->properties.allocFlags.usage & CU_MEM_CREATE_USAGE_TILE_POOL;
  return resource.pages->isSparse && !isPool ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

/// Checks an operation, and adds its steps.
CUresult planOf(const CUarrayMapInfo &info, const Context &device, std::vector<Step> &steps) {
  Resource resource;
  Runs runs;
  std::shared_ptr<VirtualMemory> memory;
  if (info.flags || info.reserved[0] || info.reserved[1] ||
      info.deviceBitMask != 1u << device.ordinal)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult error = resourceOf(info, resource);
  if (!error && contextAt(resource.levels[0]->device).ordinal != device.ordinal)
    error = CUDA_ERROR_INVALID_VALUE;
  if (!error)
    error = memoryOf(info, resource, device.ordinal, memory);
  if (!error)
    error = runsOf(resource, info, runs);
  if (error)
    return error;
  uint64_t offset = info.offset;
  for (auto [at, bytes] : runs) {
    steps.push_back({resource.pages, at, bytes, memory, offset});
    offset += bytes;
  }
  return memory && offset > memory->bytes ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

void carryOut(const std::vector<Step> &steps) {
  bool isDone = true;
  for (const Step &step : steps)
    isDone &= step.memory ? step.pages->map(step.at, step.bytes, step.memory, step.offset)
                          : step.pages->unmap(step.at, step.bytes);
  if (!isDone)
    reportFailure("cuMemMapArrayAsync", "the system has no more mappings");
}

} // namespace

CUresult cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *properties, CUarray array) {
  return ofArray(array, true, [&](auto &pages) { *properties = propertiesOf(pages.shape); });
}

CUresult cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *properties,
                                             CUmipmappedArray array) {
  return ofMipmap(array, true, [&](auto &pages) { *properties = propertiesOf(pages.shape); });
}

CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements, CUarray array,
                                      CUdevice device) {
  if (!isDevice(device))
    return CUDA_ERROR_INVALID_VALUE;
  return ofArray(array, false, [&](auto &pages) { *requirements = requirementsOf(pages); });
}

CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements,
                                               CUmipmappedArray array, CUdevice device) {
  if (!isDevice(device))
    return CUDA_ERROR_INVALID_VALUE;
  return ofMipmap(array, false, [&](auto &pages) { *requirements = requirementsOf(pages); });
}

CUresult cuMemMapArrayAsync(CUarrayMapInfo *maps, unsigned count, CUstream handle) {
  Stream *stream = streamOf(handle);
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  std::vector<Step> steps;
  for (unsigned i = 0; i < count; ++i)
    if (CUresult error = planOf(maps[i], *stream->device, steps))
      return error;
  return submitUncaptured(
      *stream, [&] { return enqueue(*stream, [steps = std::move(steps)] { carryOut(steps); }); });
}

} // namespace heddle::driver
