// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenCL's extensions of subgroups (cl_khr_subgroup_*): votes, ballots, moves and reductions among those
// work-items of a subgroup that come here together.
#include "warp.h"

static uint takingPart(void) { return __nvvm_activemask(); }

static uint firstOf(uint mask) { return (uint)__builtin_ctz(mask); }

// cl_khr_subgroup_non_uniform_vote

CONVERGENT int sub_group_elect(void) { return get_sub_group_local_id() == firstOf(takingPart()); }
CONVERGENT int sub_group_non_uniform_all(int predicate) { return __nvvm_vote_all_sync(takingPart(), predicate != 0); }
CONVERGENT int sub_group_non_uniform_any(int predicate) { return __nvvm_vote_any_sync(takingPart(), predicate != 0); }
#define ALL_EQUAL(type)                                                                            \
  CONVERGENT int sub_group_non_uniform_all_equal(type v) {                                         \
    uint mask = takingPart();                                                                      \
    return __nvvm_vote_all_sync(mask, v == move_##type(v, firstOf(mask)));                         \
  }
EACH_TYPE(ALL_EQUAL)

// cl_khr_subgroup_ballot. Bits behind the largest subgroup of the work-group do not count.

static uint first(uint count) { return count >= WARP ? ~0u : (1u << count) - 1; }
static uint counted(uint4 ballot) { return ballot.x & first(get_max_sub_group_size()); }
static uint below(void) { return (1u << get_sub_group_local_id()) - 1; }
static uint upTo(void) { return 2 * below() + 1; }

CONVERGENT uint4 sub_group_ballot(int predicate) {
  return (uint4)((uint)__nvvm_vote_ballot_sync(takingPart(), predicate != 0), 0, 0, 0);
}
CONST_FUNCTION int sub_group_inverse_ballot(uint4 v) { return v.x >> get_sub_group_local_id() & 1; }
CONST_FUNCTION int sub_group_ballot_bit_extract(uint4 v, uint i) { return v[i / 32 % 4] >> i % 32 & 1; }
CONST_FUNCTION uint sub_group_ballot_bit_count(uint4 v) { return (uint)__builtin_popcount(counted(v)); }
CONST_FUNCTION uint sub_group_ballot_inclusive_scan(uint4 v) {
  return (uint)__builtin_popcount(counted(v) & upTo());
}
CONST_FUNCTION uint sub_group_ballot_exclusive_scan(uint4 v) {
  return (uint)__builtin_popcount(counted(v) & below());
}
CONST_FUNCTION uint sub_group_ballot_find_lsb(uint4 v) { return firstOf(counted(v)); }
CONST_FUNCTION uint sub_group_ballot_find_msb(uint4 v) { return 31 - (uint)__builtin_clz(counted(v)); }
CONST_FUNCTION uint4 get_sub_group_eq_mask(void) { return (uint4)(upTo() & ~below(), 0, 0, 0); }
CONST_FUNCTION uint4 get_sub_group_ge_mask(void) { return (uint4)(first(get_max_sub_group_size()) & ~below(), 0, 0, 0); }
CONST_FUNCTION uint4 get_sub_group_gt_mask(void) { return (uint4)(first(get_max_sub_group_size()) & ~upTo(), 0, 0, 0); }
CONST_FUNCTION uint4 get_sub_group_le_mask(void) { return (uint4)(upTo(), 0, 0, 0); }
CONST_FUNCTION uint4 get_sub_group_lt_mask(void) { return (uint4)(below(), 0, 0, 0); }
#define BALLOT(type)                                                                               \
  CONVERGENT type sub_group_non_uniform_broadcast(type v, uint lane) { return move_##type(v, lane); } \
  BROADCASTS(type, sub_group_non_uniform_broadcast)                                                \
  CONVERGENT type sub_group_broadcast_first(type v) { return move_##type(v, firstOf(takingPart())); }
EACH_TYPE(BALLOT)

// cl_khr_subgroup_shuffle, cl_khr_subgroup_shuffle_relative, cl_khr_subgroup_rotate

static uint rotated(int delta, uint size) { // a power of two
  uint lane = get_sub_group_local_id();
  return (lane & ~(size - 1)) | ((lane + (uint)delta) & (size - 1));
}
#define SHUFFLES(type)                                                                             \
  CONVERGENT type sub_group_shuffle(type v, uint lane) { return move_##type(v, lane); }            \
  CONVERGENT type sub_group_shuffle_xor(type v, uint mask) {                                       \
    return move_##type(v, get_sub_group_local_id() ^ mask);                                        \
  }                                                                                                \
  CONVERGENT type sub_group_shuffle_up(type v, uint delta) {                                       \
    return move_##type(v, get_sub_group_local_id() - delta);                                       \
  }                                                                                                \
  CONVERGENT type sub_group_shuffle_down(type v, uint delta) {                                     \
    return move_##type(v, get_sub_group_local_id() + delta);                                       \
  }                                                                                                \
  CONVERGENT type sub_group_rotate(type v, int delta) {                                            \
    int size = (int)get_max_sub_group_size();                                                      \
    int lane = ((int)get_sub_group_local_id() + delta) % size;                                     \
    return move_##type(v, (uint)(lane < 0 ? lane + size : lane));                                  \
  }                                                                                                \
  CONVERGENT type sub_group_clustered_rotate(type v, int delta, uint size) {                       \
    return move_##type(v, rotated(delta, size));                                                   \
  }
EACH_TYPE(SHUFFLES)

// cl_khr_subgroup_non_uniform_arithmetic, cl_khr_subgroup_clustered_reduce. In the order of lanes; what lanes
// that are elsewhere have does not count.

#define NON_UNIFORM(suffix, type, name, identity)                                                  \
  CONVERGENT type sub_group_non_uniform_reduce_##suffix(type v) {                                  \
    uint mask = takingPart();                                                                      \
    type all = identity;                                                                           \
    _Pragma("nounroll")                                                                            \
    for (uint i = 0; i < WARP; ++i) {                                                              \
      type other = move_##type(v, i);                                                              \
      all = mask >> i & 1 ? (type)name(all, other) : all;                                          \
    }                                                                                              \
    return all;                                                                                    \
  }                                                                                                \
  static type scan_##suffix##type(type v, uint wanted) {                                           \
    type all = identity;                                                                           \
    _Pragma("nounroll")                                                                            \
    for (uint i = 0; i < WARP; ++i) {                                                              \
      type other = move_##type(v, i);                                                              \
      all = wanted >> i & 1 ? (type)name(all, other) : all;                                        \
    }                                                                                              \
    return all;                                                                                    \
  }                                                                                                \
  CONVERGENT type sub_group_non_uniform_scan_inclusive_##suffix(type v) {                          \
    return scan_##suffix##type(v, takingPart() & upTo());                                          \
  }                                                                                                \
  CONVERGENT type sub_group_non_uniform_scan_exclusive_##suffix(type v) {                          \
    return scan_##suffix##type(v, takingPart() & below());                                         \
  }                                                                                                \
  CONVERGENT type sub_group_clustered_reduce_##suffix(type v, uint size) {                         \
    uint mask = takingPart();                                                                      \
    uint from = get_sub_group_local_id() & ~(size - 1);                                            \
    type all = identity;                                                                           \
    _Pragma("nounroll")                                                                            \
    for (uint i = 0; i < size; ++i) {                                                              \
      type other = move_##type(v, from + i);                                                       \
      all = mask >> (from + i) & 1 ? (type)name(all, other) : all;                                 \
    }                                                                                              \
    return all;                                                                                    \
  }
#define ARITHMETIC(type)                                                                           \
  NON_UNIFORM(add, type, add, 0)                                                                   \
  NON_UNIFORM(mul, type, mul, 1)                                                                   \
  NON_UNIFORM(min, type, min, MOST_##type)                                                         \
  NON_UNIFORM(max, type, max, LEAST_##type)
EACH_TYPE(ARITHMETIC)
#define BITS(type)                                                                                 \
  NON_UNIFORM(and, type, and, (type)~(type)0)                                                      \
  NON_UNIFORM(or, type, or, 0)                                                                     \
  NON_UNIFORM(xor, type, xor, 0)
EACH_INTEGER(BITS)
#define both(a, b) ((a) && (b))
#define either(a, b) ((a) || (b))
#define differ(a, b) (!(a) != !(b))
NON_UNIFORM(logical_and, int, both, 1)
NON_UNIFORM(logical_or, int, either, 0)
NON_UNIFORM(logical_xor, int, differ, 0)
