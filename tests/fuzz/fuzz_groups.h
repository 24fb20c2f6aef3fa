// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What random programs with tiles and clusters call, in the half for the device: cooperative groups.
#pragma once

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace gpu {

namespace cg = cooperative_groups;

template <unsigned Size> __device__ cg::thread_block_tile<Size, cg::thread_block> tile() {
  return cg::tiled_partition<Size>(cg::this_thread_block());
}
__device__ inline unsigned labelled(unsigned label, unsigned value, unsigned &rank) {
  cg::coalesced_group group = cg::labeled_partition(tile<32>(), label);
  rank = group.thread_rank();
  return cg::reduce(group, value, cg::plus<unsigned>());
}

} // namespace gpu

#define CLUSTER_RANK cg::this_cluster().block_rank()
#define CLUSTER_SIZE cg::this_cluster().num_blocks()
#define CLUSTER_ARRIVE() cg::this_cluster().barrier_arrive()
#define CLUSTER_WAIT() cg::this_cluster().barrier_wait()
#define CLUSTER_OF(name, index, rank) (*cg::this_cluster().map_shared_rank(&name index, rank))
#define TILE_SUM(size, v) cg::reduce(tile<size>(), unsigned(v), cg::plus<unsigned>())
#define TILE_LEAST(size, v) cg::reduce(tile<size>(), unsigned(v), cg::less<unsigned>())
#define TILE_MOST(size, v) cg::reduce(tile<size>(), unsigned(v), cg::greater<unsigned>())
#define TILE_ODD(size, v) cg::reduce(tile<size>(), unsigned(v), cg::bit_xor<unsigned>())
#define TILE_BEFORE(size, v) cg::exclusive_scan(tile<size>(), unsigned(v))
#define LABELLED(label, v, rank) labelled(label, v, rank)
