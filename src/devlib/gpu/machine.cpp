// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What simt makes of the headers' own functions (include/heddle/device_system.h and others), for a GPU
// that runs the code itself. Assembly here is the GPU's (PTX ISA).
#include "devlib/gpu/window.h"

#include "base/abi/device_calls.h"

using namespace heddle;
using namespace heddle::devlib;

#define DEVICE extern "C" __attribute__((nothrow))
#define CONVERGENT extern "C" __attribute__((nothrow, convergent))

extern "C" int vprintf(const char *, const char *);

// ---------------------------------------------------------------------------------------------------
// State spaces. A number of the shared window has in its upper byte 0, or one more than the rank of the
// cluster's block that the memory is of (include/heddle/device_mbarrier.h).

HEDDLE_PURE bool __heddle_is_parameter(const void *p) {
  u32 is;
  asm("{\n.reg .pred q;\nisspacep.param q, %1;\nselp.u32 %0, 1, 0, q;\n}" : "=r"(is) : "l"(p));
  return is;
}

extern __attribute__((address_space(3))) char __heddle_dynamic_shared[];
/// An address of the own block's has its rank, where the block is of a cluster.
HEDDLE_PURE char *__heddle_shared_memory() {
  char *generic = (char *)__heddle_dynamic_shared;
  return generic - (windowOf(generic) & 0xffffff);
}

/// An address of the own block's has its rank in the upper byte, too, where the block is of a cluster.
HEDDLE_PURE u64 __heddle_shared_offset(const void *p) {
  const bool isOwn = isOwnShared(p);
  u32 rank = 0;
  if (!isOwn)
    asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(p));
  return (windowOf(p) & 0xffffff) | (isOwn ? 0 : (u64)(rank + 1) << 24);
}

// ---------------------------------------------------------------------------------------------------
// Grids and blocks. A cooperative launch has a workspace, which the driver names in %envreg1 and
// %envreg2 and fills with zeros: [1] is the barrier of CUDA's own code, whose last bit tells the
// phase.

HEDDLE_PURE u32 *__heddle_grid_barrier() {
  u32 high, low;
  asm("mov.u32 %0, %%envreg1;" : "=r"(high));
  asm("mov.u32 %0, %%envreg2;" : "=r"(low));
  return reinterpret_cast<u32 *>((u64)high << 32 | low);
}

HEDDLE_PURE bool __heddle_is_cooperative() { return __heddle_grid_barrier() != nullptr; }

/// The first block adds what brings the sum of all to the last bit.
CONVERGENT void __heddle_grid_sync() {
  constexpr u32 Phase = 0x80000000;
  u32 *barrier = __heddle_grid_barrier();
  if (!barrier)
    __builtin_trap();
  __syncthreads();
  if ((__nvvm_read_ptx_sreg_tid_x() | __nvvm_read_ptx_sreg_tid_y() |
       __nvvm_read_ptx_sreg_tid_z()) == 0) {
    const u32 blocks = __nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_nctaid_y() *
                       __nvvm_read_ptx_sreg_nctaid_z();
    const bool isFirst = (__nvvm_read_ptx_sreg_ctaid_x() | __nvvm_read_ptx_sreg_ctaid_y() |
                          __nvvm_read_ptx_sreg_ctaid_z()) == 0;
    u32 before, now;
    asm volatile("fence.acq_rel.gpu;\natom.add.release.gpu.u32 %0, [%1], %2;\nfence.acq_rel.gpu;"
                 : "=r"(before)
                 : "l"(barrier + 1), "r"(isFirst ? Phase - (blocks - 1) : 1)
                 : "memory");
    do
      asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(barrier + 1) : "memory");
    while (((before ^ now) & Phase) == 0);
  }
  __syncthreads();
}

/// Launches on several devices are gone since CUDA 13: each grid is alone.
HEDDLE_PURE u32 *__heddle_multi_grid() { return nullptr; }
HEDDLE_PURE u32 __heddle_grid_rank() { return 0; }

/// The whole barrier is where threads wait.
CONVERGENT void __heddle_block_arrive() { asm volatile("fence.acq_rel.cta;" ::: "memory"); }
CONVERGENT void __heddle_block_wait() { __syncthreads(); }

