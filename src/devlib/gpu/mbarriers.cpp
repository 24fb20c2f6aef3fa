// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU's own mbarriers (PTX ISA, "mbarrier"), which its asynchronous copies tell of their end. The bits of
// one are not ours there, so what device_mbarrier.h does with the bits becomes calls of these
// (jit/load/gpu_barriers.cpp). What programs hold of a phase keeps its form: the parity in bit 63, the
// missing arrivals below. A thread learns the parity before it arrives: the phase cannot end without it.
//
// And a block's barrier in two pieces: one such barrier for the block, with a thread's parity beside it
// until it waits. A thread that ends takes itself out.
#include "devlib/gpu/window.h"

using namespace heddle::devlib;

#define DEVICE extern "C" __attribute__((nothrow))

namespace {

inline bool isOver(u32 barrier, u32 parity) {
  u32 over;
  asm volatile("{\n.reg .pred q;\n"
               "mbarrier.test_wait.parity.shared::cta.b64 q, [%1], %2;\n"
               "selp.u32 %0, 1, 0, q;\n}"
               : "=r"(over)
               : "r"(barrier), "r"(parity)
               : "memory");
  return over;
}

/// Of the phase that runs.
inline u64 parityOf(u32 barrier) { return isOver(barrier, 0); }

inline u32 missingOf(u64 token) {
  u32 count;
  asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(token));
  return count;
}

} // namespace

DEVICE void __heddle_mbarrier_init_sm90(void *barrier, u32 expected) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(windowOf(barrier)), "r"(expected)
               : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async.shared::cta;" ::: "memory");
}
DEVICE void __heddle_mbarrier_inval_sm90(void *barrier) {
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(windowOf(barrier)) : "memory");
}

/// The state with the parity of the next phase where its own is over.
DEVICE u64 __heddle_mbarrier_look_sm90(const void *barrier, u64 state) {
  u32 over;
  asm volatile("{\n.reg .pred q;\n"
               "mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 q, [%1], %2;\n"
               "selp.u32 %0, 1, 0, q;\n}"
               : "=r"(over)
               : "r"(windowOf(barrier)), "r"((u32)(state >> 63))
               : "memory");
  return state ^ (u64)over << 63;
}

/// As __heddle_mbarrier_change (machine.cpp). Another block's barrier tells nothing back.
DEVICE u64 __heddle_mbarrier_change_sm90(void *barrier, u32 arrivals, u32 drops, i64 bytes) {
  const u32 at = windowOf(barrier);
  const bool isOwn = isOwnShared(barrier);
  u64 state = isOwn && arrivals ? parityOf(at) << 63 : 0, token = 0;
  if (bytes > 0)
    asm volatile("mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%0], %1;" ::"r"(at),
                 "r"((u32)bytes)
                 : "memory");
  if (bytes < 0)
    asm volatile("fence.acq_rel.cluster;\n"
                 "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%0], %1;" ::"r"(at),
                 "r"((u32)-bytes)
                 : "memory");
  if (!arrivals)
    return state;
  if (!isOwn) {
    if (drops)
      asm volatile(
          "mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(at),
          "r"(arrivals)
          : "memory");
    else
      asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(at),
                   "r"(arrivals)
                   : "memory");
    return state;
  }
  if (drops)
    asm volatile("mbarrier.arrive_drop.release.cluster.shared::cta.b64 %0, [%1], %2;"
                 : "=l"(token)
                 : "r"(at), "r"(arrivals)
                 : "memory");
  else
    asm volatile("mbarrier.arrive.release.cluster.shared::cta.b64 %0, [%1], %2;"
                 : "=l"(token)
                 : "r"(at), "r"(arrivals)
                 : "memory");
  return state | missingOf(token);
}

// ---------------------------------------------------------------------------------------------------
// The block's barrier in two pieces.

namespace {
constexpr u32 MostThreads = 1024;
__attribute__((address_space(3))) u64 blockBarrier;
__attribute__((address_space(3))) u8 parities[MostThreads];

inline u32 atBarrier() { return (u32)(u64)&blockBarrier; }
inline u32 thread() {
  return __nvvm_read_ptx_sreg_tid_x() +
         __nvvm_read_ptx_sreg_ntid_x() *
             (__nvvm_read_ptx_sreg_tid_y() +
              __nvvm_read_ptx_sreg_ntid_y() * __nvvm_read_ptx_sreg_tid_z());
}
} // namespace

/// At the start of a kernel.
extern "C" __attribute__((nothrow, convergent)) void __heddle_block_begin_sm80() {
  const u32 threads =
      __nvvm_read_ptx_sreg_ntid_x() * __nvvm_read_ptx_sreg_ntid_y() * __nvvm_read_ptx_sreg_ntid_z();
  if (thread() == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(atBarrier()), "r"(threads) : "memory");
  __syncthreads();
}
/// Where a thread of one ends.
DEVICE void __heddle_block_end_sm80() {
  u64 token;
  asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];"
               : "=l"(token)
               : "r"(atBarrier())
               : "memory");
}
DEVICE void __heddle_block_arrive_sm80() {
  u64 token;
  parities[thread()] = (u8)parityOf(atBarrier());
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(atBarrier()) : "memory");
}
extern "C" __attribute__((nothrow, convergent)) void __heddle_block_wait_sm80() {
  const u32 parity = parities[thread()];
  while (!isOver(atBarrier(), parity))
    ;
}
