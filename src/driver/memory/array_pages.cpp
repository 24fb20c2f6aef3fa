// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/memory/array_pages.h"

#include <algorithm>
#include <bit>

#include <sys/mman.h>

namespace heddle::driver {

using device::cpu::Allocator;
using device::cpu::MemoryKind;

namespace {

size_t roundUp(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

bool hasLayers(const cudaArray &array) { return array.flags & cudaArrayLayered; }

/// The rows of a tile fill it. Those of a small 3D array leave room for several slices.
cudaExtent tileOf(const cudaArray &array, size_t pitch) {
  if (pitch > TileBytes)
    return {TileBytes / array.elementBytes, 1, 1};
  cudaExtent tile = {pitch / array.elementBytes, TileBytes / pitch, 1};
  if (!hasLayers(array) && array.slices > 1) {
    tile.height = std::min(tile.height, std::bit_ceil(array.rows));
    tile.depth = TileBytes / (pitch * tile.height);
  }
  return tile;
}

bool isSmallerThan(const cudaExtent &tile, const cudaArray &level) {
  return level.rows < tile.height || (!hasLayers(level) && level.slices < tile.depth);
}

/// The levels from `shape.tailLevel` on, layer by layer.
size_t layOutTail(const std::vector<cudaArray *> &levels, size_t start, SparseShape &shape,
                  std::vector<size_t> &places) {
  size_t bytes = 0;
  for (size_t i = shape.tailLevel; i < levels.size(); ++i) {
    cudaArray &level = *levels[i];
    level.pitch = level.rowBytes;
    level.sliceBytes = level.rowBytes * level.rows;
    places.push_back(start + bytes);
    bytes += roundUp(level.sliceBytes * (hasLayers(level) ? 1 : level.slices), 256);
  }
  shape.tailStart = start;
  shape.tailBytes = roundUp(bytes, TileBytes);
  const size_t layers = levels[0]->layers();
  for (size_t i = shape.tailLevel; i < levels.size() && layers > 1; ++i)
    levels[i]->sliceBytes = shape.tailBytes;
  return start + shape.tailBytes * layers;
}

} // namespace

size_t layOutSparse(const std::vector<cudaArray *> &levels, SparseShape &shape,
                    std::vector<size_t> &places) {
  const cudaArray &first = *levels[0];
  const size_t pitch = first.rowBytes <= TileBytes ? std::bit_ceil(first.rowBytes)
                                                   : roundUp(first.rowBytes, TileBytes);
  shape.tile = tileOf(first, pitch);
  size_t bytes = 0;
  const bool isMipmapped = levels.size() > 1;
  for (cudaArray *level : levels) {
    if (isMipmapped && isSmallerThan(shape.tile, *level))
      break;
    level->pitch = pitch;
    level->sliceBytes = pitch * roundUp(level->rows, shape.tile.height);
    places.push_back(bytes);
    bytes += level->sliceBytes * roundUp(level->slices, shape.tile.depth);
  }
  shape.tailLevel = static_cast<unsigned>(places.size());
  return places.size() < levels.size() ? layOutTail(levels, bytes, shape, places) : bytes;
}

size_t layOutDeferred(const std::vector<cudaArray *> &levels, std::vector<size_t> &places) {
  size_t bytes = 0;
  for (const cudaArray *level : levels) {
    places.push_back(bytes);
    bytes += roundUp(level->bytes(), 256);
  }
  return roundUp(bytes, TileBytes);
}

std::shared_ptr<ArrayPages> placeLater(const std::vector<cudaArray *> &levels) {
  SparseShape shape;
  std::vector<size_t> places;
  const bool isSparse = levels[0]->flags & cudaArraySparse;
  const size_t bytes =
      isSparse ? layOutSparse(levels, shape, places) : layOutDeferred(levels, places);
  auto pages = ArrayPages::create(contextAt(levels[0]->device), bytes);
  if (!pages)
    return nullptr;
  pages->isSparse = isSparse;
  pages->shape = shape;
  for (size_t i = 0; i < levels.size(); ++i)
    levels[i]->data = pages->start() + places[i];
  return pages;
}

// ---------------------------------------------------------------------------------------------------
// Pages.

std::shared_ptr<ArrayPages> ArrayPages::create(Context &device, size_t bytes) {
  auto pages = std::make_shared<ArrayPages>();
  pages->use_ = {MemoryKind::Device, static_cast<uint8_t>(device.index),
                 Tag{Owner::Virtual}.pack()};
  pages->start_ = Allocator::get().reserve(bytes, 0);
  if (!pages->start_)
    return nullptr;
  pages->bytes_ = bytes;
  return pages->unmap(0, bytes) ? pages : nullptr;
}

ArrayPages::~ArrayPages() {
  if (!start_)
    return;
  Allocator::get().unmapReserved(start_, start_, bytes_);
  Allocator::get().unreserve(start_);
}

bool ArrayPages::map(size_t at, size_t bytes, const std::shared_ptr<VirtualMemory> &memory,
                     uint64_t offset) {
  std::lock_guard lock(mutex_);
  if (!Allocator::get().mapReserved(start_, start_ + at, bytes, memory->file.get(), offset,
                                    PROT_READ | PROT_WRITE, use_))
    return false;
  for (size_t tile = at; tile < at + bytes; tile += TileBytes)
    tiles_[tile] = memory;
  return true;
}

bool ArrayPages::unmap(size_t at, size_t bytes) {
  std::lock_guard lock(mutex_);
  if (!Allocator::get().mapZeros(start_, start_ + at, bytes, use_))
    return false;
  tiles_.erase(tiles_.lower_bound(at), tiles_.lower_bound(at + bytes));
  return true;
}

} // namespace heddle::driver
