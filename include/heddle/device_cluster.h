// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clusters (CUDA guide, "Thread Block Clusters"): where a block is in its cluster, the shared
// memory of its other blocks, the cluster's barrier. In the words of cooperative groups:
// this_cluster().
#ifndef HEDDLE_DEVICE_CLUSTER_H
#define HEDDLE_DEVICE_CLUSTER_H

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#pragma push_macro("HEDDLE_D")
#define HEDDLE_D static __device__ __forceinline__

#define HEDDLE_CLUSTER_DIM(name, reg)                                                              \
  HEDDLE_D dim3 name() {                                                                           \
    return dim3(__nvvm_read_ptx_sreg_##reg##_x(), __nvvm_read_ptx_sreg_##reg##_y(),                \
                __nvvm_read_ptx_sreg_##reg##_z());                                                 \
  }
HEDDLE_CLUSTER_DIM(__clusterDim, cluster_nctaid)
HEDDLE_CLUSTER_DIM(__clusterRelativeBlockIdx, cluster_ctaid)
HEDDLE_CLUSTER_DIM(__clusterIdx, clusterid)
HEDDLE_CLUSTER_DIM(__clusterGridDimInClusters, nclusterid)
#undef HEDDLE_CLUSTER_DIM
HEDDLE_D unsigned __clusterDimIsSpecified() { return __nvvm_is_explicit_cluster(); }
HEDDLE_D unsigned __clusterRelativeBlockRank() { return __nvvm_read_ptx_sreg_cluster_ctarank(); }
HEDDLE_D unsigned __clusterSizeInBlocks() { return __nvvm_read_ptx_sreg_cluster_nctarank(); }

/// In the shared memory of the own block, and of any block of the cluster.
HEDDLE_D unsigned __isCtaShared(const void *p) { return __nvvm_isspacep_shared(p); }
HEDDLE_D unsigned __isClusterShared(const void *p) { return __nvvm_isspacep_shared_cluster(p); }
/// The same variable in the shared memory of block `rank`.
HEDDLE_D void *__cluster_map_shared_rank(const void *p, unsigned rank) {
  return __nvvm_mapa((void *)p, rank);
}
HEDDLE_D unsigned __cluster_query_shared_rank(const void *p) {
  return __nvvm_getctarank((void *)p);
}
/// What multicast copies take: an address in shared memory, and the blocks that get it.
HEDDLE_D uint2 __cluster_map_shared_multicast(const void *p, unsigned blocks) {
  return uint2{(unsigned)__cvta_generic_to_shared(p), blocks};
}

HEDDLE_D void __cluster_barrier_arrive() { __nvvm_barrier_cluster_arrive(); }
HEDDLE_D void __cluster_barrier_arrive_relaxed() { __nvvm_barrier_cluster_arrive_relaxed(); }
HEDDLE_D void __cluster_barrier_wait() { __nvvm_barrier_cluster_wait(); }
HEDDLE_D void __threadfence_cluster() { __nvvm_fence_sc_cluster(); }

#undef HEDDLE_D
#pragma pop_macro("HEDDLE_D")
#endif
#endif
