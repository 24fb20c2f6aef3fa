// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenCL C, "Work-Group Collective Functions" and "Subgroup Functions". A subgroup is a warp; the last one
// of a work-group may be smaller.
#include "warp.h"

CONST_FUNCTION uint get_sub_group_local_id(void) { return (uint)THREAD % WARP; }
CONST_FUNCTION uint get_sub_group_id(void) { return (uint)THREAD / WARP; }
CONST_FUNCTION uint get_num_sub_groups(void) { return ((uint)THREADS + WARP - 1) / WARP; }
CONST_FUNCTION uint get_max_sub_group_size(void) {
  return (uint)THREADS < WARP ? (uint)THREADS : WARP;
}
CONST_FUNCTION uint get_sub_group_size(void) {
  uint left = (uint)THREADS - get_sub_group_id() * WARP;
  return left < WARP ? left : WARP;
}
CONST_FUNCTION size_t get_enqueued_local_size(uint);
CONST_FUNCTION uint get_enqueued_num_sub_groups(void) {
  return ((uint)(get_enqueued_local_size(0) * get_enqueued_local_size(1) * get_enqueued_local_size(2)) + WARP - 1) / WARP;
}

static uint takingPart(void) {
  uint size = get_sub_group_size();
  return size == WARP ? ~0u : (1u << size) - 1;
}

CONVERGENT void sub_group_barrier(uint flags) { __nvvm_bar_warp_sync(takingPart()); }
CONVERGENT void sub_group_barrier(uint flags, memory_scope scope) {
  __nvvm_bar_warp_sync(takingPart());
}
CONVERGENT int sub_group_all(int predicate) { return __nvvm_vote_all_sync(takingPart(), predicate != 0); }
CONVERGENT int sub_group_any(int predicate) { return __nvvm_vote_any_sync(takingPart(), predicate != 0); }

// What work-groups exchange: a value for each subgroup, and one for all.
__attribute__((const)) local ulong *__heddle_cl_exchange(void);
#define PLACE(type, i) (*(volatile local type *)(__heddle_cl_exchange() + (i)))

#define IN_SUBGROUP(name, type, identity)                                                          \
  CONVERGENT type sub_group_scan_inclusive_##name(type v) {                                        \
    uint lane = get_sub_group_local_id();                                                          \
    for (uint step = 1; step < WARP; step *= 2) {                                                  \
      type other = move_##type(v, lane - step);                                                    \
      v = lane >= step ? name(v, other) : v;                                                       \
    }                                                                                              \
    return v;                                                                                      \
  }                                                                                                \
  CONVERGENT type sub_group_scan_exclusive_##name(type v) {                                        \
    uint lane = get_sub_group_local_id();                                                          \
    type before = move_##type(sub_group_scan_inclusive_##name(v), lane - 1);                       \
    return lane ? before : (type)(identity);                                                       \
  }                                                                                                \
  CONVERGENT type sub_group_reduce_##name(type v) {                                                \
    return move_##type(sub_group_scan_inclusive_##name(v), get_sub_group_size() - 1);              \
  }
#define IN_GROUP(name, type, identity)                                                             \
  static type before_##name##type(type v) {                                                        \
    type all = sub_group_reduce_##name(v);                                                         \
    __syncthreads();                                                                               \
    if (get_sub_group_local_id() == 0)                                                             \
      PLACE(type, get_sub_group_id()) = all;                                                       \
    __syncthreads();                                                                               \
    type sum = identity;                                                                           \
    for (uint i = 0; i < get_sub_group_id(); ++i) {                                                \
      type other = PLACE(type, i);                                                                 \
      sum = name(sum, other);                                                                      \
    }                                                                                              \
    return sum;                                                                                    \
  }                                                                                                \
  CONVERGENT type work_group_scan_inclusive_##name(type v) {                                       \
    type before = before_##name##type(v);                                                          \
    type own = sub_group_scan_inclusive_##name(v);                                                 \
    return name(before, own);                                                                      \
  }                                                                                                \
  CONVERGENT type work_group_scan_exclusive_##name(type v) {                                       \
    type before = before_##name##type(v);                                                          \
    type own = sub_group_scan_exclusive_##name(v);                                                 \
    return name(before, own);                                                                      \
  }                                                                                                \
  CONVERGENT type work_group_reduce_##name(type v) {                                               \
    before_##name##type(v);                                                                        \
    type sum = identity;                                                                           \
    for (uint i = 0; i < get_num_sub_groups(); ++i) {                                              \
      type other = PLACE(type, i);                                                                 \
      sum = name(sum, other);                                                                      \
    }                                                                                              \
    return sum;                                                                                    \
  }

#define SUBGROUP_TYPE(type)                                                                        \
  IN_SUBGROUP(add, type, 0)                                                                        \
  IN_SUBGROUP(min, type, MOST_##type)                                                              \
  IN_SUBGROUP(max, type, LEAST_##type)                                                             \
  CONVERGENT type sub_group_broadcast(type v, uint lane) { return move_##type(v, lane); }          \
  BROADCASTS(type, sub_group_broadcast)
EACH_TYPE(SUBGROUP_TYPE)

static size_t threadAt(size_t x, size_t y, size_t z) { return (z * (uint)NTID_Y + y) * (uint)NTID_X + x; }

#define TYPE(type)                                                                                 \
  IN_GROUP(add, type, 0)                                                                           \
  IN_GROUP(min, type, MOST_##type)                                                                 \
  IN_GROUP(max, type, LEAST_##type)                                                                \
  static type broadcast_##type(type v, size_t thread) {                                            \
    __syncthreads();                                                                               \
    if ((uint)THREAD == thread)                                                                    \
      PLACE(type, WARP) = v;                                                                       \
    __syncthreads();                                                                               \
    return PLACE(type, WARP);                                                                      \
  }                                                                                                \
  CONVERGENT type work_group_broadcast(type v, size_t x) { return broadcast_##type(v, x); }        \
  CONVERGENT type work_group_broadcast(type v, size_t x, size_t y) {                               \
    return broadcast_##type(v, threadAt(x, y, 0));                                                 \
  }                                                                                                \
  CONVERGENT type work_group_broadcast(type v, size_t x, size_t y, size_t z) {                     \
    return broadcast_##type(v, threadAt(x, y, z));                                                 \
  }

TYPE(int)
TYPE(uint)
TYPE(long)
TYPE(ulong)
TYPE(half)
TYPE(float)
TYPE(double)

CONVERGENT int work_group_any(int predicate) { return work_group_reduce_max((int)(predicate != 0)); }
CONVERGENT int work_group_all(int predicate) { return work_group_reduce_min((int)(predicate != 0)); }
