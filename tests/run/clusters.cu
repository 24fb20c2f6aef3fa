// RUN: %heddle cc -arch=sm_90 %s -o %t
// RUN: %widths %t
// NVCC: -std=c++17 -arch=sm_90
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clusters: where a block is in its cluster and that in the grid, the shared memory of other
// blocks, the barrier in one piece and in two, and blocks that poll for blocks of their cluster.
#include "support.h"

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

/// Launches with clusters of `cluster`.
template <class... Params, class... Args>
void launchClusters(void (*kernel)(Params...), dim3 grid, dim3 block, dim3 cluster, size_t shared,
                    bool cooperative, Args... args) {
  cudaLaunchAttribute attributes[2];
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim.x = cluster.x;
  attributes[0].val.clusterDim.y = cluster.y;
  attributes[0].val.clusterDim.z = cluster.z;
  attributes[1].id = cudaLaunchAttributeCooperative;
  attributes[1].val.cooperative = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared;
  config.attrs = attributes;
  config.numAttrs = cooperative ? 2 : 1;
  CUDA_OK(cudaLaunchKernelEx(&config, kernel, Params(args)...));
  checkLaunch();
}

std::string nameOf(const char *what, dim3 cluster) {
  return std::string(what) + " " + std::to_string(cluster.x) + "x" + std::to_string(cluster.y) + "x" +
         std::to_string(cluster.z);
}

struct Place {
  unsigned block[3], rank, threads, thread, index[3], threadIndex[3], dims[3], dimThreads[3];
  unsigned long long clusterRank, clusters;
  unsigned clusterIndex[3], dimClusters[3];
  int named, own, ofOthers;
};

__device__ void put(unsigned *to, dim3 from) { to[0] = from.x, to[1] = from.y, to[2] = from.z; }

__global__ void places(Place *out) {
  __shared__ int variable;
  cg::cluster_group cluster = cg::this_cluster();
  cg::grid_group grid = cg::this_grid();
  Place &p = out[grid.thread_rank()];
  put(p.block, blockIdx);
  p.rank = cluster.block_rank();
  p.threads = cluster.num_threads();
  p.thread = cluster.thread_rank();
  put(p.index, cluster.block_index());
  put(p.threadIndex, cluster.thread_index());
  put(p.dims, cluster.dim_blocks());
  put(p.dimThreads, cluster.dim_threads());
  p.clusterRank = grid.cluster_rank();
  p.clusters = grid.num_clusters();
  put(p.clusterIndex, grid.cluster_index());
  put(p.dimClusters, grid.dim_clusters());
  p.named = __clusterDimIsSpecified() != 0;
  p.own = cluster.query_shared_rank(&variable) == p.rank;
  int right = 0;
  for (unsigned r = 0; r < cluster.num_blocks(); r++) {
    int *other = cluster.map_shared_rank(&variable, r);
    right += cluster.query_shared_rank(other) == r && __isClusterShared(other) &&
             (__isCtaShared(other) != 0) == (r == p.rank);
  }
  p.ofOthers = right;
}

void testPlaces(dim3 grid, dim3 block, dim3 cluster, bool named) {
  unsigned threads = block.x * block.y * block.z, n = grid.x * grid.y * grid.z * threads;
  Buffer<Place> out(n);
  if (named)
    launchClusters(places, grid, block, cluster, 0, false, out.data);
  else
    places<<<grid, block>>>(out);
  checkLaunch();
  std::vector<Place> got = out.get();
  std::string name = nameOf("places", cluster);
  unsigned size = cluster.x * cluster.y * cluster.z;
  for (unsigned i = 0; i < n; i++) {
    const Place &p = got[i];
    unsigned b = i / threads, t = i % threads;
    unsigned x = b % grid.x, y = b / grid.x % grid.y, z = b / grid.x / grid.y;
    unsigned tx = t % block.x, ty = t / block.x % block.y, tz = t / block.x / block.y;
    unsigned cx = x % cluster.x, cy = y % cluster.y, cz = z % cluster.z;
    unsigned rank = cx + cluster.x * (cy + cluster.y * cz);
    unsigned gx = grid.x / cluster.x, gy = grid.y / cluster.y, gz = grid.z / cluster.z;
    unsigned want[] = {x, y, z, rank, size * threads, rank * threads + t, cx, cy, cz,
                       cx * block.x + tx, cy * block.y + ty, cz * block.z + tz,
                       cluster.x, cluster.y, cluster.z,
                       cluster.x * block.x, cluster.y * block.y, cluster.z * block.z};
    for (int k = 0; k < 18; k++)
      expect(name, i * 100 + k, p.block[k], want[k]);
    unsigned kx = x / cluster.x, ky = y / cluster.y, kz = z / cluster.z;
    expect(name + " cluster", i, p.clusterRank, kx + gx * (ky + (unsigned long long)gy * kz));
    expect(name + " clusters", i, p.clusters, (unsigned long long)gx * gy * gz);
    unsigned wantClusters[] = {kx, ky, kz, gx, gy, gz};
    for (int k = 0; k < 6; k++)
      expect(name + " in grid", i * 100 + k, p.clusterIndex[k], wantClusters[k]);
    expect(name + " named", i, p.named, int(named));
    expect(name + " own", i, p.own, 1);
    expect(name + " others", i, p.ofOthers, int(size));
  }
}

