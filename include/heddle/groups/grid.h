// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of more than one block: clusters, grids, and the grids of a launch on several devices. A
// part of cooperative_groups.h.
#ifndef HEDDLE_GROUPS_GRID_H
#define HEDDLE_GROUPS_GRID_H

namespace cooperative_groups {
namespace __v1 {

/// The blocks of a cluster, which run at the same time and reach each other's shared memory. A
/// launch without clusters has clusters of one block.
class cluster_group : public thread_group {
public:
  struct arrival_token {};
  HEDDLE_D cluster_group() : thread_group(details::Kind::Cluster, 0) {}
  static HEDDLE_D void sync() {
    __nvvm_barrier_cluster_arrive();
    __nvvm_barrier_cluster_wait();
  }
  static HEDDLE_D arrival_token barrier_arrive() {
    __nvvm_barrier_cluster_arrive();
    return {};
  }
  static HEDDLE_D void barrier_wait() { __nvvm_barrier_cluster_wait(); }
  static HEDDLE_D void barrier_wait(arrival_token &&) { __nvvm_barrier_cluster_wait(); }

  /// Which block of the cluster an address in shared memory belongs to.
  static HEDDLE_D unsigned query_shared_rank(const void *address) {
    return (unsigned)__nvvm_getctarank((void *)address);
  }
  /// The same variable in the shared memory of block `rank`.
  template <class T> static HEDDLE_D T *map_shared_rank(T *address, int rank) {
    return static_cast<T *>(__nvvm_mapa((void *)address, (unsigned)rank));
  }

  static HEDDLE_D dim3 block_index() {
    return dim3(__nvvm_read_ptx_sreg_cluster_ctaid_x(), __nvvm_read_ptx_sreg_cluster_ctaid_y(),
                __nvvm_read_ptx_sreg_cluster_ctaid_z());
  }
  static HEDDLE_D unsigned block_rank() { return __nvvm_read_ptx_sreg_cluster_ctarank(); }
  static HEDDLE_D dim3 dim_blocks() {
    return dim3(__nvvm_read_ptx_sreg_cluster_nctaid_x(), __nvvm_read_ptx_sreg_cluster_nctaid_y(),
                __nvvm_read_ptx_sreg_cluster_nctaid_z());
  }
  static HEDDLE_D unsigned num_blocks() { return __nvvm_read_ptx_sreg_cluster_nctarank(); }
  static HEDDLE_D dim3 thread_index() {
    dim3 block = block_index();
    return dim3(block.x * blockDim.x + threadIdx.x, block.y * blockDim.y + threadIdx.y,
                block.z * blockDim.z + threadIdx.z);
  }
  static HEDDLE_D unsigned thread_rank() {
    return block_rank() * details::blockSize() + details::rankInBlock();
  }
  static HEDDLE_D dim3 dim_threads() {
    dim3 blocks = dim_blocks();
    return dim3(blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z);
  }
  static HEDDLE_D unsigned num_threads() { return num_blocks() * details::blockSize(); }
  static HEDDLE_D unsigned size() { return num_threads(); }
};
HEDDLE_D cluster_group this_cluster() { return {}; }

/// All threads of a launch; its barrier is for cooperative ones.
class grid_group : public thread_group {
public:
  struct arrival_token {
    unsigned phase;
  };
  HEDDLE_D grid_group() : thread_group(details::Kind::Grid, 0) {}
  /// Whether the launch is cooperative.
  static HEDDLE_D bool is_valid() { return __heddle_is_cooperative(); }
  static HEDDLE_D void sync() { __heddle_grid_sync(); }
  /// The last thread to arrive begins the next phase. The phase cannot end before the caller has
  /// arrived, so what it reads in front of that is the current one.
  static HEDDLE_D arrival_token barrier_arrive() {
    unsigned *barrier = __heddle_grid_barrier();
    unsigned phase = *(volatile unsigned *)(barrier + 1);
    __threadfence();
    if (atomicAdd(barrier, 1u) + 1ull == size()) {
      *(volatile unsigned *)barrier = 0;
      __threadfence();
      atomicAdd(barrier + 1, 1u);
    }
    return {phase};
  }
  /// A loop that polls: blocks that wait give their processors to others.
  static HEDDLE_D void barrier_wait(arrival_token &&token) {
    volatile unsigned *phase = __heddle_grid_barrier() + 1;
    while (*phase == token.phase)
      ;
    __threadfence();
  }

