// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cooperative groups (CUDA guide, "Cooperative Groups"): the groups and what every one of them can
// do. Collectives beyond that have headers of their own: cooperative_groups/reduce.h, scan.h and
// memcpy_async.h.
#ifndef HEDDLE_COOPERATIVE_GROUPS_H
#define HEDDLE_COOPERATIVE_GROUPS_H
#define _COOPERATIVE_GROUPS_H_

#include "cuda_runtime.h"

#if defined(__CUDACC__) && defined(__CUDA__)

#pragma push_macro("HEDDLE_D")
#define HEDDLE_D __device__ __forceinline__

#include "heddle/groups/block.h"

#include "heddle/groups/grid.h"
#include "heddle/groups/warp.h"

#include "heddle/groups/tiles.h"

#include "heddle/groups/partitions.h"

namespace cooperative_groups {
namespace __v1 {

template <class Group> HEDDLE_D void sync(const Group &g) { g.sync(); }
template <class Group> HEDDLE_D unsigned long long thread_rank(const Group &g) {
  return g.thread_rank();
}
template <class Group> HEDDLE_D unsigned long long group_size(const Group &g) { return g.size(); }

/// Calls f on one thread of the group.
template <class Group, class F, class... Args>
HEDDLE_D void invoke_one(const Group &g, F &&f, Args &&...args) {
  if (g.thread_rank() == 0)
    static_cast<F &&>(f)(static_cast<Args &&>(args)...);
}
/// The same, and the result in all threads of the group: a tile or coalesced threads.
template <class Group, class F, class... Args>
HEDDLE_D auto invoke_one_broadcast(const Group &g, F &&f, Args &&...args)
    -> decltype(f(static_cast<Args &&>(args)...)) {
  decltype(f(static_cast<Args &&>(args)...)) result{};
  if (g.thread_rank() == 0)
    result = static_cast<F &&>(f)(static_cast<Args &&>(args)...);
  return g.shfl(result, 0);
}

} // namespace __v1
using namespace __v1; // libcu++ declares it so
} // namespace cooperative_groups

#undef HEDDLE_D
#pragma pop_macro("HEDDLE_D")
#endif
#endif
