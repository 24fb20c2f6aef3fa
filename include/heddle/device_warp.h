// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warp operations: votes, shuffles, match, reductions, barriers. All are NVVM intrinsics, which
// simt turns into vector code. A value wider than 32 bits is shuffled in halves, as on a GPU. The
// names without _sync (gone from sm_70 on) act on the threads that are active at the call.
#ifndef HEDDLE_DEVICE_WARP_H
#define HEDDLE_DEVICE_WARP_H

#pragma push_macro("HEDDLE_D")
#define HEDDLE_D static __device__ __forceinline__

HEDDLE_D unsigned __activemask() { return __nvvm_activemask(); }
HEDDLE_D void __syncwarp(unsigned mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }
HEDDLE_D void __barrier_sync(unsigned id) { __nvvm_barrier_sync(id); }
HEDDLE_D void __barrier_sync_count(unsigned id, unsigned count) {
  __nvvm_barrier_sync_cnt(id, count);
}

HEDDLE_D int __all_sync(unsigned mask, int p) { return __nvvm_vote_all_sync(mask, p); }
HEDDLE_D int __any_sync(unsigned mask, int p) { return __nvvm_vote_any_sync(mask, p); }
HEDDLE_D int __uni_sync(unsigned mask, int p) { return __nvvm_vote_uni_sync(mask, p); }
HEDDLE_D unsigned __ballot_sync(unsigned mask, int p) { return __nvvm_vote_ballot_sync(mask, p); }
HEDDLE_D int __all(int p) { return __all_sync(__activemask(), p); }
HEDDLE_D int __any(int p) { return __any_sync(__activemask(), p); }
HEDDLE_D unsigned __ballot(int p) { return __ballot_sync(__activemask(), p); }

// One shuffle in all its types. `clamp` is PTX's c operand: bits 8-12 hold 32 - width, bits 0-4 the
// last lane.
#define HEDDLE_SHUFFLE_CAST(name, T, Bits, Lane)                                                   \
  HEDDLE_D T name##_sync(unsigned mask, T v, Lane lane, int width = 32) {                          \
    return (T)name##_sync(mask, (Bits)v, lane, width);                                             \
  }
#define HEDDLE_SHUFFLE(name, op, last, Lane)                                                       \
  HEDDLE_D int name##_sync(unsigned mask, int v, Lane lane, int width = 32) {                      \
    return __nvvm_shfl_sync_##op##_i32(mask, v, (int)lane, ((32 - width) << 8) | last);            \
  }                                                                                                \
  HEDDLE_SHUFFLE_CAST(name, unsigned, int, Lane)                                                   \
  HEDDLE_D long long name##_sync(unsigned mask, long long v, Lane lane, int width = 32) {          \
    unsigned lo = name##_sync(mask, (unsigned)v, lane, width);                                     \
    unsigned hi = name##_sync(mask, (unsigned)((unsigned long long)v >> 32), lane, width);         \
    return (long long)((unsigned long long)hi << 32 | lo);                                         \
  }                                                                                                \
  HEDDLE_SHUFFLE_CAST(name, unsigned long long, long long, Lane)                                   \
  HEDDLE_SHUFFLE_CAST(name, long, long long, Lane)                                                 \
  HEDDLE_SHUFFLE_CAST(name, unsigned long, long long, Lane)                                        \
  HEDDLE_D float name##_sync(unsigned mask, float v, Lane lane, int width = 32) {                  \
    return __builtin_bit_cast(float, name##_sync(mask, __builtin_bit_cast(int, v), lane, width));  \
  }                                                                                                \
  HEDDLE_D double name##_sync(unsigned mask, double v, Lane lane, int width = 32) {                \
    return __builtin_bit_cast(double,                                                              \
                              name##_sync(mask, __builtin_bit_cast(long long, v), lane, width));   \
  }                                                                                                \
  HEDDLE_SHUFFLE_ACTIVE(name, int, Lane)                                                           \
  HEDDLE_SHUFFLE_ACTIVE(name, unsigned, Lane)                                                      \
  HEDDLE_SHUFFLE_ACTIVE(name, long, Lane)                                                          \
  HEDDLE_SHUFFLE_ACTIVE(name, unsigned long, Lane)                                                 \
  HEDDLE_SHUFFLE_ACTIVE(name, long long, Lane)                                                     \
  HEDDLE_SHUFFLE_ACTIVE(name, unsigned long long, Lane)                                            \
  HEDDLE_SHUFFLE_ACTIVE(name, float, Lane)                                                         \
  HEDDLE_SHUFFLE_ACTIVE(name, double, Lane)