/// A histogram whose bins lie in all blocks of a cluster (as in the guide), by atomic additions.
__global__ void histogram(const int *in, int n, int *bins, int binsPerBlock) {
  extern __shared__ int own[];
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < binsPerBlock; i += blockDim.x)
    own[i] = 0;
  cluster.sync();
  for (int i = cg::this_grid().thread_rank(); i < n; i += int(gridDim.x * blockDim.x)) {
    int bin = in[i];
    atomicAdd(cluster.map_shared_rank(own, bin / binsPerBlock) + bin % binsPerBlock, 1);
  }
  cluster.sync();
  int *to = bins + cluster.block_rank() * binsPerBlock;
  for (int i = threadIdx.x; i < binsPerBlock; i += blockDim.x)
    atomicAdd(&to[i], own[i]);
}

void testHistogram(unsigned clusterBlocks, int perBlock, Random &random) {
  int n = 5003, count = int(clusterBlocks) * perBlock;
  std::vector<int> in(n), want(count);
  for (int &v : in)
    want[v = random.below(count)]++;
  Buffer<int> deviceIn(in), bins(count);
  launchClusters(histogram, dim3(clusterBlocks * 3), dim3(96), dim3(clusterBlocks), perBlock * sizeof(int),
                 false, deviceIn.data, n, bins.data, perBlock);
  expectAll(nameOf("histogram", dim3(clusterBlocks)), bins.get(), want);
}

/// Each block gives its values to its neighbour in the cluster, `steps` times; the barrier is split,
/// and something is done in between.
__global__ void ring(const int *in, int *out, int steps) {
  __shared__ int from[2][64];
  cg::cluster_group cluster = cg::this_cluster();
  int t = int(threadIdx.x), at = int(blockIdx.x * blockDim.x) + t, kept = 0;
  unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  int v = in[at];
  for (int s = 0; s < steps; s++) {
    cluster.map_shared_rank(from[s % 2], next)[t] = v + s;
    auto token = cluster.barrier_arrive();
    kept = kept * 3 + v;
    if (t % 32 < s)
      kept++;
    cluster.barrier_wait(std::move(token));
    v = from[s % 2][(t + 1) % blockDim.x];
  }
  cluster.sync();
  out[at] = v * 1000 + kept % 1000;
}

void testRing(unsigned clusterBlocks, int clusters, int threads, int steps, Random &random) {
  int n = int(clusterBlocks) * clusters * threads;
  std::vector<int> in(n), v, kept(n), want(n);
  for (int &x : in)
    x = random.below(1000);
  v = in;
  for (int s = 0; s < steps; s++) {
    std::vector<int> next(n);
    for (int i = 0; i < n; i++)
      kept[i] = kept[i] * 3 + v[i] + (i % threads % 32 < s);
    for (int i = 0; i < n; i++) {
      int block = i / threads, t = i % threads, cluster = block / int(clusterBlocks);
      int before = (block % int(clusterBlocks) + int(clusterBlocks) - 1) % int(clusterBlocks);
      next[i] = v[(cluster * int(clusterBlocks) + before) * threads + (t + 1) % threads] + s;
    }
    v = next;
  }
  for (int i = 0; i < n; i++)
    want[i] = v[i] * 1000 + kept[i] % 1000;
  Buffer<int> deviceIn(in), out(n);
  launchClusters(ring, dim3(clusterBlocks * clusters), dim3(threads), dim3(clusterBlocks), 0, false, deviceIn.data,
                 out.data, steps);
  expectAll(nameOf("ring", dim3(clusterBlocks)), out.get(), want);
}

