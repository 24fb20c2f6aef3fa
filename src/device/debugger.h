// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a debugger finds of kernels in the memory of the process, and the one thing that it writes.
// Its commands are in heddle_gdb.py, which gdb loads with the runtime library.
//
// A kernel compiled with -G that is launched under a debugger has a stack for each thread and a
// call of DebugServices::atStatement in front of each statement (simt/lower/debugged_threads.h). Where
// the statement has a breakpoint, the threads of all blocks that fit gather before the first of
// them gets to it. So all of them can be looked at in the state that they have there, as on a GPU,
// where warps stop together. Between breakpoints each thread runs alone, so a user who goes on by
// single steps stays with one thread.
//
// Rejected: a switch to the next thread at each statement. Each single step would end in another
// thread.
#pragma once

#include "base/abi/debugger_abi.h"

namespace heddle::device {

inline constexpr uint64_t DebuggerVersion = 1;
inline constexpr uint32_t MostBreakpoints = 1024, MostDebuggedDevices = 64;

class Device;

/// A block with threads that can be looked at, in a list of all.
struct DebuggedBlock {
  DebuggedBlock *next = nullptr, *previous = nullptr;
  const Block *block = nullptr;
  const char *kernel = nullptr;   ///< its name as a user knows it
  const Device *device = nullptr; ///< that the kernel was launched on
  uint64_t threads = 0;
  uint64_t runner = 0; ///< the number that the system gives the thread which runs it; 0: none does
};

/// One device of the process.
struct DebuggedDevice {
  const Device *device;
  const char *name;
  uint64_t multiprocessors, major, minor;
};

/// All fields are words, in the order in which heddle_gdb.py reads them.
struct DebuggerTable {
  uint64_t version;
  // The layout of what it points to.
  uint64_t blockOfBlock, kernelOfBlock, deviceOfBlock, threadsOfBlock, runnerOfBlock; ///< of these
  uint64_t launch, blockIdx, currentWarp, warps;                                      ///< of Block
  uint64_t gridDim, blockDim, launchId;                                               ///< of Launch
  uint64_t warpStateBytes, frame, wait, polls; ///< of WarpState
  DebuggedBlock *first;
  DebuggedDevice *devices;
  uint64_t deviceCount;
  // Written by the debugger: addresses in kernels that it stops at.
  uint64_t mostBreakpoints, breakpointCount;
  uint64_t breakpoints[MostBreakpoints];
};

extern "C" __attribute__((visibility("default"))) DebuggerTable heddle_debugger;

/// Puts a block into the list, which it must not be in, or takes it out, if it is in it.
void showToDebugger(DebuggedBlock &);
void hideFromDebugger(DebuggedBlock &);
void showDevice(const DebuggedDevice &);

/// Whether the debugger stops at `address`, which a call of DebugServices::atStatement returns to, or
/// a little behind it: values may come back into registers first.
bool hasBreakpoint(const void *address);

} // namespace heddle::device
