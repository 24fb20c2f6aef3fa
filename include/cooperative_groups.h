// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cooperative groups (CUDA guide, "Cooperative Groups"): blocks, grids, tiles of up to 32 threads,
// coalesced groups and partitions. A group within a warp is a lane mask; its collectives are the
// _sync functions on that mask. Clusters and tiles across warps are not supported.
#ifndef HEDDLE_COOPERATIVE_GROUPS_H
#define HEDDLE_COOPERATIVE_GROUPS_H
#define _COOPERATIVE_GROUPS_H_

#include "cuda_runtime.h"

#if defined(__CUDACC__) && defined(__CUDA__)

#pragma push_macro("HEDDLE_D")
#define HEDDLE_D __device__ __forceinline__

namespace cooperative_groups {

namespace details {

HEDDLE_D unsigned laneId() { return __nvvm_read_ptx_sreg_laneid(); }
HEDDLE_D unsigned blockSize() { return blockDim.x * blockDim.y * blockDim.z; }
HEDDLE_D unsigned blockRank() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/// Any trivially copyable type goes through a shuffle word by word. `From` is a function (word) ->
/// word.
template <class T, class From> HEDDLE_D T byWords(T value, From from) {
  constexpr unsigned count = (sizeof(T) + 3) / 4;
  unsigned words[count] = {};
  __builtin_memcpy(words, &value, sizeof(T));
#pragma unroll
  for (unsigned i = 0; i < count; i++)
    words[i] = from(words[i]);
  T result;
  __builtin_memcpy(&result, words, sizeof(T));
  return result;
}

enum class Kind : unsigned { Block, Grid, Tile, Coalesced };

} // namespace details

/// Any group, its kind known only at run time.
class thread_group {
public:
  HEDDLE_D unsigned long long size() const {
    return kind_ == details::Kind::Block ? details::blockSize() : (unsigned)__popc(mask_);
  }
  HEDDLE_D unsigned long long num_threads() const { return size(); }
  HEDDLE_D unsigned long long thread_rank() const {
    return kind_ == details::Kind::Block
               ? details::blockRank()
               : (unsigned)__popc(mask_ & ((1u << details::laneId()) - 1));
  }
  HEDDLE_D bool is_valid() const { return true; }
  HEDDLE_D void sync() const {
    if (kind_ == details::Kind::Block)
      __syncthreads();
    else
      __syncwarp(mask_);
  }

protected:
  HEDDLE_D thread_group(details::Kind kind, unsigned mask) : kind_(kind), mask_(mask) {}
  details::Kind kind_;
  unsigned mask_; // of the lanes, for groups within a warp
  friend HEDDLE_D thread_group tiled_partition(const thread_group &, unsigned);
};

class thread_block : public thread_group {
public:
  struct arrival_token {};
  HEDDLE_D thread_block() : thread_group(details::Kind::Block, 0) {}
  static HEDDLE_D void sync() { __syncthreads(); }
  static HEDDLE_D unsigned thread_rank() { return details::blockRank(); }
  static HEDDLE_D unsigned size() { return details::blockSize(); }
  static HEDDLE_D unsigned num_threads() { return details::blockSize(); }
  static HEDDLE_D dim3 group_index() { return dim3(blockIdx); }
  static HEDDLE_D dim3 thread_index() { return dim3(threadIdx); }
  static HEDDLE_D dim3 group_dim() { return dim3(blockDim); }
  static HEDDLE_D dim3 dim_threads() { return dim3(blockDim); }
  /// The barrier is whole: all waiting is done on arrival.
  HEDDLE_D arrival_token barrier_arrive() const {
    __syncthreads();
    return {};
  }
  HEDDLE_D void barrier_wait(arrival_token &&) const {}
};
HEDDLE_D thread_block this_thread_block() { return {}; }

/// All threads of a cooperative launch.
class grid_group {
public:
  HEDDLE_D bool is_valid() const { return true; }
  HEDDLE_D void sync() const { __heddle_grid_sync(); }
  static HEDDLE_D unsigned long long num_blocks() {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
  }
  static HEDDLE_D unsigned long long block_rank() {
    return blockIdx.x + (unsigned long long)gridDim.x *
                            (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
  }
  static HEDDLE_D unsigned long long thread_rank() {
    return block_rank() * details::blockSize() + details::blockRank();
  }
  static HEDDLE_D unsigned long long size() { return num_blocks() * details::blockSize(); }
  static HEDDLE_D unsigned long long num_threads() { return size(); }
  static HEDDLE_D dim3 block_index() { return dim3(blockIdx); }
  static HEDDLE_D dim3 dim_blocks() { return dim3(gridDim); }
  static HEDDLE_D dim3 group_dim() { return dim3(gridDim); }
};
HEDDLE_D grid_group this_grid() { return {}; }

/// The threads of a warp that are together at some point, or a part of them.
class coalesced_group : public thread_group {
public:
  HEDDLE_D explicit coalesced_group(unsigned mask) : thread_group(details::Kind::Coalesced, mask) {}
  HEDDLE_D unsigned size() const { return (unsigned)__popc(mask_); }
  HEDDLE_D unsigned num_threads() const { return size(); }
  HEDDLE_D unsigned thread_rank() const {
    return (unsigned)__popc(mask_ & ((1u << details::laneId()) - 1));
  }
  HEDDLE_D void sync() const { __syncwarp(mask_); }
  HEDDLE_D unsigned meta_group_size() const { return metaSize_; }
  HEDDLE_D unsigned meta_group_rank() const { return metaRank_; }

