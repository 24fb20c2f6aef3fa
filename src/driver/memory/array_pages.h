// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that get their memory later: sparse ones by tiles, deferred ones as a whole (driver API,
// "Virtual Memory Management": cuMemMapArrayAsync).
//
// The texels lie at addresses of the array's own, into which memory is mapped as a program maps
// virtual memory: the bytes of a handle are there, and in all other tiles that they are mapped to.
// Nothing is moved, so a tile is TileBytes of addresses, which are whole rows, or a part of a long
// one. A GPU's tiles are squares; programs ask for their extent. A mipmapped array's levels all have
// the pitch of the first one, so that one extent fits them. What has fewer rows or slices than a
// tile is its tail. Where nothing is mapped there are zeros.
#pragma once

#include "driver/memory/array.h"
#include "driver/memory/virtual.h"

#include <mutex>

namespace heddle::driver {

inline constexpr size_t TileBytes = size_t(64) << 10;

/// What cuArrayGetSparseProperties tells, and where a tail lies.
struct SparseShape {
  cudaExtent tile = {}; ///< in texels
  unsigned tailLevel = 0;
  size_t tailStart = 0, tailBytes = 0; ///< its bytes are those of one layer
};

class ArrayPages {
public:
  /// Addresses on the context's device; null: there are none.
  static std::shared_ptr<ArrayPages> create(Context &, size_t bytes);
  ~ArrayPages();
  uint8_t *start() const { return start_; }
  size_t bytes() const { return bytes_; }
  /// Maps whole tiles, which lie in the memory from `offset` on. False if the system refuses.
  bool map(size_t at, size_t bytes, const std::shared_ptr<VirtualMemory> &, uint64_t offset);
  bool unmap(size_t at, size_t bytes);

  bool isSparse = false; ///< deferred otherwise
  SparseShape shape;     ///< if it is sparse

private:
  uint8_t *start_ = nullptr;
  size_t bytes_ = 0;
  device::cpu::MemoryUse use_;
  std::mutex mutex_;                                       ///< guards what follows
  std::map<size_t, std::shared_ptr<VirtualMemory>> tiles_; ///< keeps what is mapped
};

/// Lays out an array, or the levels of a mipmapped one: sets pitches and slices, and adds the place
/// of each to `places`. Returns the bytes of all.
size_t layOutSparse(const std::vector<cudaArray *> &levels, SparseShape &,
                    std::vector<size_t> &places);
size_t layOutDeferred(const std::vector<cudaArray *> &levels, std::vector<size_t> &places);

/// Gives addresses to an array, or to the levels of a mipmapped one. Null: there are none.
std::shared_ptr<ArrayPages> placeLater(const std::vector<cudaArray *> &levels);

} // namespace heddle::driver
