// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prefix sums over a tile or a coalesced group (CUDA guide, "inclusive_scan and exclusive_scan").
// `Atomic` is cuda::atomic or cuda::atomic_ref.
#ifndef HEDDLE_COOPERATIVE_GROUPS_SCAN_H
#define HEDDLE_COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

#if defined(__CUDACC__) && defined(__CUDA__)
#pragma push_macro("HEDDLE_D")
#define HEDDLE_D __device__ __forceinline__

namespace cooperative_groups {
namespace __v1 {

namespace details {

template <class Group, class T, class Op>
HEDDLE_D T scanLanes(const Group &g, T v, unsigned n, const Op &op) {
  const unsigned rank = g.thread_rank();
  for (unsigned by = 1; by < n; by *= 2) {
    T other = g.shfl_up(v, by);
    if (rank >= by)
      v = op(other, v);
  }
  return v;
}

/// A thread's inclusive and exclusive prefix sums, and the sum of all. `before` and `hasBefore`:
/// the first thread has none.
template <class T> struct Prefix {
  T inclusive, before, all;
  bool hasBefore;
};

template <class Group, class T, class Op>
HEDDLE_D Prefix<T> scanGroup(const Group &g, T v, const Op &op) {
  T inclusive = scanLanes(g, v, g.size(), op);
  return {inclusive, g.shfl_up(inclusive, 1), g.shfl(inclusive, g.size() - 1), g.thread_rank() > 0};
}
/// Each warp by itself, then what the warps before it have.
template <unsigned Size, class T, class Op>
HEDDLE_D Prefix<T> scanWide(const WideTile<Size> &g, T v, const Op &op) {
  Prefix<T> mine = scanGroup(WholeWarp(), v, op);
  T before = mine.all, all = mine.all;
  g.visit(mine.all, [&](unsigned warp, const T &one) {
    all = warp == 0 ? one : op(all, one);
    if (warp < g.warpRank())
      before = all;
  });
  mine.all = all;
  if (g.warpRank() > 0) {
    mine.inclusive = op(before, mine.inclusive);
    mine.before = mine.hasBefore ? op(before, mine.before) : before;
    mine.hasBefore = true;
  }
  return mine;
}
template <unsigned Size, class Parent, class T, class Op>
HEDDLE_D Prefix<T> scanTile(const thread_block_tile<Size, Parent> &g, T v, const Op &op,
                            const WideTile<Size> *) {
  return scanWide<Size>(g, v, op);
}
template <class Group, class T, class Op>
HEDDLE_D Prefix<T> scanTile(const Group &g, T v, const Op &op, const thread_group *) {
  return scanGroup(g, v, op);
}

template <class Group, class T, class Op>
HEDDLE_D Prefix<typename ResultOf<Op, T>::Type> scan(const Group &g, T v, const Op &op) {
  return scanTile(g, typename ResultOf<Op, T>::Type(v), op, &g);
}

/// One thread adds the sum of all to `atomic`; what was there before, in all threads.
template <class Group, class Atomic, class T, class Op>
HEDDLE_D T updateByOne(const Group &g, Atomic &atomic, T all, const Op &op) {
  T old{};
  if (g.thread_rank() == 0)
    old = updateAtomic(atomic, all, op);
  return g.shfl(old, 0);
}

} // namespace details

template <class Group, class T, class Op>
HEDDLE_D auto inclusive_scan(const Group &g, T v, Op &&op) ->
    typename details::ResultOf<Op, T>::Type {
  return details::scan(g, v, op).inclusive;
}
template <class Group, class T> HEDDLE_D T inclusive_scan(const Group &g, T v) {
  return inclusive_scan(g, v, plus<T>());
}
/// The first thread gets T().
template <class Group, class T, class Op>
HEDDLE_D auto exclusive_scan(const Group &g, T v, Op &&op) ->
    typename details::ResultOf<Op, T>::Type {
  auto prefix = details::scan(g, v, op);
  return prefix.hasBefore ? prefix.before : typename details::ResultOf<Op, T>::Type();
}
template <class Group, class T> HEDDLE_D T exclusive_scan(const Group &g, T v) {
  return exclusive_scan(g, v, plus<T>());
}

/// The sums go on from what `atomic` holds, which becomes the sum of all.
template <class Group, class Atomic, class T, class Op>
HEDDLE_D auto inclusive_scan_update(const Group &g, Atomic &atomic, T v, Op &&op) ->
    typename details::ResultOf<Op, T>::Type {
  auto prefix = details::scan(g, v, op);
  return op(details::updateByOne(g, atomic, prefix.all, op), prefix.inclusive);
}
template <class Group, class Atomic, class T>
HEDDLE_D T inclusive_scan_update(const Group &g, Atomic &atomic, T v) {
  return inclusive_scan_update(g, atomic, v, plus<T>());
}
template <class Group, class Atomic, class T, class Op>
HEDDLE_D auto exclusive_scan_update(const Group &g, Atomic &atomic, T v, Op &&op) ->
    typename details::ResultOf<Op, T>::Type {
  auto prefix = details::scan(g, v, op);
  auto old = details::updateByOne(g, atomic, prefix.all, op);
  return prefix.hasBefore ? op(old, prefix.before) : old;
}
template <class Group, class Atomic, class T>
HEDDLE_D T exclusive_scan_update(const Group &g, Atomic &atomic, T v) {
  return exclusive_scan_update(g, atomic, v, plus<T>());
}

} // namespace __v1
using namespace __v1; // libcu++ declares it so
} // namespace cooperative_groups

#undef HEDDLE_D
#pragma pop_macro("HEDDLE_D")
#endif
#endif
