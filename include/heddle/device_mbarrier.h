// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mbarrier objects (PTX ISA, "mbarrier"): barriers in shared memory that threads arrive at without
// waiting, and that count the bytes of copies, too. A phase is over when as many threads as were
// expected have arrived and no bytes are outstanding. The 64 bits of one are ours:
//
//     0..19   arrivals that are missing in this phase
//     20..39  arrivals that a phase takes
//     40..62  bytes that are outstanding; below zero if more have come than were announced
//     63      the phase's parity: what a wait looks at
//
// A change begins the next phase too: threads may arrive for the next one at once. Whoever shares a
// barrier runs on one worker (src/device/cpu/launch/cluster.cpp), so the compiler alone must keep
// accesses on their sides. It makes the code of a change for the threads of a warp together
// (src/simt/widen/calls/mbarrier_changes.cpp).
//
// Addresses are generic. __heddle_from_shared_window takes those that PTX has in 32 bits: an offset
// in the own shared memory, or in that of another block of the cluster, as mapa gives them.
#ifndef HEDDLE_DEVICE_MBARRIER_H
#define HEDDLE_DEVICE_MBARRIER_H

#pragma push_macro("HEDDLE_D")
#define HEDDLE_D static __device__ __forceinline__

/// What a barrier looked like before an arrival; or a barrier.
typedef unsigned long long __heddle_mbarrier_state;

HEDDLE_D void __heddle_mbarrier_order() { asm volatile("" ::: "memory"); }

/// Only checked code does anything there: a barrier is about to be made for as many arrivals, to
/// end, or to be looked at for the phase of a state (src/simt/analysis/mbarriers.h).
enum __heddle_mbarrier_step {
  __heddle_mbarrier_begins,
  __heddle_mbarrier_ends,
  __heddle_mbarrier_looks
};
extern "C" __device__ __attribute__((noconvergent, nothrow)) void
__heddle_mbarrier_note(const void *barrier, unsigned step, __heddle_mbarrier_state state);

HEDDLE_D void __heddle_mbarrier_init(void *barrier, unsigned expected) {
  __heddle_mbarrier_note(barrier, __heddle_mbarrier_begins, expected);
  *(volatile __heddle_mbarrier_state *)barrier =
      (__heddle_mbarrier_state)expected << 20 | (__heddle_mbarrier_state)expected;
  __heddle_mbarrier_order();
}
/// The memory may be used for anything else.
HEDDLE_D void __heddle_mbarrier_inval(void *barrier) {
  __heddle_mbarrier_note(barrier, __heddle_mbarrier_ends, 0);
  __heddle_mbarrier_order();
}

/// Takes `arrivals` from what is missing and `drops` from what later phases expect, adds `bytes` to
/// what is outstanding, and begins the next phase if nothing is left. The state before. (Inline PTX
/// calls it, too.)
extern "C" __device__ __heddle_mbarrier_state
__heddle_mbarrier_change(void *barrier, unsigned arrivals, unsigned drops, long long bytes);

HEDDLE_D __heddle_mbarrier_state __heddle_mbarrier_arrive(void *barrier, unsigned count = 1) {
  return __heddle_mbarrier_change(barrier, count, 0, 0);
}
/// Later phases expect as many less.
HEDDLE_D __heddle_mbarrier_state __heddle_mbarrier_arrive_drop(void *barrier, unsigned count = 1) {
  return __heddle_mbarrier_change(barrier, count, count, 0);
}
/// The phase lasts until `bytes` more have come.
HEDDLE_D void __heddle_mbarrier_expect_tx(void *barrier, unsigned bytes) {
  __heddle_mbarrier_change(barrier, 0, 0, bytes);
}
HEDDLE_D void __heddle_mbarrier_complete_tx(void *barrier, unsigned bytes) {
  __heddle_mbarrier_change(barrier, 0, 0, -(long long)bytes);
}
HEDDLE_D __heddle_mbarrier_state __heddle_mbarrier_arrive_expect_tx(void *barrier, unsigned bytes,
                                                                    unsigned count = 1) {
  return __heddle_mbarrier_change(barrier, count, 0, bytes);
}

/// Whether the phase that the state is of is over. What arriving threads wrote is visible then.
HEDDLE_D bool __heddle_mbarrier_test_wait(const void *barrier, __heddle_mbarrier_state state) {
  __heddle_mbarrier_note(barrier, __heddle_mbarrier_looks, state);
  __heddle_mbarrier_state now = *(const volatile __heddle_mbarrier_state *)barrier;
  __heddle_mbarrier_order();
  return (now ^ state) >> 63;
}
/// Whether the phase of that parity is over: the current one or the one before. The first is 0.
HEDDLE_D bool __heddle_mbarrier_test_wait_parity(const void *barrier, unsigned parity) {
  return __heddle_mbarrier_test_wait(barrier, (__heddle_mbarrier_state)parity << 63);
}
/// Arrivals that were missing, the one that gave the state included.
HEDDLE_D unsigned __heddle_mbarrier_pending_count(__heddle_mbarrier_state state) {
  return (unsigned)(state & 0xfffff);
}

/// A generic address for one of PTX's shared::cluster window: its upper byte is 0 in the own shared
/// memory, else one more than the block's rank.
HEDDLE_D void *__heddle_from_shared_window(unsigned address) {
  char *own = __heddle_shared_memory() + (address & 0xffffff);
  return address >> 24 ? __nvvm_mapa(own, (address >> 24) - 1) : own;
}
/// mapa.shared::cluster.u32: the same place in the shared memory of block `rank`.
HEDDLE_D unsigned __heddle_map_shared_window(unsigned address, unsigned rank) {
  return (address & 0xffffff) | (rank + 1) << 24;
}
/// getctarank.shared::cluster.u32
HEDDLE_D unsigned __heddle_rank_in_shared_window(unsigned address) {
  return address >> 24 ? (address >> 24) - 1 : __nvvm_read_ptx_sreg_cluster_ctarank();
}

/// cp.async.bulk to shared memory, whose end `barrier` is told; done when it returns. Addresses and
/// sizes are multiples of 16 bytes.
HEDDLE_D void __heddle_bulk_copy(void *to, const void *from, unsigned bytes, void *barrier) {
  __builtin_memcpy(to, from, bytes);
  __heddle_mbarrier_complete_tx(barrier, bytes);
}
/// The same to each block of the cluster whose bit is set in `blocks`, with its own barrier: `to`
/// and `barrier` are the caller's.
HEDDLE_D void __heddle_bulk_copy_multicast(void *to, const void *from, unsigned bytes,
                                           void *barrier, unsigned short blocks) {
  for (unsigned rest = blocks; rest; rest &= rest - 1) {
    unsigned rank = (unsigned)__ffs((int)rest) - 1;
    __heddle_bulk_copy(__nvvm_mapa(to, rank), from, bytes, __nvvm_mapa(barrier, rank));
  }
}

#undef HEDDLE_D
#pragma pop_macro("HEDDLE_D")
#endif
