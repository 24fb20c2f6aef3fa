// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles: neighbouring threads of a block, as many as a power of two. A tile of up to 32 threads is
// a part of a warp (warp.h). A larger one is a number of warps: its collectives are those of its
// warps, whose results go to the others through a cell of shared memory for each warp, between two
// barriers of the tile. A part of cooperative_groups.h.
#ifndef HEDDLE_GROUPS_TILES_H
#define HEDDLE_GROUPS_TILES_H

namespace cooperative_groups {
namespace __v1 {

namespace details {

/// The cells of a program that gives no block_tile_memory.
HEDDLE_D TileCell *staticCells() {
  static __shared__ TileCell cells[MaxWarps];
  return cells;
}

/// The threads of the caller's warp, of which the last of a block may have fewer than 32: a coalesced
/// group whose ranks are the lanes.
class WholeWarp {
public:
  HEDDLE_D WholeWarp() {
    unsigned left = blockSize() - rankInBlock() / 32 * 32;
    size_ = left < 32 ? left : 32;
  }
  HEDDLE_D unsigned size() const { return size_; }
  HEDDLE_D unsigned lanes() const { return 0xffffffffu >> (32 - size_); }
  static HEDDLE_D unsigned thread_rank() { return laneId(); }
  template <class T> HEDDLE_D T shfl(T v, unsigned rank) const {
    return byWords<unsigned>(v,
                             [&](unsigned word) { return __shfl_sync(lanes(), word, (int)rank); });
  }
  template <class T> HEDDLE_D T shfl_up(T v, unsigned by) const {
    return byWords<unsigned>(v, [&](unsigned word) { return __shfl_up_sync(lanes(), word, by); });
  }
  template <class T> HEDDLE_D T shfl_down(T v, unsigned by) const {
    return byWords<unsigned>(v, [&](unsigned word) { return __shfl_down_sync(lanes(), word, by); });
  }

private:
  unsigned size_;
};

/// What tiles of more than 32 threads can do.
template <unsigned Size> class WideTile : public thread_group {
public:
  static constexpr unsigned Warps = Size / 32;
  HEDDLE_D WideTile(TileCell *cells)
      : thread_group(Kind::WideTile, Size), cells_(cells ? cells : staticCells()) {}
  HEDDLE_D void sync() const { syncTile(Size, rankInBlock() / Size); }
  static HEDDLE_D unsigned thread_rank() { return rankInBlock() & (Size - 1); }

  /// The value of thread `rank`, the same rank in all threads.
  template <class T> HEDDLE_D T shfl(T v, unsigned rank) const {
    return byWords<TileCell>(v, [&](TileCell word) {
      if (thread_rank() == rank)
        cells_[firstWarp()] = word;
      sync();
      TileCell got = cells_[firstWarp()];
      sync();
      return got;
    });
  }
  HEDDLE_D int any(int p) const {
    bool result = false;
    visit(TileCell(__any_sync(0xffffffffu, p) != 0),
          [&](unsigned, TileCell v) { result |= v != 0; });
    return result;
  }
  HEDDLE_D int all(int p) const { return !any(!p); }

  /// Calls `see(warp, value)` in each thread for the tile's warps in order: `v` is a value that the
  /// threads of a warp agree on.
  template <class T, class F> HEDDLE_D void visit(T v, F &&see) const {
    constexpr unsigned count = (sizeof(T) + sizeof(TileCell) - 1) / sizeof(TileCell);
    TileCell words[count] = {};
    __builtin_memcpy(words, &v, sizeof(T));
    if (count == 1) {
      put(words[0]);
      for (unsigned warp = 0; warp < warps(); warp++)
        see(warp, valueOf<T>(&cells_[firstWarp() + warp]));
      sync();
    } else {
      TileCell all[Warps][count];
      for (unsigned i = 0; i < count; i++) {
        put(words[i]);
        for (unsigned warp = 0; warp < warps(); warp++)
          all[warp][i] = cells_[firstWarp() + warp];
        sync();
      }
      for (unsigned warp = 0; warp < warps(); warp++)
        see(warp, valueOf<T>(all[warp]));
    }
  }
  /// Of this tile: fewer than `Warps` at the end of a block.
  static HEDDLE_D unsigned warps() {
    unsigned left = (blockSize() + 31) / 32 - firstWarp();
    return left < Warps ? left : Warps;
  }
  static HEDDLE_D unsigned warpRank() { return thread_rank() / 32; }
  HEDDLE_D TileCell *cells() const { return cells_; }

private:
  HEDDLE_D void put(TileCell word) const {
    if (laneId() == 0)
      cells_[rankInBlock() / 32] = word;
    sync();
  }
  template <class T> static HEDDLE_D T valueOf(const TileCell *words) {
    T value;
    __builtin_memcpy(&value, words, sizeof(T));
    return value;
  }
  static HEDDLE_D unsigned firstWarp() { return rankInBlock() / Size * Warps; }
  TileCell *cells_;
};

template <bool IsWide, unsigned Size> struct TileBase {
  using Type = WarpTile<Size>;
};
template <unsigned Size> struct TileBase<true, Size> {
  using Type = WideTile<Size>;
};

} // namespace details

/// Size neighbouring threads of `Parent`. `void`: of a group that the type no longer says.
template <unsigned Size, class Parent = void>
class thread_block_tile : public details::TileBase<(Size > 32), Size>::Type {
  using Base = typename details::TileBase<(Size > 32), Size>::Type;
  static_assert(Size && Size <= 1024 && (Size & (Size - 1)) == 0,
                "tiled_partition: a tile has a power of two of threads, up to 1024");

public:
  static constexpr unsigned numThreads = Size;
  HEDDLE_D explicit thread_block_tile(const Parent &parent) : Base(parent.cells()) {}
  static constexpr HEDDLE_D unsigned size() { return Size; }
  static constexpr HEDDLE_D unsigned num_threads() { return Size; }
  /// Of the tiles that the parent was cut into.
  static HEDDLE_D unsigned meta_group_size() { return (Parent::size() + Size - 1) / Size; }
  static HEDDLE_D unsigned meta_group_rank() { return Parent::thread_rank() / Size; }
};

template <unsigned Size>
class thread_block_tile<Size, void> : public details::TileBase<(Size > 32), Size>::Type {
  using Base = typename details::TileBase<(Size > 32), Size>::Type;

public:
  static constexpr unsigned numThreads = Size;
  template <class Other>
  HEDDLE_D thread_block_tile(const thread_block_tile<Size, Other> &tile)
      : Base(tile.cells()), metaSize_(tile.meta_group_size()), metaRank_(tile.meta_group_rank()) {}
  static constexpr HEDDLE_D unsigned size() { return Size; }
  static constexpr HEDDLE_D unsigned num_threads() { return Size; }
  HEDDLE_D unsigned meta_group_size() const { return metaSize_; }
  HEDDLE_D unsigned meta_group_rank() const { return metaRank_; }

private:
  unsigned metaSize_, metaRank_;
};

} // namespace __v1
using namespace __v1; // libcu++ declares it so
} // namespace cooperative_groups
#endif