  template <class T> HEDDLE_D T shfl(T v, unsigned rank) const { return fromLane(v, laneOf(rank)); }
  template <class T> HEDDLE_D T shfl_up(T v, unsigned by) const {
    unsigned rank = thread_rank();
    return fromLane(v, rank >= by ? laneOf(rank - by) : details::laneId());
  }
  template <class T> HEDDLE_D T shfl_down(T v, unsigned by) const {
    unsigned rank = thread_rank() + by;
    return fromLane(v, rank < size() ? laneOf(rank) : details::laneId());
  }
  HEDDLE_D int any(int p) const { return __any_sync(mask_, p); }
  HEDDLE_D int all(int p) const { return __all_sync(mask_, p); }
  HEDDLE_D unsigned ballot(int p) const { return pack(__ballot_sync(mask_, p)); }
  template <class T> HEDDLE_D unsigned match_any(T v) const {
    return pack(__match_any_sync(mask_, v));
  }
  template <class T> HEDDLE_D unsigned match_all(T v, int &all) const {
    return pack(__match_all_sync(mask_, v, &all));
  }
  HEDDLE_D coalesced_group part(unsigned mask, unsigned rank, unsigned count) const {
    coalesced_group g(mask);
    g.metaRank_ = rank;
    g.metaSize_ = count;
    return g;
  }
  HEDDLE_D unsigned lanes() const { return mask_; }

private:
  HEDDLE_D unsigned laneOf(unsigned rank) const {
    return mask_ == 0xffffffffu ? rank : __fns(mask_, 0, (int)rank + 1);
  }
  template <class T> HEDDLE_D T fromLane(T v, unsigned lane) const {
    return details::byWords(v, [&](unsigned word) { return __shfl_sync(mask_, word, (int)lane); });
  }
  /// A set of lanes as a set of ranks.
  HEDDLE_D unsigned pack(unsigned lanes) const {
    if (mask_ == 0xffffffffu)
      return lanes;
    unsigned ranks = 0, rank = 0;
    for (unsigned rest = mask_; rest; rest &= rest - 1)
      ranks |= (lanes >> (__ffs((int)rest) - 1) & 1) << rank++;
    return ranks;
  }
  unsigned metaSize_ = 1, metaRank_ = 0;
};
HEDDLE_D coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

namespace details {
template <unsigned Size> HEDDLE_D unsigned tileMask() {
  static_assert(Size && Size <= 32 && (Size & (Size - 1)) == 0,
                "tiled_partition: tiles of 1, 2, 4, 8, 16 and 32 threads are supported");
  return Size == 32 ? 0xffffffffu : ((1u << (Size % 32)) - 1) << (laneId() & ~(Size - 1));
}
} // namespace details

/// Size neighbouring threads of a block, within a warp.
template <unsigned Size, class Parent = void> class thread_block_tile : public thread_group {
public:
  HEDDLE_D thread_block_tile() : thread_group(details::Kind::Tile, details::tileMask<Size>()) {}
  template <class Other>
  HEDDLE_D thread_block_tile(const thread_block_tile<Size, Other> &)
      : thread_group(details::Kind::Tile, details::tileMask<Size>()) {}
  static constexpr unsigned numThreads = Size;
  HEDDLE_D void sync() const { __syncwarp(mask_); }
  static HEDDLE_D unsigned thread_rank() { return details::laneId() & (Size - 1); }
  static constexpr HEDDLE_D unsigned size() { return Size; }
  static constexpr HEDDLE_D unsigned num_threads() { return Size; }
  HEDDLE_D unsigned meta_group_size() const { return (details::blockSize() + Size - 1) / Size; }
  HEDDLE_D unsigned meta_group_rank() const { return details::blockRank() / Size; }

  template <class T> HEDDLE_D T shfl(T v, int rank) const {
    return details::byWords(v, [&](unsigned word) { return __shfl_sync(mask_, word, rank, Size); });
  }
  template <class T> HEDDLE_D T shfl_up(T v, unsigned by) const {
    return details::byWords(v,
                            [&](unsigned word) { return __shfl_up_sync(mask_, word, by, Size); });
  }
  template <class T> HEDDLE_D T shfl_down(T v, unsigned by) const {
    return details::byWords(v,
                            [&](unsigned word) { return __shfl_down_sync(mask_, word, by, Size); });
  }
  template <class T> HEDDLE_D T shfl_xor(T v, unsigned by) const {
    return details::byWords(
        v, [&](unsigned word) { return __shfl_xor_sync(mask_, word, (int)by, Size); });
  }
  HEDDLE_D int any(int p) const { return __any_sync(mask_, p); }
  HEDDLE_D int all(int p) const { return __all_sync(mask_, p); }
  HEDDLE_D unsigned ballot(int p) const { return shift(__ballot_sync(mask_, p)); }
  template <class T> HEDDLE_D unsigned match_any(T v) const {
    return shift(__match_any_sync(mask_, v));
  }
  template <class T> HEDDLE_D unsigned match_all(T v, int &all) const {
    return shift(__match_all_sync(mask_, v, &all));
  }
  HEDDLE_D unsigned lanes() const { return mask_; }

private:
  HEDDLE_D unsigned shift(unsigned lanes) const {
    return Size == 32 ? lanes
                      : lanes >> (details::laneId() & ~(Size - 1)) & ((1u << (Size % 32)) - 1);
  }
};

template <unsigned Size, class Parent>
HEDDLE_D thread_block_tile<Size, Parent> tiled_partition(const Parent &) {
  return {};
}
template <unsigned Size> HEDDLE_D coalesced_group tiled_partition(const coalesced_group &g) {
  unsigned rank = g.thread_rank() / Size, mask = 0, at = 0;
  for (unsigned rest = g.lanes(); rest; rest &= rest - 1, at++)
    mask |= at / Size == rank ? rest & (0 - rest) : 0;
  return g.part(mask, rank, (g.size() + Size - 1) / Size);
}
/// The size known at run time: a power of two up to 32.
HEDDLE_D thread_group tiled_partition(const thread_group &parent, unsigned size) {
  unsigned lane = details::laneId();
  unsigned mask = size >= 32 ? 0xffffffffu : ((1u << size) - 1) << (lane & ~(size - 1));
  return thread_group(details::Kind::Tile,
                      parent.kind_ == details::Kind::Block ? mask : mask & parent.mask_);
}

/// The threads of `g` with the same label (or predicate).
template <class Group, class Label>
HEDDLE_D coalesced_group labeled_partition(const Group &g, Label label) {
  unsigned mask = __match_any_sync(g.lanes(), label), count = 0, rank = 0;
  unsigned leaders = __ballot_sync(g.lanes(), (unsigned)__ffs((int)mask) - 1 == details::laneId());
  count = (unsigned)__popc(leaders);
  rank = (unsigned)__popc(leaders & ((mask & (0 - mask)) - 1));
  return coalesced_group(mask).part(mask, rank, count);
}
template <class Group> HEDDLE_D coalesced_group binary_partition(const Group &g, bool p) {
  unsigned with = __ballot_sync(g.lanes(), p);
  return coalesced_group(0).part(p ? with : g.lanes() & ~with, p, 2);
}

template <class Group> HEDDLE_D void sync(const Group &g) { g.sync(); }
template <class Group> HEDDLE_D unsigned long long thread_rank(const Group &g) {
  return g.thread_rank();
}
template <class Group> HEDDLE_D unsigned long long group_size(const Group &g) { return g.size(); }
/// Calls f on one thread of the group.
template <class Group, class F, class... Args>
HEDDLE_D void invoke_one(const Group &g, F &&f, Args &&...args) {
  if (g.thread_rank() == 0)
    f(static_cast<Args &&>(args)...);
}
/// The same, and the result in all threads of the group, which goes by warp: a tile or coalesced threads.
template <class Group, class F, class... Args>
HEDDLE_D auto invoke_one_broadcast(const Group &g, F &&f, Args &&...args)
    -> decltype(f(static_cast<Args &&>(args)...)) {
  decltype(f(static_cast<Args &&>(args)...)) result{};
  if (g.thread_rank() == 0)
    result = f(static_cast<Args &&>(args)...);
  return g.shfl(result, 0);
}

} // namespace cooperative_groups

#undef HEDDLE_D
#pragma pop_macro("HEDDLE_D")
#endif
#endif
