// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shuffles and votes (CUDA Fortran Programming Guide, "Warp-Vote Operations", "SHFL Functions"),
// for the module heddle_device (../modules/heddle_device.cuf). Lanes are counted from 0, as in CUDA
// C++. Without a mask the active lanes take part.
#include "fortran/device/device.h"

namespace {

constexpr int ClampUp = 0, Clamp = 31, SegmentShift = 8, WarpSize = 32;

/// The last operand of PTX's shfl.sync: segments of `width` lanes, and the bound of the source
/// lane.
int segment(int width, int clamp) { return (WarpSize - width) << SegmentShift | clamp; }

struct Index {
  static int move(int mask, int value, int lane, int width) {
    return __nvvm_shfl_sync_idx_i32(mask, value, lane, segment(width, Clamp));
  }
};
struct Up {
  static int move(int mask, int value, int delta, int width) {
    return __nvvm_shfl_sync_up_i32(mask, value, delta, segment(width, ClampUp));
  }
};
struct Down {
  static int move(int mask, int value, int delta, int width) {
    return __nvvm_shfl_sync_down_i32(mask, value, delta, segment(width, Clamp));
  }
};
struct Xor {
  static int move(int mask, int value, int lanes, int width) {
    return __nvvm_shfl_sync_bfly_i32(mask, value, lanes, segment(width, Clamp));
  }
};

/// Moves a value of one or two words.
template <typename Way, typename T> T shuffle(int mask, T value, int lane, int width) {
  constexpr unsigned Words = sizeof(T) / sizeof(int);
  struct Bits {
    int words[Words];
  };
  Bits bits = __builtin_bit_cast(Bits, value);
  for (int &word : bits.words)
    word = Way::move(mask, word, lane, width);
  return __builtin_bit_cast(T, bits);
}

} // namespace

#define HEDDLE_SHUFFLE(NAME, WAY, SUFFIX, TYPE)                                                    \
  TYPE __heddle_##NAME##_##SUFFIX(TYPE value, int lane, int width) {                               \
    return shuffle<WAY>(static_cast<int>(__nvvm_activemask()), value, lane, width);                \
  }                                                                                                \
  TYPE __heddle_##NAME##_sync_##SUFFIX(int mask, TYPE value, int lane, int width) {                \
    return shuffle<WAY>(mask, value, lane, width);                                                 \
  }                                                                                                \
  TYPE __heddle_##NAME##_warp_##SUFFIX(TYPE value, int lane) {                                     \
    return shuffle<WAY>(static_cast<int>(__nvvm_activemask()), value, lane, WarpSize);             \
  }                                                                                                \
  TYPE __heddle_##NAME##_warp_sync_##SUFFIX(int mask, TYPE value, int lane) {                      \
    return shuffle<WAY>(mask, value, lane, WarpSize);                                              \
  }

#define HEDDLE_SHUFFLES(SUFFIX, TYPE)                                                              \
  HEDDLE_SHUFFLE(shfl, Index, SUFFIX, TYPE)                                                        \
  HEDDLE_SHUFFLE(shfl_up, Up, SUFFIX, TYPE)                                                        \
  HEDDLE_SHUFFLE(shfl_down, Down, SUFFIX, TYPE)                                                    \
  HEDDLE_SHUFFLE(shfl_xor, Xor, SUFFIX, TYPE)

extern "C" {
HEDDLE_SHUFFLES(i4, int32_t)
HEDDLE_SHUFFLES(i8, int64_t)
HEDDLE_SHUFFLES(r4, float)
HEDDLE_SHUFFLES(r8, double)

int __heddle_activemask() { return static_cast<int>(__nvvm_activemask()); }
void __heddle_syncwarp_all() { __nvvm_bar_warp_sync(~0u); }
void __heddle_syncwarp_mask(int mask) { __nvvm_bar_warp_sync(static_cast<unsigned>(mask)); }
void __heddle_nanosleep(int nanoseconds) { __nvvm_nanosleep(nanoseconds); }
}

#define HEDDLE_VOTES(SUFFIX)                                                                       \
  int __heddle_ballot_##SUFFIX(int condition) {                                                    \
    return static_cast<int>(__nvvm_vote_ballot_sync(__nvvm_activemask(), condition != 0));         \
  }                                                                                                \
  int __heddle_allthreads_##SUFFIX(int condition) {                                                \
    return __nvvm_vote_all_sync(__nvvm_activemask(), condition != 0);                              \
  }                                                                                                \
  int __heddle_anythread_##SUFFIX(int condition) {                                                 \
    return __nvvm_vote_any_sync(__nvvm_activemask(), condition != 0);                              \
  }

extern "C" {
HEDDLE_VOTES(i4)
HEDDLE_VOTES(l4)
}