#define HEDDLE_SHUFFLE_ACTIVE(name, T, Lane)                                                       \
  HEDDLE_D T name(T v, Lane lane, int width = 32) {                                                \
    return name##_sync(__activemask(), v, lane, width);                                            \
  }
HEDDLE_SHUFFLE(__shfl, idx, 0x1f, int)
HEDDLE_SHUFFLE(__shfl_up, up, 0, unsigned)
HEDDLE_SHUFFLE(__shfl_down, down, 0x1f, unsigned)
HEDDLE_SHUFFLE(__shfl_xor, bfly, 0x1f, int)
#undef HEDDLE_SHUFFLE
#undef HEDDLE_SHUFFLE_CAST
#undef HEDDLE_SHUFFLE_ACTIVE

#define HEDDLE_MATCH(T, Bits, width)                                                               \
  HEDDLE_D unsigned __match_any_sync(unsigned mask, T v) {                                         \
    return __nvvm_match_any_sync_i##width(mask, __builtin_bit_cast(Bits, v));                      \
  }                                                                                                \
  HEDDLE_D unsigned __match_all_sync(unsigned mask, T v, int *all) {                               \
    return __nvvm_match_all_sync_i##width##p(mask, __builtin_bit_cast(Bits, v), all);              \
  }
HEDDLE_MATCH(int, unsigned, 32)
HEDDLE_MATCH(unsigned, unsigned, 32)
HEDDLE_MATCH(float, unsigned, 32)
HEDDLE_MATCH(long, unsigned long long, 64)
HEDDLE_MATCH(unsigned long, unsigned long long, 64)
HEDDLE_MATCH(long long, unsigned long long, 64)
HEDDLE_MATCH(unsigned long long, unsigned long long, 64)
HEDDLE_MATCH(double, unsigned long long, 64)
#undef HEDDLE_MATCH

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define HEDDLE_REDUCE(name, T, op)                                                                 \
  HEDDLE_D T __reduce_##name##_sync(unsigned mask, T v) {                                          \
    return (T)__nvvm_redux_sync_##op((int)v, (int)mask);                                           \
  }
HEDDLE_REDUCE(add, int, add)
HEDDLE_REDUCE(add, unsigned, add)
HEDDLE_REDUCE(min, int, min)
HEDDLE_REDUCE(min, unsigned, umin)
HEDDLE_REDUCE(max, int, max)
HEDDLE_REDUCE(max, unsigned, umax)
HEDDLE_REDUCE(and, unsigned, and)
HEDDLE_REDUCE(or, unsigned, or)
HEDDLE_REDUCE(xor, unsigned, xor)
#undef HEDDLE_REDUCE
#endif

/// The position of the n-th set bit from bit 0 on, n > 0; ~0 if there are fewer.
HEDDLE_D unsigned __heddle_nth_bit(unsigned mask, unsigned n) {
  if (n > (unsigned)__builtin_popcount(mask))
    return 0xffffffffu;
  unsigned at = 0;
#pragma unroll
  for (unsigned bits = 16; bits > 0; bits /= 2) {
    unsigned below = (unsigned)__builtin_popcount(mask >> at & ((1u << bits) - 1));
    at += n > below ? bits : 0;
    n -= n > below ? below : 0;
  }
  return at;
}

/// The position of the |offset|-th set bit of `mask` from bit `base` on, upwards if offset > 0,
/// downwards if offset < 0; base itself if offset is 0 and its bit is set; else ~0 (PTX ISA,
/// "fns").
HEDDLE_D unsigned __fns(unsigned mask, unsigned base, int offset) {
  if (base >= 32)
    return 0xffffffffu;
  if (offset == 0)
    return mask >> base & 1 ? base : 0xffffffffu;
  if (offset > 0)
    return __heddle_nth_bit(mask & 0xffffffffu << base, (unsigned)offset);
  unsigned at = __heddle_nth_bit(__builtin_bitreverse32(mask) & 0xffffffffu << (31 - base),
                                 0u - (unsigned)offset);
  return at < 32 ? 31 - at : at;
}

#undef HEDDLE_D
#pragma pop_macro("HEDDLE_D")
#endif
