// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cooperative groups, for the module of that name (../modules/cooperative_groups.cuf). Functions
// with a result of derived type get its address as their argument. Ranks begin with 1.
#include "fortran/device/device.h"

extern "C" void __heddle_grid_sync();

namespace {

struct Group {
  int64_t handle; ///< of a coalesced group: its lanes
  int32_t size, rank;
};

int threadsOfBlock() {
  return __nvvm_read_ptx_sreg_ntid_x() * __nvvm_read_ptx_sreg_ntid_y() *
         __nvvm_read_ptx_sreg_ntid_z();
}

int rankInBlock() {
  return (__nvvm_read_ptx_sreg_tid_z() * __nvvm_read_ptx_sreg_ntid_y() +
          __nvvm_read_ptx_sreg_tid_y()) *
             __nvvm_read_ptx_sreg_ntid_x() +
         __nvvm_read_ptx_sreg_tid_x();
}

int blocks() {
  return __nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_nctaid_y() *
         __nvvm_read_ptx_sreg_nctaid_z();
}

int rankOfBlock() {
  return (__nvvm_read_ptx_sreg_ctaid_z() * __nvvm_read_ptx_sreg_nctaid_y() +
          __nvvm_read_ptx_sreg_ctaid_y()) *
             __nvvm_read_ptx_sreg_nctaid_x() +
         __nvvm_read_ptx_sreg_ctaid_x();
}

} // namespace

extern "C" {

void this_grid_(Group *group) {
  *group = {0, blocks() * threadsOfBlock(), rankOfBlock() * threadsOfBlock() + rankInBlock() + 1};
}
void this_thread_block_(Group *group) { *group = {0, threadsOfBlock(), rankInBlock() + 1}; }
void this_warp_(Group *group) {
  unsigned lanes = __nvvm_activemask(), below = __nvvm_read_ptx_sreg_lanemask_lt();
  *group = {static_cast<int64_t>(lanes), __builtin_popcount(lanes),
            __builtin_popcount(lanes & below) + 1};
}
/// Of a cluster the ranks are those of its blocks.
void this_cluster_(Group *group) {
  *group = {0, static_cast<int32_t>(__nvvm_read_ptx_sreg_cluster_nctarank()),
            static_cast<int32_t>(__nvvm_read_ptx_sreg_cluster_ctarank()) + 1};
}

/// The address of a shared variable in the block of that rank.
int64_t cluster_map_shared_rank_(void *variable, int32_t rank) {
  return reinterpret_cast<int64_t>(__nvvm_mapa(variable, rank - 1));
}

void syncthreads_grid_(const Group *) { __heddle_grid_sync(); }
void syncthreads_block_(const Group *) { __nvvm_bar_sync(0); }
void syncthreads_coalesced_(const Group *group) {
  __nvvm_bar_warp_sync(static_cast<unsigned>(group->handle));
}
void syncthreads_cluster_(const Group *) {
  __nvvm_barrier_cluster_arrive();
  __nvvm_barrier_cluster_wait();
}
}
