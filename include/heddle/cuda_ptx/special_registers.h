// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// get_sreg_*: special registers (<cuda/ptx>; PTX ISA, "Special Registers"). Those that change are read
// each time.
#ifndef HEDDLE_CUDA_PTX_SPECIAL_REGISTERS_H
#define HEDDLE_CUDA_PTX_SPECIAL_REGISTERS_H

#include <heddle/cuda_ptx/tags.h>

namespace cuda {
namespace ptx {

#define HEDDLE_PTX_REGISTER(NAME, TEXT)                                                            \
  __device__ static inline uint32_t get_sreg_##NAME() {                                            \
    uint32_t value;                                                                                \
    asm("mov.u32 %0, %%" TEXT ";" : "=r"(value));                                                  \
    return value;                                                                                  \
  }
#define HEDDLE_PTX_REGISTERS(NAME, TEXT)                                                           \
  HEDDLE_PTX_REGISTER(NAME##_x, TEXT ".x")                                                         \
  HEDDLE_PTX_REGISTER(NAME##_y, TEXT ".y")                                                         \
  HEDDLE_PTX_REGISTER(NAME##_z, TEXT ".z")
#define HEDDLE_PTX_CHANGING(NAME, T, TYPE, REGISTER)                                               \
  __device__ static inline T get_sreg_##NAME() {                                                   \
    T value;                                                                                       \
    asm volatile("mov" TYPE " %0, %%" #NAME ";" : "=" REGISTER(value)::"memory");                  \
    return value;                                                                                  \
  }
HEDDLE_PTX_REGISTERS(tid, "tid")
HEDDLE_PTX_REGISTERS(ntid, "ntid")
HEDDLE_PTX_REGISTERS(ctaid, "ctaid")
HEDDLE_PTX_REGISTERS(nctaid, "nctaid")
HEDDLE_PTX_REGISTERS(clusterid, "clusterid")
HEDDLE_PTX_REGISTERS(nclusterid, "nclusterid")
HEDDLE_PTX_REGISTERS(cluster_ctaid, "cluster_ctaid")
HEDDLE_PTX_REGISTERS(cluster_nctaid, "cluster_nctaid")
HEDDLE_PTX_REGISTER(cluster_ctarank, "cluster_ctarank")
HEDDLE_PTX_REGISTER(cluster_nctarank, "cluster_nctarank")
HEDDLE_PTX_REGISTER(laneid, "laneid")
HEDDLE_PTX_REGISTER(nwarpid, "nwarpid")
HEDDLE_PTX_REGISTER(lanemask_eq, "lanemask_eq")
HEDDLE_PTX_REGISTER(lanemask_le, "lanemask_le")
HEDDLE_PTX_REGISTER(lanemask_lt, "lanemask_lt")
HEDDLE_PTX_REGISTER(lanemask_ge, "lanemask_ge")
HEDDLE_PTX_REGISTER(lanemask_gt, "lanemask_gt")
HEDDLE_PTX_REGISTER(total_smem_size, "total_smem_size")
HEDDLE_PTX_REGISTER(dynamic_smem_size, "dynamic_smem_size")
HEDDLE_PTX_CHANGING(warpid, uint32_t, ".u32", "r")
HEDDLE_PTX_CHANGING(smid, uint32_t, ".u32", "r")
HEDDLE_PTX_CHANGING(clock, uint32_t, ".u32", "r")
HEDDLE_PTX_CHANGING(clock_hi, uint32_t, ".u32", "r")
HEDDLE_PTX_CHANGING(clock64, uint64_t, ".u64", "l")
HEDDLE_PTX_CHANGING(globaltimer, uint64_t, ".u64", "l")
HEDDLE_PTX_CHANGING(globaltimer_lo, uint32_t, ".u32", "r")
HEDDLE_PTX_CHANGING(globaltimer_hi, uint32_t, ".u32", "r")
#undef HEDDLE_PTX_REGISTER
#undef HEDDLE_PTX_REGISTERS
#undef HEDDLE_PTX_CHANGING

} // namespace ptx
} // namespace cuda

#endif
