// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups within a warp: a lane mask. Their collectives are the _sync functions on that mask. A part
// of cooperative_groups.h.
#ifndef HEDDLE_GROUPS_WARP_H
#define HEDDLE_GROUPS_WARP_H

namespace cooperative_groups {
namespace __v1 {

/// The threads of a warp that are together at some point, or a part of them.
class coalesced_group : public thread_group {
public:
  HEDDLE_D unsigned size() const { return (unsigned)__popc(lanes_); }
  HEDDLE_D unsigned num_threads() const { return size(); }
  HEDDLE_D unsigned thread_rank() const { return details::rankInMask(lanes_); }
  HEDDLE_D void sync() const { __syncwarp(lanes_); }
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
  HEDDLE_D int any(int p) const { return __any_sync(lanes_, p); }
  HEDDLE_D int all(int p) const { return __all_sync(lanes_, p); }
  HEDDLE_D unsigned ballot(int p) const { return pack(__ballot_sync(lanes_, p)); }
  template <class T> HEDDLE_D unsigned match_any(T v) const {
    return pack(__match_any_sync(lanes_, v));
  }
  template <class T> HEDDLE_D unsigned match_all(T v, int &all) const {
    return pack(__match_all_sync(lanes_, v, &all));
  }

  // For the headers.
  HEDDLE_D explicit coalesced_group(unsigned lanes, unsigned metaRank = 0, unsigned metaSize = 1)
      : thread_group(details::Kind::Lanes, lanes), metaSize_(metaSize), metaRank_(metaRank) {}
  HEDDLE_D unsigned lanes() const { return lanes_; }

private:
  HEDDLE_D unsigned laneOf(unsigned rank) const {
    return lanes_ == 0xffffffffu ? rank : __fns(lanes_, 0, (int)rank + 1);
  }
  template <class T> HEDDLE_D T fromLane(T v, unsigned lane) const {
    return details::byWords<unsigned>(
        v, [&](unsigned word) { return __shfl_sync(lanes_, word, (int)lane); });
  }
  /// A set of lanes as a set of ranks.
  HEDDLE_D unsigned pack(unsigned lanes) const {
    if (lanes_ == 0xffffffffu)
      return lanes;
    unsigned ranks = 0, rank = 0;
    for (unsigned rest = lanes_; rest; rest &= rest - 1)
      ranks |= (lanes >> (__ffs((int)rest) - 1) & 1) << rank++;
    return ranks;
  }
  unsigned metaSize_, metaRank_;
};
HEDDLE_D coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

namespace details {

template <unsigned Size> HEDDLE_D unsigned tileMask() {
  return Size == 32 ? 0xffffffffu : ((1u << (Size % 32)) - 1) << (laneId() & ~(Size - 1));
}

/// What tiles of up to 32 threads can do, whatever they are a part of.
template <unsigned Size> class WarpTile : public thread_group {
public:
  HEDDLE_D WarpTile(details::TileCell *) : thread_group(Kind::Lanes, tileMask<Size>()) {}
  HEDDLE_D void sync() const { __syncwarp(lanes_); }
  static HEDDLE_D unsigned thread_rank() { return laneId() & (Size - 1); }

  template <class T> HEDDLE_D T shfl(T v, int rank) const {
    return byWords<unsigned>(v,
                             [&](unsigned word) { return __shfl_sync(lanes_, word, rank, Size); });
  }
  template <class T> HEDDLE_D T shfl_up(T v, unsigned by) const {
    return byWords<unsigned>(v,
                             [&](unsigned word) { return __shfl_up_sync(lanes_, word, by, Size); });
  }
  template <class T> HEDDLE_D T shfl_down(T v, unsigned by) const {
    return byWords<unsigned>(
        v, [&](unsigned word) { return __shfl_down_sync(lanes_, word, by, Size); });
  }
  template <class T> HEDDLE_D T shfl_xor(T v, unsigned by) const {
    return byWords<unsigned>(
        v, [&](unsigned word) { return __shfl_xor_sync(lanes_, word, (int)by, Size); });
  }
  HEDDLE_D int any(int p) const { return __any_sync(lanes_, p); }
  HEDDLE_D int all(int p) const { return __all_sync(lanes_, p); }
  HEDDLE_D unsigned ballot(int p) const { return shift(__ballot_sync(lanes_, p)); }
  template <class T> HEDDLE_D unsigned match_any(T v) const {
    return shift(__match_any_sync(lanes_, v));
  }
  template <class T> HEDDLE_D unsigned match_all(T v, int &all) const {
    return shift(__match_all_sync(lanes_, v, &all));
  }
  /// Tiles of a warp are coalesced groups, too.
  HEDDLE_D operator coalesced_group() const { return coalesced_group(lanes_); }
  HEDDLE_D unsigned lanes() const { return lanes_; }
  HEDDLE_D TileCell *cells() const { return nullptr; } ///< its own tiles need none

private:
  HEDDLE_D unsigned shift(unsigned lanes) const {
    return Size == 32 ? lanes : lanes >> (laneId() & ~(Size - 1)) & ((1u << (Size % 32)) - 1);
  }
};

} // namespace details
} // namespace __v1
using namespace __v1; // libcu++ declares it so
} // namespace cooperative_groups
#endif
