// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clusters. The blocks of a cluster are alive at the same time, reach each other's shared memory,
// and have a barrier of their own. One worker runs them all, in turns: each block goes on until all
// of its warps wait for the cluster, the grid, or memory that they poll. So nothing in a cluster
// happens at the same time, its barrier takes no lock, and shared memory needs no atomic
// instructions for the sake of other blocks. A launch counts clusters where others count blocks
// (LaunchState::blocks): what is parked, taken up again, and waits for the grid is a cluster.
//
// Rejected: blocks of a cluster on several workers. The barrier would be one of threads, and what
// the compiler does to atomic operations on shared memory, because a block runs on one thread,
// would have to be undone. A launch has mostly more clusters than there are workers.
#include "device/cpu/launch/block_slot.h"

namespace heddle::device::cpu {

namespace {

/// Where block `rank` of a cluster lies in the grid. Both count x first.
void setClusterIndex(Block &block, const Launch &launch, uint64_t cluster, uint64_t rank) {
  for (int d = 0; d < 3; ++d) {
    uint64_t blocks = launch.clusterDim[d], clusters = launch.gridDim[d] / blocks;
    block.blockIdx[d] = static_cast<uint32_t>(cluster % clusters * blocks + rank % blocks);
    cluster /= clusters;
    rank /= blocks;
  }
}

/// The blocks of a slot's cluster go on in turns.
class ClusterTurns {
public:
  ClusterTurns(Worker &worker, Op &op, BlockSlot &slot) : worker_(worker), op_(op), slot_(slot) {}

  /// Until all have ended, or none can go on. Nothing if the launch has failed.
  std::optional<BlockEnd> run(bool &gotOn) {
    for (;;) {
      bool progress = false;
      live_ = idle_ = paused_ = atGrid_ = 0;
      std::optional<BlockEnd> cutOff = BlockEnd::Goes;
      forEachBlock(slot_, [&](BlockSlot &block) {
        if (!block.over && cutOff == BlockEnd::Goes)
          cutOff = goOn(block, progress);
      });
      if (cutOff != BlockEnd::Goes)
        return cutOff;
      progress |= releaseBarrier();
      gotOn |= progress;
      if (live_ == 0)
        return BlockEnd::Finished;
      if (paused_)
        return BlockEnd::Paused;
      if (!progress)
        return end();
    }
  }

private:
  /// Nobody goes on. Blocks that have ended will never come to the grid's barrier.
  BlockEnd end() const {
    if (idle_)
      return BlockEnd::Idle;
    return atGrid_ == slot_.others.size() + 1 ? BlockEnd::AtGrid : BlockEnd::Deadlock;
  }

  /// Goes if the others are to have their turns.
  std::optional<BlockEnd> goOn(BlockSlot &block, bool &progress) {
    uint64_t before = block.run.steps();
    bool isNew = block.entry != BlockSlot::Entry::GoOn, looked;
    std::optional<BlockEnd> end = enterBlock(worker_, op_, block, looked);
    progress |= isNew || block.run.steps() != before;
    if (!end || end == BlockEnd::Cancelled)
      return end;
    block.over = end == BlockEnd::Finished;
    live_ += !block.over;
    idle_ += end == BlockEnd::Idle;
    paused_ += end == BlockEnd::Paused;
    atGrid_ += end == BlockEnd::AtGrid;
    if (end != BlockEnd::Finished && end != BlockEnd::Idle && end != BlockEnd::Paused)
      slot_.stuck = &block;
    return end == BlockEnd::Deadlock ? end : BlockEnd::Goes;
  }

  /// Releases the cluster barrier if all that live have arrived.
  bool releaseBarrier() {
    bool waits = false, hasArrived = true;
    forEachBlock(slot_, [&](BlockSlot &block) {
      waits |= !block.over && block.run.waitsAtCluster();
      hasArrived &= block.over || block.run.hasArrivedAtCluster();
    });
    if (!waits || !hasArrived)
      return false;
    forEachBlock(slot_, [&](BlockSlot &block) {
      if (!block.over)
        block.entry = BlockSlot::Entry::AfterCluster;
    });
    return true;
  }

  Worker &worker_;
  Op &op_;
  BlockSlot &slot_;
  uint32_t live_ = 0, idle_ = 0, paused_ = 0, atGrid_ = 0;
};

} // namespace

bool setUpCluster(Worker &worker, Op &op, BlockSlot &slot, uint64_t cluster) {
  slot.others.resize(op.launch.clusterBlocks - 1);
  uint8_t *shared[MostClusterBlocks] = {};
  uint64_t rank = 0;
  bool failed = false;
  for (std::unique_ptr<BlockSlot> &other : slot.others)
    if (!other)
      other = std::make_unique<BlockSlot>();
  forEachBlock(slot, [&](BlockSlot &block) {
    failed = failed || !setUpBlock(worker, op, block);
    setClusterIndex(block.block, op.launch.abi, cluster, rank);
    shared[rank++] = block.block.shared;
  });
  forEachBlock(slot, [&](BlockSlot &block) {
    std::copy(std::begin(shared), std::end(shared), block.block.clusterShared);
  });
  return !failed;
}

std::optional<BlockEnd> enterCluster(Worker &worker, Op &op, BlockSlot &slot, bool &gotOn) {
  BlockSlot::Entry entry = slot.entry;
  if (entry == BlockSlot::Entry::AfterGrid)
    forEachBlock(slot, [&](BlockSlot &block) { block.entry = entry; });
  gotOn = false;
  std::optional<BlockEnd> end = ClusterTurns(worker, op, slot).run(gotOn);
  gotOn |= end != BlockEnd::Idle;
  return end;
}

} // namespace heddle::device::cpu