DEVICE void __heddle_breakpoint() { asm volatile("brkpt;"); }

// ---------------------------------------------------------------------------------------------------
// Memory.

DEVICE void __heddle_cas128(u64 *address, const u64 *expected, const u64 *desired, u64 *result) {
  u64 low, high;
  asm volatile("{\n.reg .b128 e, d, r;\nmov.b128 e, {%3, %4};\nmov.b128 d, {%5, %6};\n"
               "atom.acq_rel.sys.cas.b128 r, [%2], e, d;\nmov.b128 {%0, %1}, r;\n}"
               : "=l"(low), "=l"(high)
               : "l"(address), "l"(expected[0]), "l"(expected[1]), "l"(desired[0]), "l"(desired[1])
               : "memory");
  result[0] = low, result[1] = high;
}
DEVICE void __heddle_load_pair(const u64 *from, u64 *to) {
  asm volatile("ld.relaxed.sys.v2.u64 {%0, %1}, [%2];"
               : "=l"(to[0]), "=l"(to[1])
               : "l"(from)
               : "memory");
}
DEVICE void __heddle_store_pair(u64 *to, u64 first, u64 second) {
  asm volatile("st.relaxed.sys.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(first), "l"(second)
               : "memory");
}

/// simt/widen/calls/mbarrier_changes.cpp, with threads of other warps and blocks beside.
DEVICE u64 __heddle_mbarrier_change(u64 *barrier, u32 arrivals, u32 drops, i64 bytes) {
  constexpr u64 Parity = 1ull << 63, Count = 0xfffff, Bytes = 0x7fffffull << 40;
  u64 before = __atomic_load_n(barrier, __ATOMIC_RELAXED), after;
  do {
    const u64 expected = (before >> 20 & Count) - drops, missing = (before & Count) - arrivals;
    const u64 outstanding = ((before & ~Parity) + ((u64)bytes << 40)) & Bytes;
    const bool isOver = (missing | outstanding) == 0;
    const u64 parity = (before ^ (isOver ? Parity : 0)) & Parity;
    after = parity | outstanding | expected << 20 | ((isOver ? expected : missing) & Count);
  } while (!__atomic_compare_exchange_n(barrier, &before, after, true, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE));
  return before;
}
DEVICE void __heddle_mbarrier_note(const void *, u32, u64) {}
DEVICE void __heddle_async_note(const void *, u32, u64) {}

// ---------------------------------------------------------------------------------------------------
// Integers.

HEDDLE_PURE int __heddle_dot(int a, int b) {
  int sum;
  asm("dp4a.s32.s32 %0, %1, %2, 0;" : "=r"(sum) : "r"(a), "r"(b));
  return sum;
}
HEDDLE_PURE u32 __heddle_dot_unsigned(u32 a, u32 b) {
  u32 sum;
  asm("dp4a.u32.u32 %0, %1, %2, 0;" : "=r"(sum) : "r"(a), "r"(b));
  return sum;
}
HEDDLE_PURE int __heddle_int_of(float x) { return (int)x; }

/// For checked code (include/heddle/small_float.h).
HEDDLE_PURE float __heddle_narrowed(float x, bool, u32) { return x; }

// ---------------------------------------------------------------------------------------------------
// What the driver of the CPU does for device code, and a GPU's does not.

namespace {

void refuse(const char *what) {
  const char *operands[] = {what};
  vprintf("heddle: device code calls %s, which is not supported on a GPU\n",
          reinterpret_cast<const char *>(operands));
  __builtin_trap();
}

} // namespace

DEVICE u32 __heddle_device_call(u32 function, DeviceCall *call) {
  if (function == static_cast<u32>(DeviceFunction::cudaGetCurrentGraphExec)) {
    asm("mov.u64 %0, %%current_graph_exec;" : "=l"(call->result));
    return 0;
  }
  refuse("a function of the device runtime");
  return 801; // cudaErrorNotSupported
}
DEVICE u32 __heddle_tensor_copy(void *) {
  refuse("a tensor copy");
  return 0;
}

DEVICE void __heddle_end_thread() { asm volatile("exit;"); }
