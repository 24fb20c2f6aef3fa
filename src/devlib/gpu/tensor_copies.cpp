// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor copies, and copies to several blocks of a cluster, as a GPU's instructions (PTX ISA,
// "cp.async.bulk.tensor"): in the place of the functions of devlib/bulk_copies.cpp, which say what the
// parameters are. `kind` is a constant at each call, so one instruction is left of each. The map is the
// driver's. Stores are waited for by groups (__heddle_async_note).
#include "base/abi/async_step.h"
#include "base/abi/tensor_map.h"
#include "devlib/gpu/window.h"

using namespace heddle;
using namespace heddle::devlib;

// Of an instruction's operands: %0 the shared memory, %1 the map, %2 to %6 the coordinates, %7 the barrier, %8
// the mask of blocks, %9 to %11 the offsets.
#define ISSUE(text)                                                                                \
  asm volatile(text ";" ::"r"(c.shared), "l"(c.map), "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]),     \
               "r"(c.at[3]), "r"(c.at[4]), "r"(c.barrier), "h"(c.blocks), "h"(c.offsets[0]),       \
               "h"(c.offsets[1]), "h"(c.offsets[2])                                                \
               : "memory")
#define AT1 "{%2}"
#define AT2 "{%2, %3}"
#define AT3 "{%2, %3, %4}"
#define AT4 "{%2, %3, %4, %5}"
#define AT5 "{%2, %3, %4, %5, %6}"
#define BY_3 ", {%9}"
#define BY_4 ", {%9, %10}"
#define BY_5 ", {%9, %10, %11}"
#define TILED(EACH)                                                                                \
  switch (c.rank) {                                                                                \
  case 1:                                                                                          \
    EACH("1d", "tile", AT1, "");                                                                   \
    break;                                                                                         \
  case 2:                                                                                          \
    EACH("2d", "tile", AT2, "");                                                                   \
    break;                                                                                         \
  case 3:                                                                                          \
    EACH("3d", "tile", AT3, "");                                                                   \
    break;                                                                                         \
  case 4:                                                                                          \
    EACH("4d", "tile", AT4, "");                                                                   \
    break;                                                                                         \
  default:                                                                                         \
    EACH("5d", "tile", AT5, "");                                                                   \
  }
#define OF_IMAGES(EACH, mode, by)                                                                  \
  switch (c.rank) {                                                                                \
  case 3:                                                                                          \
    EACH("3d", mode, AT3, by##_3);                                                                 \
    break;                                                                                         \
  case 4:                                                                                          \
    EACH("4d", mode, AT4, by##_4);                                                                 \
    break;                                                                                         \
  default:                                                                                         \
    EACH("5d", mode, AT5, by##_5);                                                                 \
  }
#define NOT_3 ""
#define NOT_4 ""
#define NOT_5 ""

#define INLINE extern "C" __attribute__((nothrow, always_inline))

namespace {

struct Copy {
  u32 shared, barrier;
  u64 map;
  int at[5];
  u16 blocks, offsets[3];
  u32 rank;
  bool isIm2col, isPrefetch;
  TensorAction action;
};

inline Copy copyOf(u32 kind, const void *map, const void *shared, int c0, int c1, int c2, int c3,
                   int c4, u64 offsets) {
  return {shared ? windowOf(shared) : 0,
          0,
          (u64)map,
          {c0, c1, c2, c3, c4},
          0,
          {(u16)offsets, (u16)(offsets >> 16), (u16)(offsets >> 32)},
          kind >> 8 & 0xff,
          (bool)(kind >> 16 & 1),
          (bool)(kind >> 17 & 1),
          (TensorAction)(kind & 0xff)};
}

#define LOAD(dimensions, mode, at, by)                                                             \
  ISSUE("cp.async.bulk.tensor." dimensions ".shared::cluster.global." mode                         \
        ".mbarrier::complete_tx::bytes [%0], [%1, " at "], [%7]" by)
#define SPREAD(dimensions, mode, at, by)                                                           \
  ISSUE("cp.async.bulk.tensor." dimensions ".shared::cluster.global." mode                         \
        ".mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, " at "], [%7]" by ", %8")
#define PREFETCH(dimensions, mode, at, by)                                                         \
  ISSUE("cp.async.bulk.prefetch.tensor." dimensions ".L2.global." mode " [%1, " at "]" by)
#define STORE(dimensions, mode, at, by)                                                            \
  ISSUE("cp.async.bulk.tensor." dimensions ".global.shared::cta." mode ".bulk_group [%1, " at      \
        "], [%0]")
#define REDUCTION(name, text)                                                                      \
  case TensorAction::name:                                                                         \
    if (c.isIm2col)                                                                                \
      OF_IMAGES(REDUCE_##name, "im2col_no_offs", NOT)                                              \
    else                                                                                           \
      TILED(REDUCE_##name)                                                                         \
    break;
#define REDUCE(operation, dimensions, mode, at)                                                    \
  ISSUE("cp.reduce.async.bulk.tensor." dimensions ".global.shared::cta." operation "." mode        \
        ".bulk_group [%1, " at "], [%0]")
#define REDUCE_Add(d, mode, at, by) REDUCE("add", d, mode, at)
#define REDUCE_Min(d, mode, at, by) REDUCE("min", d, mode, at)
#define REDUCE_Max(d, mode, at, by) REDUCE("max", d, mode, at)
#define REDUCE_Inc(d, mode, at, by) REDUCE("inc", d, mode, at)
#define REDUCE_Dec(d, mode, at, by) REDUCE("dec", d, mode, at)
#define REDUCE_And(d, mode, at, by) REDUCE("and", d, mode, at)
#define REDUCE_Or(d, mode, at, by) REDUCE("or", d, mode, at)
#define REDUCE_Xor(d, mode, at, by) REDUCE("xor", d, mode, at)

} // namespace

INLINE void __heddle_tensor_load_sm90(u32 kind, const void *map, void *shared, void *barrier,
                                      int c0, int c1, int c2, int c3, int c4, u64 offsets) {
  Copy c = copyOf(kind, map, shared, c0, c1, c2, c3, c4, offsets);
  c.barrier = windowOf(barrier);
  if (c.isIm2col)
    OF_IMAGES(LOAD, "im2col", BY)
  else
    TILED(LOAD)
}

INLINE void __heddle_tensor_multicast_sm90(u32 kind, const void *map, void *shared, void *barrier,
                                           u32 blocks, int c0, int c1, int c2, int c3, int c4,
                                           u64 offsets) {
  Copy c = copyOf(kind, map, shared, c0, c1, c2, c3, c4, offsets);
  c.barrier = windowOf(barrier);
  c.blocks = (u16)blocks;
  if (c.isIm2col)
    OF_IMAGES(SPREAD, "im2col", BY)
  else
    TILED(SPREAD)
}

INLINE void __heddle_tensor_store_sm90(u32 kind, const void *map, void *shared, int c0, int c1,
                                       int c2, int c3, int c4, u64 offsets) {
  Copy c = copyOf(kind, map, shared, c0, c1, c2, c3, c4, offsets);
  if (c.isPrefetch) {
    if (c.isIm2col)
      OF_IMAGES(PREFETCH, "im2col", BY)
    else
      TILED(PREFETCH)
    return;
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  switch (c.action) {
    REDUCTION(Add, "add")
    REDUCTION(Min, "min")
    REDUCTION(Max, "max")
    REDUCTION(Inc, "inc")
    REDUCTION(Dec, "dec")
    REDUCTION(And, "and")
    REDUCTION(Or, "or")
    REDUCTION(Xor, "xor")
  default:
    if (c.isIm2col)
      OF_IMAGES(STORE, "im2col_no_offs", NOT)
    else
      TILED(STORE)
  }
}

INLINE void __heddle_bulk_multicast_sm90(void *shared, const void *from, u32 bytes, void *barrier,
                                         u32 blocks) {
  u64 global;
  asm("cvta.to.global.u64 %0, %1;" : "=l"(global) : "l"(from));
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1], %2, [%3], %4;" ::"r"(windowOf(shared)),
      "l"(global), "r"(bytes), "r"(windowOf(barrier)), "h"((u16)blocks)
      : "memory");
}

/// The groups of a thread's stores; a wait is for all bytes to be written. Numbers are constants.
INLINE void __heddle_async_note_sm90(const void *, u32 step, u64 number) {
  if ((AsyncStep)step == AsyncStep::BulkCommits)
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  if ((AsyncStep)step != AsyncStep::BulkWaits)
    return;
  switch (number) {
#define WAIT(n)                                                                                    \
  case n:                                                                                          \
    asm volatile("cp.async.bulk.wait_group " #n ";" ::: "memory");                                 \
    break;
    WAIT(1)
    WAIT(2)
    WAIT(3)
    WAIT(4)
    WAIT(5)
    WAIT(6)
    WAIT(7)
#undef WAIT
  default:
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}
