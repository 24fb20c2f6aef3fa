// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies that inline PTX asks for, and that are too long for it to write out (PTX ISA,
// "cp.async.bulk", "cp.async.bulk.tensor"): tensor copies, which the runtime does, and copies to
// several blocks of a cluster. They are done when they return. What an mbarrier is told then is
// said in include/heddle/device_mbarrier.h. For device code only.
#include "devlib.h"

#include "base/abi/async_step.h"
#include "base/abi/tensor_map.h"

using namespace heddle;
using namespace heddle::devlib;

extern "C" u32 __heddle_tensor_copy(TensorCopy *copy);
/// The intrinsic, which clang offers by its own name for new architectures only.
extern "C" void *mapa(void *shared, u32 rank) __asm__("llvm.nvvm.mapa");
/// For checks (simt/analysis/async_copies.h).
extern "C" void __heddle_async_note(void *, u32 step, u64 number);
extern "C" u64 __heddle_mbarrier_change(void *barrier, u32 arrivals, u32 drops, i64 bytes);

#define BULK extern "C" __attribute__((nothrow))

namespace {

/// `kind` is what tensor_copies.cpp of the PTX reader makes: the action, the rank, the mode.
inline TensorCopy tensorCopy(u32 kind, const void *map, void *shared, int c0, int c1, int c2,
                             int c3, int c4, u64 offsets) {
  TensorCopy copy;
  copy.map = static_cast<const TensorMap *>(map);
  copy.shared = shared;
  copy.coordinates[0] = c0;
  copy.coordinates[1] = c1;
  copy.coordinates[2] = c2;
  copy.coordinates[3] = c3;
  copy.coordinates[4] = c4;
  copy.offsets[0] = static_cast<unsigned short>(offsets);
  copy.offsets[1] = static_cast<unsigned short>(offsets >> 16);
  copy.offsets[2] = static_cast<unsigned short>(offsets >> 32);
  copy.action = static_cast<TensorAction>(kind & 0xff);
  copy.rank = kind >> 8 & 0xff;
  copy.isIm2col = kind >> 16 & 1;
  copy.isPrefetch = kind >> 17 & 1;
  return copy;
}

inline u32 run(TensorCopy &copy, void *barrier) {
  __heddle_async_note(&copy, static_cast<u32>(AsyncStep::Tensor), reinterpret_cast<u64>(barrier));
  return __heddle_tensor_copy(&copy);
}

/// The same place in the shared memory of the cluster's block `rank`.
inline void *inBlock(void *shared, u32 rank) { return mapa(shared, rank); }

} // namespace

/// A store, a reduction or a prefetch.
BULK void __heddle_tensor_store(u32 kind, const void *map, void *shared, int c0, int c1, int c2,
                                int c3, int c4, u64 offsets) {
  TensorCopy copy = tensorCopy(kind, map, shared, c0, c1, c2, c3, c4, offsets);
  run(copy, nullptr);
}

/// A load, whose bytes `barrier` is told.
BULK void __heddle_tensor_load(u32 kind, const void *map, void *shared, void *barrier, int c0,
                               int c1, int c2, int c3, int c4, u64 offsets) {
  TensorCopy copy = tensorCopy(kind, map, shared, c0, c1, c2, c3, c4, offsets);
  u32 bytes = run(copy, barrier);
  __heddle_mbarrier_change(barrier, 0, 0, -static_cast<i64>(bytes));
}

/// A load to each block of the cluster whose bit is set, each with its own barrier.
BULK void __heddle_tensor_multicast(u32 kind, const void *map, void *shared, void *barrier,
                                    u32 blocks, int c0, int c1, int c2, int c3, int c4,
                                    u64 offsets) {
  for (u32 rank = 0; blocks >> rank; ++rank)
    if (blocks >> rank & 1)
      __heddle_tensor_load(kind, map, inBlock(shared, rank), inBlock(barrier, rank), c0, c1, c2, c3,
                           c4, offsets);
}

/// The same of plain bytes.
BULK void __heddle_bulk_multicast(void *shared, const void *from, u32 bytes, void *barrier,
                                  u32 blocks) {
  for (u32 rank = 0; blocks >> rank; ++rank)
    if (blocks >> rank & 1) {
      __builtin_memcpy(inBlock(shared, rank), from, bytes);
      __heddle_mbarrier_change(inBlock(barrier, rank), 0, 0, -static_cast<i64>(bytes));
    }
}
