// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clusters on the CPU device: blocks that share memory, wait for each other at the cluster's and
// the grid's barrier, and poll for each other, in grids of three dimensions.
#include "device/cpu/launch_fixture.h"

#include <atomic>
#include <vector>

using namespace heddle;
using namespace heddle::device;
using namespace heddle::device::test;

namespace {

uint32_t rankOf(const Block *block) {
  const uint32_t *dim = block->launch->clusterDim, *b = block->blockIdx;
  return b[0] % dim[0] + dim[0] * (b[1] % dim[1] + dim[1] * (b[2] % dim[2]));
}
uint32_t sizeOf(const Block *block) {
  const uint32_t *dim = block->launch->clusterDim;
  return dim[0] * dim[1] * dim[2];
}
volatile uint32_t &cellOf(const Block *block, uint32_t rank) {
  return *reinterpret_cast<volatile uint32_t *>(block->clusterShared[rank]);
}

bool waitForCluster(Block *block, uint32_t warp) {
  block->warps[warp].hasArrived = 1;
  return waitFor(block, warp, WaitKind::Cluster);
}

/// What the first warps of a cluster's blocks leave each other, added up by all warps.
bool sumStep(Block *block, uint32_t warp, Frame &frame) {
  uint32_t *out = params<uint32_t *>(block);
  switch (frame.step) {
  case 0:
    if (warp == 0)
      cellOf(block, rankOf(block)) = static_cast<uint32_t>(linearBlock(block)) + 1;
    return waitForCluster(block, warp);
  case 1: {
    uint32_t sum = 0;
    for (uint32_t rank = 0; rank < sizeOf(block); ++rank)
      sum += cellOf(block, rank);
    out[linearBlock(block) * 3 + warp] = sum;
    return waitForCluster(block, warp);
  }
  default:
    return false;
  }
}

std::vector<uint32_t> sumsOf(const uint32_t (&grid)[3], const uint32_t (&cluster)[3]) {
  uint32_t blocks = grid[0] * grid[1] * grid[2];
  std::vector<uint32_t> sums(blocks * 3);
  auto clusterOf = [&](uint32_t b) {
    uint32_t x = b % grid[0] / cluster[0], y = b / grid[0] % grid[1] / cluster[1],
             z = b / grid[0] / grid[1] / cluster[2];
    return x + grid[0] * (y + grid[1] * z);
  };
  for (uint32_t b = 0; b < blocks; ++b)
    for (uint32_t other = 0; other < blocks; ++other)
      if (clusterOf(b) == clusterOf(other))
        for (uint32_t warp = 0; warp < 3; ++warp)
          sums[b * 3 + warp] += other + 1;
  return sums;
}

TEST_F(LaunchTest, BlocksOfAClusterReachEachOthersMemory) {
  const uint32_t shapes[][2][3] = {{{4, 1, 1}, {2, 1, 1}},
                                   {{6, 4, 2}, {3, 2, 1}},
                                   {{2, 2, 8}, {1, 2, 8}},
                                   {{5, 3, 1}, {1, 1, 1}},
                                   {{64, 1, 1}, {16, 1, 1}}};
  KernelCode code = waitingKernel<sumStep>(32, 3, KernelNeedsCluster);
  KernelInfo info = {&code, "sums"};
  for (auto &[grid, cluster] : shapes) {
    std::vector<uint32_t> want = sumsOf(grid, cluster), got(want.size());
    uint32_t *pointer = got.data();
    LaunchRequest r = request(info, grid[0], pointer, 64);
    for (int d = 0; d < 3; ++d)
      r.gridDim[d] = grid[d], r.clusterDim[d] = cluster[d];
    for (bool cooperative : {false, true}) {
      std::fill(got.begin(), got.end(), 0);
      r.cooperative = cooperative;
      run(r);
      EXPECT_EQ(got, want);
    }
  }
}

/// Each block polls for the one before it in its cluster, the first for the cluster before.
bool chainStep(Block *block, uint32_t, Frame &frame) {
  auto *flags = params<uint32_t *>(block);
  auto flag = [&](uint64_t i) { return std::atomic_ref(flags[i]); }; // of any worker's blocks
  uint32_t rank = rankOf(block);
  uint64_t cluster = linearBlock(block) / sizeOf(block);
  if (frame.step == 0) {
    cellOf(block, rank) = 0;
    return waitForCluster(block, 0);
  }
  bool isNext = rank > 0 ? cellOf(block, rank) != 0
                         : cluster + 1 == block->launch->gridDim[0] / sizeOf(block) ||
                               flag(cluster + 1).load(std::memory_order_relaxed) != 0;
  if (frame.values[0] == 0 && !isNext)
    return waitFor(block, 0, WaitKind::Yield);
  if (frame.values[0]++ == 0) {
    if (rank + 1 < sizeOf(block))
      cellOf(block, rank + 1) = 1;
    else
      flag(cluster).store(1, std::memory_order_relaxed);
    return waitForCluster(block, 0);
  }
  return false;
}

TEST_F(LaunchTest, BlocksPollForTheirClusterAndForLaterClusters) {
  KernelCode code = waitingKernel<chainStep>(32, 1, KernelNeedsCluster | KernelMaySpin);
  KernelInfo info = {&code, "chain"};
  for (uint32_t size : {1u, 2u, 5u}) {
    std::vector<uint32_t> flags(300);
    uint32_t *pointer = flags.data();
    LaunchRequest r = request(info, 300 * size, pointer, 16);
    r.clusterDim[0] = size;
    run(r);
    EXPECT_EQ(flags, std::vector<uint32_t>(300, 1));
  }
}

/// The grid's barrier between two of the cluster.
bool levelsStep(Block *block, uint32_t warp, Frame &frame) {
  uint32_t *out = params<uint32_t *>(block);
  switch (frame.step) {
  case 0:
    cellOf(block, rankOf(block)) = rankOf(block) + 1;
    return waitForCluster(block, warp);
  case 1:
    __atomic_fetch_add(out, cellOf(block, (rankOf(block) + 1) % sizeOf(block)), __ATOMIC_RELAXED);
    return waitFor(block, warp, WaitKind::Grid);
  case 2:
    out[1 + linearBlock(block)] = *out;
    return waitForCluster(block, warp);
  default:
    return false;
  }
}

TEST_F(LaunchTest, ClustersOfACooperativeGridWaitForTheGrid) {
  KernelCode code = waitingKernel<levelsStep>(32, 1, KernelNeedsCluster | KernelNeedsGrid);
  KernelInfo info = {&code, "levels"};
  std::vector<uint32_t> out(1 + 24);
  uint32_t *pointer = out.data();
  LaunchRequest r = request(info, 24, pointer, 16);
  r.clusterDim[0] = 4;
  r.cooperative = true;
  run(r);
  EXPECT_EQ(out, std::vector<uint32_t>(25, 6 * (1 + 2 + 3 + 4)));
}

/// Only one block of each cluster comes to the barrier of the grid.
bool unevenStep(Block *block, uint32_t, Frame &frame) {
  if (frame.step > 0 || rankOf(block) > 0)
    return false;
  return waitFor(block, 0, WaitKind::Grid);
}

TEST_F(LaunchTest, UnevenClustersOfAGridAreADeadlock) {
  KernelCode code = waitingKernel<unevenStep>(32, 1, KernelNeedsCluster | KernelNeedsGrid);
  KernelInfo info = {&code, "uneven"};
  uint32_t *none = nullptr;
  LaunchRequest r = request(info, 8, none, 16);
  r.clusterDim[0] = 2;
  r.cooperative = true;
  testing::internal::CaptureStderr();
  device->launch(queue, r);
  device->synchronize(queue);
  std::string report = testing::internal::GetCapturedStderr();
  EXPECT_NE(device->fault(), Fault::None);
  EXPECT_NE(report.find("waits at a grid barrier"), std::string::npos) << report;
}

} // namespace
