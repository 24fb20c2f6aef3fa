// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel reads from its multiprocessor's clock while it runs here. The model's times of a launch
// come when the launch is over, so this is an estimate of its own, made warp by warp: block_clock.cpp has
// the method.
#pragma once

#include "model/cache.h"
#include "model/multiprocessor.h"
#include "model/warp_memory.h"

#include <mutex>
#include <optional>
#include <queue>

namespace heddle::model {

/// Whether a kernel reads a clock.
bool readsClock(const KernelCode &);

/// Of a device, for all of its launches that read clocks.
struct DeviceClock {
  explicit DeviceClock(const Gpu &);
  std::mutex mutex;
  int64_t now;  ///< 1/1024 cycles: when the last launch ended
  FillCache l2; ///< what launches have left there
};

/// Of a launch. Its blocks come one after the other, on one thread.
class LaunchClock {
public:
  LaunchClock(const Gpu &, const MachineCode &, const LaunchShape &, DeviceClock &);
  ~LaunchClock();

private:
  friend class BlockClock;
  using Ticks = int64_t;
  Ticks place();
  void leave(Ticks end);

  const Gpu &gpu_;
  const MachineCode &code_;
  const MemoryState state_;
  DeviceClock &device_;
  WarpMemory memory_;
  uint64_t l1Bytes_ = 0; ///< of a block
  uint64_t slots_ = 1;   ///< blocks that run at a time
  /// Warps that issue beside each other: of a scheduler, of a multiprocessor.
  int64_t ofScheduler_ = 1, ofMultiprocessor_ = 1;
  Ticks issue_, core_, link_, l2_, dram_, l1Latency_, l2Latency_, dramLatency_; ///< of one each
  Ticks begin_, end_;
  uint64_t begun_ = 0;
  std::priority_queue<Ticks, std::vector<Ticks>, std::greater<>> free_; ///< blocks' ends
};

class BlockClock {
public:
  BlockClock(LaunchClock &, uint32_t warps);
  /// All of its warps have ended.
  ~BlockClock();

  /// The next step of a warp; `addresses` as WarpTrace has them.
  void add(uint32_t warp, const WarpEvent &, std::span<const uint64_t> addresses);
  /// What the warp reads now: cycles of the multiprocessor's clock, or nanoseconds.
  uint64_t cycles(uint32_t warp);
  uint64_t nanoseconds(uint32_t warp);

private:
  using Ticks = int64_t;
  /// A unit, as a warp finds it that is alone.
  struct Unit {
    Ticks free = 0, busy = 0;
    Ticks take(Ticks from, Ticks length);
  };
  struct Warp {
    WarpTrace trace; ///< of the basic block
    uint64_t used = 0;
    uint32_t instruction = 0, end = 0;
    uint64_t barriers = 0; ///< that it has come to
    bool waits = false;    ///< at the last of them
    bool isPaired = false;
    Ticks last = 0, settled = 0;
    std::vector<Ticks> ready; ///< by virtual register
    std::array<Unit, PipeCount> pipes;
    Unit issue, cores, loadStore, link, l2, dram;
  };
  Ticks now(uint32_t warp);
  void advance(Warp &);
  bool runToBarrier(Warp &);
  void meet(Warp &);
  void settle(Warp &);
  void step(Warp &, const MachineInstruction &);
  Ticks access(Warp &, const MachineInstruction &, Ticks start);
  Ticks global(Warp &, const WarpRequest &, Ticks start);
  const WarpEvent *eventOf(Warp &, uint32_t access);

  LaunchClock &launch_;
  SectorCache l1_;
  std::vector<Warp> warps_;
};

} // namespace heddle::model
