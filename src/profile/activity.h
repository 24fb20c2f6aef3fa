// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a profiled program did, as reports tell it. Times are nanoseconds of one clock.
#pragma once

#include "model/timeline.h"
#include "profile/timing.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::model {
struct Gpu;
}

namespace heddle::profile {

enum class ActivityKind : uint8_t { Kernel, Copy, Fill };
/// Where a side of a copy lies. Peer copies have Device on both sides, and two devices.
enum class MemoryKind : uint8_t { Pageable, Pinned, Device, Array, Managed };

/// A launch, as it was asked for.
struct KernelFacts {
  std::string name; ///< demangled, as reports show it
  std::string mangled;
  uint32_t grid[3], block[3];
  uint32_t registers = 0;                       ///< of a thread
  uint64_t staticShared = 0, dynamicShared = 0; ///< bytes of a block
  double occupancy = 0; ///< warps that fit on a multiprocessor, over the most; in theory
  int cacheConfig = 0;  ///< cudaFuncCache, as the device prefers it
};

/// Work on a device.
struct Activity {
  ActivityKind kind;
  uint32_t device = 0; ///< CUDA's number
  uint32_t context = 1;
  uint64_t stream = 0; ///< as reports number it
  uint64_t call = 0;   ///< the call of the API that asked for it: ApiCall::number; 0: none
  uint64_t begin = 0, end = 0;
  std::vector<model::Span> onBoards; ///< of a predicted program, by board; empty: not known
  uint64_t launch = 0;               ///< Kernel: LaunchCounts::id
  uint64_t work = 0;                 ///< WorkNumber; 0: its time is not modelled
  KernelFacts kernel;                ///< Kernel
  uint64_t bytes = 0;                ///< Copy, Fill
  MemoryKind from = MemoryKind::Device, to = MemoryKind::Device; ///< Copy; of a Fill: to
  int toDevice = -1;         ///< of a copy between two devices: the other one
  bool isPeerAccess = false; ///< of such a copy: one may access the other
  bool isAsync = false;
};

/// A call of the runtime's or the driver's API by the program.
struct ApiCall {
  const char *name;
  uint64_t number;
  uint64_t begin, end;
  uint32_t thread; ///< the system's number
  bool ofRuntime;
  int code; ///< what it returned
};

/// What the program has marked (NVTX).
struct Range {
  std::string name;
  uint64_t begin, end; ///< the same: a mark
  uint32_t thread;
  bool isOfProcess = false; ///< it may begin and end in any thread
  const void *domain = nullptr;
};

struct DeviceFacts {
  std::string name;
  const model::Gpu *gpu = nullptr; ///< that it stands for; null: it is the processor
  const void *backend = nullptr;   ///< LaunchCounts::device
};

/// All of a process.
struct Recording {
  uint64_t begin = 0;               ///< when the recording began
  std::vector<Activity> activities; ///< in the order in which they ended
  std::vector<ApiCall> calls;
  std::vector<Range> ranges;
  std::vector<DeviceFacts> devices;
  std::vector<LaunchCounts> counts;            ///< of launches that were counted
  std::vector<std::vector<TimedLaunch>> times; ///< by launch, and by GPU that is asked for
};

/// "HtoD", "DtoH", "DtoD", "PtoP", "HtoA", ...
std::string directionOf(const Activity &);
/// As nvprof names it: "[CUDA memcpy HtoD]", "[CUDA memset]", a kernel's name.
std::string labelOf(const Activity &);

} // namespace heddle::profile
