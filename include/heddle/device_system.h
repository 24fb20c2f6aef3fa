// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What device code may call of the C library and of the machine: output, heap, assert, traps,
// clocks, fences. simt turns the calls into requests to base/abi/kernel_abi.h's Services.
#ifndef HEDDLE_DEVICE_SYSTEM_H
#define HEDDLE_DEVICE_SYSTEM_H

extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ void free(void *) __attribute__((nothrow));
__device__ void *malloc(__SIZE_TYPE__) __attribute__((nothrow)) __attribute__((malloc));
__device__ int printf(const char *, ...);
/// `charSize` is the size of the characters of the three strings.
__device__ void __assertfail(const char *message, const char *file, unsigned line,
                             const char *function, __SIZE_TYPE__ charSize);
/// __brkpt(): simt calls Services::breakpoint.
__device__ void __heddle_breakpoint();
/// A 16-byte compare-and-swap; what was there goes to `result`. See Services::cas128.
__device__ void __heddle_cas128(void *address, const void *expected, const void *desired,
                                void *result);
/// A barrier of all threads of the grid. Legal in cooperative launches only.
__device__ void __heddle_grid_sync() __attribute__((convergent));
/// Whether it is one.
__device__ bool __heddle_is_cooperative() __attribute__((const));
/// Of a launch on several devices: what the grids share (base/abi/kernel_abi.h, MultiGrid), null for
/// other launches; and the number of this one.
__device__ unsigned *__heddle_multi_grid() __attribute__((const));
/// The grid's barrier in two pieces: threads that have arrived, barriers so far.
__device__ unsigned *__heddle_grid_barrier() __attribute__((const));
/// The block's barrier in two pieces.
__device__ void __heddle_block_arrive();
__device__ void __heddle_block_wait();
__device__ unsigned __heddle_grid_rank() __attribute__((const));

/// What stands in a vtable for a pure virtual function and for a deleted one (Itanium C++ ABI,
/// 2.5.3).
__device__ inline void __cxa_pure_virtual() { __builtin_trap(); }
__device__ inline void __cxa_deleted_virtual() { __builtin_trap(); }

/// What <assert.h> calls.
__device__ static inline void __assert_fail(const char *message, const char *file, unsigned line,
                                            const char *function) {
  __assertfail(message, file, line, function, sizeof(char));
}
}

#endif