/// Blocks of a cluster wait in turn for a flag in their own shared memory, which the block before
/// writes. `__cluster_dims__` says the size.
__global__ void __cluster_dims__(4, 1, 1) chain(int *out) {
  __shared__ int flag;
  volatile int *own = &flag;
  cg::cluster_group cluster = cg::this_cluster();
  unsigned rank = cluster.block_rank();
  if (threadIdx.x == 0)
    flag = rank == 0 ? 1 : 0;
  cluster.sync();
  if (threadIdx.x == 0) {
    while (*own == 0)
      ;
    int got = *own;
    if (rank + 1 < cluster.num_blocks())
      *(volatile int *)cluster.map_shared_rank(&flag, rank + 1) = got * 3 + 1;
    out[blockIdx.x] = got;
  }
  cluster.sync(); // nobody ends before its memory was written
}

/// Some warps arrive and go on to what others do after they have waited.
__global__ void __cluster_dims__(2, 1, 1) early(int *out) {
  __shared__ int told;
  if (threadIdx.x == 0)
    told = 0;
  cg::this_cluster().sync();
  __cluster_barrier_arrive();
  if (cg::this_cluster().block_rank() == 0) {
    __cluster_barrier_wait();
    if (threadIdx.x == 0)
      *(volatile int *)cg::this_cluster().map_shared_rank(&told, 1) = 77;
    __syncthreads();
  } else {
    if (threadIdx.x == 0)
      while (*(volatile int *)&told == 0)
        ;
    __syncthreads();
    out[blockIdx.x / 2 * blockDim.x + threadIdx.x] = told + int(threadIdx.x);
    __cluster_barrier_wait();
  }
  cg::this_cluster().sync();
}

/// Barriers of the block, the cluster and the grid in one kernel. Some threads end early.
__global__ void levels(const int *in, int *parts, int *out, int live) {
  __shared__ int sum;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0)
    sum = 0;
  if (int(threadIdx.x) >= live)
    return;
  cluster.sync();
  atomicAdd(cluster.map_shared_rank(&sum, 0), in[blockIdx.x * blockDim.x + threadIdx.x]);
  cluster.sync();
  if (cluster.thread_rank() == 0)
    parts[blockIdx.x / cluster.num_blocks()] = sum;
  cg::this_grid().sync();
  int total = 0;
  for (unsigned c = 0; c < gridDim.x / cluster.num_blocks(); c++)
    total += parts[c];
  out[blockIdx.x * blockDim.x + threadIdx.x] = total + *cluster.map_shared_rank(&sum, 0);
  cluster.sync();
}

void testLevels(unsigned clusterBlocks, int clusters, int threads, int live) {
  int blocks = int(clusterBlocks) * clusters, n = blocks * threads, total = 0;
  std::vector<int> in(n), sums(clusters), want(n);
  for (int i = 0; i < n; i++) {
    in[i] = i * 37 % 101;
    if (i % threads < live)
      total += in[i], sums[i / threads / int(clusterBlocks)] += in[i];
  }
  for (int i = 0; i < n; i++)
    want[i] = i % threads < live ? total + sums[i / threads / int(clusterBlocks)] : 0;
  Buffer<int> deviceIn(in), parts(clusters), out(n);
  launchClusters(levels, dim3(blocks), dim3(threads), dim3(clusterBlocks), 0, true, deviceIn.data, parts.data,
                 out.data, live);
  expectAll(nameOf("levels", dim3(clusterBlocks)), out.get(), want);
}

int main() {
  Random random(97);
  testPlaces(dim3(4), dim3(32), dim3(2), true);
  testPlaces(dim3(6, 4, 2), dim3(5, 3, 2), dim3(3, 2, 1), true);
  testPlaces(dim3(2, 2, 4), dim3(40), dim3(1, 2, 4), true);
  testPlaces(dim3(3, 2), dim3(33), dim3(1), true);
  testPlaces(dim3(3, 2), dim3(33), dim3(1), false);
  for (unsigned blocks : {1, 2, 4, 8})
    testHistogram(blocks, blocks == 4 ? 61 : 16, random);
  for (unsigned blocks : {1, 2, 3, 7})
    testRing(blocks, 3, blocks == 3 ? 50 : 64, 9, random);
  CUDA_OK(cudaFuncSetAttribute(ring, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  testRing(16, 2, 33, 5, random);

  Buffer<int> chained(8 * 4);
  chain<<<32, 64>>>(chained);
  checkLaunch();
  std::vector<int> want;
  for (int i = 0; i < 32; i++)
    want.push_back(i % 4 == 0 ? 1 : want.back() * 3 + 1);
  expectAll("chain", chained.get(), want);

  Buffer<int> told(5 * 96);
  early<<<10, 96>>>(told);
  checkLaunch();
  for (int i = 0; i < 5 * 96; i++)
    expect("early", i, told.get()[i], 77 + i % 96);

  testLevels(2, 3, 64, 64);
  testLevels(4, 2, 96, 64);
  testLevels(1, 4, 48, 48);
  return finish();
}
