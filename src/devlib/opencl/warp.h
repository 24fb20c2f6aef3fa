// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A subgroup is a warp: its work-items, and how values move between them. Who includes this has a function
// takingPart() first: the mask of the lanes that a move is for.
#pragma once
#include "builtins.h"

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define WARP 32
#define THREAD ((TID_Z * NTID_Y + TID_Y) * NTID_X + TID_X)
#define THREADS (NTID_X * NTID_Y * NTID_Z)

CONST_FUNCTION uint get_sub_group_local_id(void);
CONST_FUNCTION uint get_sub_group_size(void);
CONST_FUNCTION uint get_max_sub_group_size(void);

static uint takingPart(void);

// Values of 32 bits move as they are, longer ones in two halves.
static int moveInt(int v, uint lane) { return __nvvm_shfl_sync_idx_i32(takingPart(), v, (int)lane, WARP - 1); }
static long move_long(long v, uint lane) {
  int2 halves = __builtin_astype(v, int2);
  halves.x = moveInt(halves.x, lane);
  halves.y = moveInt(halves.y, lane);
  return __builtin_astype(halves, long);
}
#define MOVE_INTEGER(type, through)                                                                \
  static type move_##type(type v, uint lane) { return (type)through(v, lane); }
MOVE_INTEGER(char, moveInt)
MOVE_INTEGER(uchar, moveInt)
MOVE_INTEGER(short, moveInt)
MOVE_INTEGER(ushort, moveInt)
MOVE_INTEGER(int, moveInt)
MOVE_INTEGER(uint, moveInt)
MOVE_INTEGER(ulong, move_long)
static half move_half(half v, uint lane) {
  return __builtin_astype((ushort)moveInt(__builtin_astype(v, ushort), lane), half);
}
static float move_float(float v, uint lane) {
  return __builtin_astype(moveInt(__builtin_astype(v, int), lane), float);
}
static double move_double(double v, uint lane) {
  return __builtin_astype(move_long(__builtin_astype(v, long), lane), double);
}

#define MOST_char 0x7f
#define LEAST_char (-0x7f - 1)
#define MOST_uchar 0xff
#define LEAST_uchar 0
#define MOST_short 0x7fff
#define LEAST_short (-0x7fff - 1)
#define MOST_ushort 0xffff
#define LEAST_ushort 0
#define MOST_int 0x7fffffff
#define LEAST_int (-0x7fffffff - 1)
#define MOST_uint ~0u
#define LEAST_uint 0u
#define MOST_long 0x7fffffffffffffffL
#define LEAST_long (-0x7fffffffffffffffL - 1)
#define MOST_ulong ~0ul
#define LEAST_ulong 0ul
#define MOST_half (half)__builtin_inff()
#define LEAST_half (half)(-__builtin_inff())
#define MOST_float __builtin_inff()
#define LEAST_float -__builtin_inff()
#define MOST_double __builtin_inf()
#define LEAST_double -__builtin_inf()

// Operands are variables: they are evaluated twice.
#define add(a, b) ((a) + (b))
#define mul(a, b) ((a) * (b))
#define min(a, b) ((b) < (a) ? (b) : (a))
#define max(a, b) ((a) < (b) ? (b) : (a))
#define and(a, b) ((a) & (b))
#define or(a, b) ((a) | (b))
#define xor(a, b) ((a) ^ (b))

#define EACH_INTEGER(macro)                                                                        \
  macro(char) macro(uchar) macro(short) macro(ushort) macro(int) macro(uint) macro(long) macro(ulong)
#define EACH_TYPE(macro) EACH_INTEGER(macro) macro(half) macro(float) macro(double)

/// `name(vector, lane)` for each length of a type's vectors.
#define BROADCASTS(type, name)                                                                     \
  BROADCAST(type, 2, name) BROADCAST(type, 3, name) BROADCAST(type, 4, name)                       \
  BROADCAST(type, 8, name) BROADCAST(type, 16, name)
#define BROADCAST(type, length, name)                                                              \
  CONVERGENT type##length name(type##length v, uint lane) {                                        \
    for (int i = 0; i < length; ++i)                                                               \
      v[i] = move_##type(v[i], lane);                                                              \
    return v;                                                                                      \
  }
