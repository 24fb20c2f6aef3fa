// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/debugger.h"

#include <algorithm>
#include <mutex>

namespace heddle::device {

namespace {

DebuggedDevice devices[MostDebuggedDevices];
std::mutex
    mutex; // of the list and the devices; a debugger finds them in order when all threads stand

} // namespace

DebuggerTable heddle_debugger = {DebuggerVersion,
                                 offsetof(DebuggedBlock, block),
                                 offsetof(DebuggedBlock, kernel),
                                 offsetof(DebuggedBlock, device),
                                 offsetof(DebuggedBlock, threads),
                                 offsetof(DebuggedBlock, runner),
                                 offsetof(Block, launch),
                                 offsetof(Block, blockIdx),
                                 offsetof(Block, currentWarp),
                                 offsetof(Block, warps),
                                 offsetof(Launch, gridDim),
                                 offsetof(Launch, blockDim),
                                 offsetof(Launch, launchId),
                                 sizeof(WarpState),
                                 offsetof(WarpState, frame),
                                 offsetof(WarpState, wait),
                                 offsetof(WarpState, polls),
                                 nullptr,
                                 devices,
                                 0,
                                 MostBreakpoints,
                                 0,
                                 {}};

void showToDebugger(DebuggedBlock &block) {
  std::lock_guard guard(mutex);
  block.previous = nullptr;
  block.next = heddle_debugger.first;
  if (block.next)
    block.next->previous = &block;
  heddle_debugger.first = &block;
}

void hideFromDebugger(DebuggedBlock &block) {
  if (!block.block)
    return;
  std::lock_guard guard(mutex);
  (block.previous ? block.previous->next : heddle_debugger.first) = block.next;
  if (block.next)
    block.next->previous = block.previous;
  block = {};
}

void showDevice(const DebuggedDevice &device) {
  std::lock_guard guard(mutex);
  if (heddle_debugger.deviceCount < MostDebuggedDevices)
    devices[heddle_debugger.deviceCount++] = device;
}

bool hasBreakpoint(const void *address) {
  constexpr uint64_t Behind = 16;
  // The debugger writes it, which the compiler does not see.
  const volatile DebuggerTable &table = heddle_debugger;
  uint64_t count = table.breakpointCount;
  auto begin = reinterpret_cast<uint64_t>(address);
  for (uint64_t i = 0; i < std::min<uint64_t>(count, MostBreakpoints); ++i)
    if (table.breakpoints[i] - begin < Behind)
      return true;
  return false;
}

} // namespace heddle::device
