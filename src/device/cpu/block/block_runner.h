// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one block of a kernel that waits (base/abi/kernel_abi.h): starts every warp, then releases
// barriers until all warps have ended, wait for the grid, or cannot go on.
#pragma once

#include "base/abi/kernel_abi.h"
#include "device/cpu/block/fibers.h"
#include "device/device.h"

#include <atomic>
#include <string>
#include <vector>

namespace heddle::device::cpu {

inline constexpr uint32_t MaxWarps = 1024;            ///< per block: 1024 threads at width 1
inline constexpr uint32_t WarpScratchBytes = 32 * 16; ///< per CUDA warp
/// 16 that PTX names, and one for each tile of 64, 128, 256, 512 or 1024 threads that a block may
/// have (include/heddle/groups/block.h).
inline constexpr uint32_t NamedBarriers = 16 + 31;

enum class BlockEnd {
  Finished,
  AtGrid,    ///< every live warp waits for the grid
  AtCluster, ///< no warp can go on before the cluster's other blocks have arrived
  Deadlock,  ///< no warp can go on
  Cancelled,
  Goes,   ///< it is not at its end
  Idle,   ///< neither, but all that could go on were loops that polled in vain
  Paused, ///< neither: others have a turn, for which it may wait from barrier to barrier
};

class BlockRun {
public:
  /// `block` has its launch, blockIdx, shared memory, warps and frames set. `fibers` has a stack
  /// for each of its threads, if the code needs that.
  /// `isAlone`: no other block takes part in its cluster barriers. `patience`: of the kernel.
  void init(const KernelCode &code, Block &block, Fibers &fibers,
            const std::atomic<bool> &cancelled, bool isAlone = true,
            WarpPatience *patience = nullptr);
  /// Starts all warps and runs the block.
  BlockEnd start();
  /// Starts all warps; `advance` goes on.
  void startWarps();
  /// Releases one barrier, or lets warps that poll look again. `Goes`, `Paused` or `Idle` if warps
  /// are left that may go on.
  BlockEnd advance();
  /// After AtGrid: the grid barrier is released; `advance` goes on.
  void releaseGrid();
  /// The same, and runs the block.
  BlockEnd continueFromGrid();
  /// Whether all live warps have arrived at the cluster barrier, and any waits for its end.
  bool hasArrivedAtCluster() const { return hasArrivedAt(ClusterPieces); }
  bool waitsAtCluster() const { return waitsAt(ClusterPieces); }
  /// All blocks of the cluster have arrived: its barrier is released; `advance` goes on.
  void releaseCluster();
  /// One line for each group of warps that wait at one place. After Deadlock.
  std::string describeWaits() const;
  struct Waiting {
    uint32_t first, last; ///< threads
    std::string what;
    const SourceLoc *where; ///< null if it is not known
  };
  /// The same as data.
  std::vector<Waiting> waits() const;
  /// Goes up whenever a warp gets on: it ends, comes to or past a barrier, or polls anew.
  uint64_t steps() const { return steps_; }
  const Block &block() const { return *block_; }

private:
  /// A barrier in two pieces: how its end is waited for, and the note of an arrival.
  struct Pieces {
    WaitKind wait;
    ArrivedAt arrived;
  };
  static constexpr Pieces ClusterPieces = {WaitKind::Cluster, ArrivedAtCluster},
                          BlockPieces = {WaitKind::Arrived, ArrivedAtBlock};
  static constexpr uint64_t NotLooked = ~uint64_t(0);

  BlockEnd run();
  BlockEnd poll();
  void giveWay() const;
  void resume(uint32_t warp);
  void callStart(uint32_t warp);
  void callResume(uint32_t warp);
  void look(uint32_t warp);
  void releasePlain();
  bool releaseOthers();
  bool releaseArrivals();
  uint32_t inOrder(uint32_t) const;
  bool releaseArrived(const Pieces &, bool isAlone);
  bool releaseLateWaits(const Pieces &);
  bool waitsAt(const Pieces &) const;
  bool hasArrivedAt(const Pieces &) const;
  void clearArrivals(const Pieces &);
  bool releaseNamed(uint32_t id);
  bool releaseWarps();
  bool releaseMeetings(bool isIdle);
  bool releaseMeeting(uint32_t first, bool isIdle);
  bool mayPass(uint32_t first, uint32_t place, uint32_t flags, bool isIdle);
  struct Looks {
    uint32_t count;    ///< in vain, since the warp has got on
    uint64_t first;    ///< in nanoseconds
    uint64_t since;    ///< the same, or when other blocks last got on
    uint64_t progress; ///< of the kernel, then
  };
  struct Wait {
    uint64_t nanoseconds;
    bool countsProgress; ///< it begins anew whenever other blocks get on
  };
  Wait waitFor(uint32_t pollFlags, uint32_t meetFlags) const;
  bool waitsLonger(Looks &, Wait) const;
  void noteProgress();
  uint32_t threadsOf(uint32_t warp) const;
  uint32_t lanesIn(uint32_t warp, uint32_t mask) const;
  uint32_t barrierOf(uint32_t warp) const;
  bool isPlain(const WarpState &) const;

  const KernelCode *code_;
  Block *block_;
  Fibers *fibers_; ///< null unless KernelFibers
  const std::atomic<bool> *cancelled_;
  bool isAlone_;
  uint32_t live_;       ///< warps that have not ended
  uint32_t plain_;      ///< warps that wait at __syncthreads
  uint32_t polling_;    ///< warps that wait in WaitKind::Yield
  uint32_t idleRounds_; ///< times in a row that all of them polled in vain
  bool gathers_;        ///< KernelDebugged: warps have come to a breakpoint, and other blocks may
  uint64_t steps_;
  uint64_t stepsAtPoll_;            ///< when all that poll looked last; NotLooked
  uint32_t arrived_[NamedBarriers]; ///< threads that only arrived
  WarpPatience *patience_, ownPatience_;
  uint64_t stepsNoted_;        ///< in WarpPatience::progress
  Looks looks_[MaxWarps / 32]; ///< of each CUDA warp that polls
};

/// Sets blockIdx from a linear block number, in the order of KernelCode::band.
void setBlockIndex(Block &, const Launch &, const KernelCode &, uint64_t linear);
void findBlockIndex(uint32_t *index, const Launch &, const KernelCode &, uint64_t linear);

} // namespace heddle::device::cpu