  static HEDDLE_D unsigned long long num_blocks() {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
  }
  static HEDDLE_D unsigned long long block_rank() {
    return blockIdx.x + (unsigned long long)gridDim.x *
                            (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
  }
  static HEDDLE_D unsigned long long thread_rank() {
    return block_rank() * details::blockSize() + details::rankInBlock();
  }
  static HEDDLE_D unsigned long long size() { return num_blocks() * details::blockSize(); }
  static HEDDLE_D unsigned long long num_threads() { return size(); }
  static HEDDLE_D dim3 block_index() { return dim3(blockIdx); }
  static HEDDLE_D dim3 dim_blocks() { return dim3(gridDim); }
  static HEDDLE_D dim3 group_dim() { return dim3(gridDim); }

  static HEDDLE_D dim3 cluster_index() {
    return dim3(__nvvm_read_ptx_sreg_clusterid_x(), __nvvm_read_ptx_sreg_clusterid_y(),
                __nvvm_read_ptx_sreg_clusterid_z());
  }
  static HEDDLE_D dim3 dim_clusters() {
    return dim3(__nvvm_read_ptx_sreg_nclusterid_x(), __nvvm_read_ptx_sreg_nclusterid_y(),
                __nvvm_read_ptx_sreg_nclusterid_z());
  }
  static HEDDLE_D unsigned long long num_clusters() {
    dim3 clusters = dim_clusters();
    return (unsigned long long)clusters.x * clusters.y * clusters.z;
  }
  static HEDDLE_D unsigned long long cluster_rank() {
    dim3 index = cluster_index(), clusters = dim_clusters();
    return index.x +
           (unsigned long long)clusters.x * (index.y + (unsigned long long)clusters.y * index.z);
  }
};
HEDDLE_D grid_group this_grid() { return {}; }

/// The grids of a launch on several devices (cudaLaunchCooperativeKernelMultiDevice). Not valid in
/// other launches, which count as one grid.
class multi_grid_group : public thread_group {
public:
  HEDDLE_D multi_grid_group() : thread_group(details::Kind::MultiGrid, 0) {}
  static HEDDLE_D bool is_valid() { return __heddle_multi_grid() != nullptr; }
  /// All threads of the grid, one thread of each grid, all threads of the grid.
  static HEDDLE_D void sync() {
    unsigned *grids = __heddle_multi_grid();
    if (!grids)
      __builtin_trap();
    __heddle_grid_sync();
    if (grid_group::thread_rank() == 0)
      meet(grids);
    __heddle_grid_sync();
  }
  static HEDDLE_D unsigned grid_rank() { return __heddle_grid_rank(); }
  static HEDDLE_D unsigned num_grids() { return is_valid() ? *__heddle_multi_grid() : 1; }
  static HEDDLE_D unsigned long long size() { return num_grids() * grid_group::size(); }
  static HEDDLE_D unsigned long long num_threads() { return size(); }
  static HEDDLE_D unsigned long long thread_rank() {
    return grid_rank() * grid_group::size() + grid_group::thread_rank();
  }

private:
  /// Waits until as many have come as there are grids: [0]. [1] counts them, [2] the times.
  static HEDDLE_D void meet(unsigned *grids) {
    volatile unsigned *phase = grids + 2;
    unsigned before = *phase;
    __threadfence_system();
    if (atomicAdd(grids + 1, 1u) + 1 == grids[0]) {
      grids[1] = 0;
      __threadfence_system();
      *phase = before + 1;
    } else {
      while (*phase == before)
        ;
    }
    __threadfence_system();
  }
};
HEDDLE_D multi_grid_group this_multi_grid() { return {}; }

HEDDLE_D unsigned long long thread_group::size() const {
  switch (kind_) {
  case details::Kind::Block:
    return details::blockSize();
  case details::Kind::Cluster:
    return cluster_group::size();
  case details::Kind::Grid:
    return grid_group::size();
  case details::Kind::MultiGrid:
    return multi_grid_group::size();
  case details::Kind::Lanes:
    return (unsigned)__popc(lanes_);
  case details::Kind::WideTile:
    return lanes_;
  }
  __builtin_unreachable();
}

HEDDLE_D unsigned long long thread_group::thread_rank() const {
  switch (kind_) {
  case details::Kind::Block:
    return details::rankInBlock();
  case details::Kind::Cluster:
    return cluster_group::thread_rank();
  case details::Kind::Grid:
    return grid_group::thread_rank();
  case details::Kind::MultiGrid:
    return multi_grid_group::thread_rank();
  case details::Kind::Lanes:
    return details::rankInMask(lanes_);
  case details::Kind::WideTile:
    return details::rankInBlock() & (lanes_ - 1);
  }
  __builtin_unreachable();
}

HEDDLE_D bool thread_group::is_valid() const {
  if (kind_ == details::Kind::Grid)
    return grid_group::is_valid();
  return kind_ != details::Kind::MultiGrid || multi_grid_group::is_valid();
}

/// One barrier an `if`, so that a kernel whose groups are known has no other one.
HEDDLE_D void thread_group::sync() const {
  if (kind_ == details::Kind::Block)
    __syncthreads();
  else if (kind_ == details::Kind::Lanes)
    __syncwarp(lanes_);
  else if (kind_ == details::Kind::WideTile)
    details::syncTile(lanes_, details::rankInBlock() / lanes_);
  else if (kind_ == details::Kind::Cluster)
    cluster_group::sync();
  else if (kind_ == details::Kind::Grid)
    grid_group::sync();
  else
    multi_grid_group::sync();
}

} // namespace __v1
using namespace __v1; // libcu++ declares it so
} // namespace cooperative_groups
#endif
