// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all groups share, groups whose kind is known at run time only, and thread blocks. A part of
// cooperative_groups.h.
#ifndef HEDDLE_GROUPS_BLOCK_H
#define HEDDLE_GROUPS_BLOCK_H

namespace cooperative_groups {
namespace __v1 {

namespace details {

HEDDLE_D unsigned laneId() { return __nvvm_read_ptx_sreg_laneid(); }
HEDDLE_D unsigned blockSize() { return blockDim.x * blockDim.y * blockDim.z; }
HEDDLE_D unsigned rankInBlock() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
/// How many lanes of `mask` come before the caller's.
HEDDLE_D unsigned rankInMask(unsigned mask) {
  return (unsigned)__popc(mask & ((1u << laneId()) - 1));
}

/// Any trivially copyable type goes to other threads word by word. `From` is a function from the
/// caller's word to the one that it gets.
template <class Word, class T, class From> HEDDLE_D T byWords(T value, From from) {
  constexpr unsigned count = (sizeof(T) + sizeof(Word) - 1) / sizeof(Word);
  Word words[count] = {};
  __builtin_memcpy(words, &value, sizeof(T));
#pragma unroll
  for (unsigned i = 0; i < count; i++)
    words[i] = from(words[i]);
  T result;
  __builtin_memcpy(&result, words, sizeof(T));
  return result;
}

enum class Kind : unsigned { Block, Grid, Cluster, MultiGrid, Lanes, WideTile };

/// Warps of tiles of more than 32 threads leave values for each other in a cell each.
using TileCell = unsigned long long;
constexpr unsigned MaxWarps = 32; ///< of a block

/// Where a tile of more than 32 threads meets. Each tile that a block can have has a barrier of its
/// own behind the 16 that PTX has names for: numbers from 16 on are the cooperative groups'
/// (src/device/cpu/block/block_runner.h). `rank` is the tile's among those of its size in the
/// block.
HEDDLE_D void syncTile(unsigned size, unsigned rank) {
  constexpr unsigned FirstTileBarrier = 16, MaxBlock = 1024;
  unsigned threads = blockSize() - size * rank;
  unsigned there = threads < size ? (threads + 31) / 32 * 32 : size;
  __barrier_sync_count(FirstTileBarrier + MaxBlock / size - 1 + rank, there);
}

} // namespace details

/// Any group, its kind known only at run time.
class thread_group {
public:
  HEDDLE_D unsigned long long size() const;
  HEDDLE_D unsigned long long num_threads() const { return size(); }
  HEDDLE_D unsigned long long thread_rank() const;
  HEDDLE_D bool is_valid() const;
  HEDDLE_D void sync() const;

protected:
  HEDDLE_D thread_group(details::Kind kind, unsigned lanes) : kind_(kind), lanes_(lanes) {}
  details::Kind kind_;
  unsigned lanes_; ///< Lanes: the mask; WideTile: the number of threads
  friend HEDDLE_D thread_group tiled_partition(const thread_group &, unsigned);
};

/// Shared memory for tiles of more than 32 threads, in blocks of up to `MaxBlockSize`. Without any
/// (as on compute capability 8.0 and later) such tiles take 256 bytes of static shared memory.
template <unsigned MaxBlockSize = 1024> struct block_tile_memory {
  static_assert(MaxBlockSize <= 1024, "block_tile_memory: a block has up to 1024 threads");
  details::TileCell cells[(MaxBlockSize + 31) / 32];
};

class thread_block : public thread_group {
public:
  struct arrival_token {};
  HEDDLE_D thread_block() : thread_group(details::Kind::Block, 0) {}
  HEDDLE_D explicit thread_block(details::TileCell *cells)
      : thread_group(details::Kind::Block, 0), cells_(cells) {}
  static HEDDLE_D void sync() { __syncthreads(); }
  static HEDDLE_D unsigned thread_rank() { return details::rankInBlock(); }
  static HEDDLE_D unsigned size() { return details::blockSize(); }
  static HEDDLE_D unsigned num_threads() { return details::blockSize(); }
  static HEDDLE_D dim3 group_index() { return dim3(blockIdx); }
  static HEDDLE_D dim3 thread_index() { return dim3(threadIdx); }
  static HEDDLE_D dim3 group_dim() { return dim3(blockDim); }
  static HEDDLE_D dim3 dim_threads() { return dim3(blockDim); }
  static HEDDLE_D arrival_token barrier_arrive() {
    __heddle_block_arrive();
    return {};
  }
  static HEDDLE_D void barrier_wait(arrival_token &&) { __heddle_block_wait(); }
  /// For tiles: null if the program gave none.
  HEDDLE_D details::TileCell *cells() const { return cells_; }

private:
  details::TileCell *cells_ = nullptr;
};
HEDDLE_D thread_block this_thread_block() { return thread_block(); }
template <unsigned MaxBlockSize>
HEDDLE_D thread_block this_thread_block(block_tile_memory<MaxBlockSize> &memory) {
  return thread_block(memory.cells);
}

} // namespace __v1
using namespace __v1; // libcu++ declares it so
} // namespace cooperative_groups
#endif
