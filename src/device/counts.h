// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device does for counted code (base/abi/count_abi.h), and tells those who count.
#pragma once

#include "base/abi/count_abi.h"
#include "device/device.h"

namespace heddle::device {

/// What is asked about launches of counted code. Called from workers.
struct Counter {
  CountServices services;
  /// A worker is going to run the block's code: sets Block::tallies and Block::counter, and, the first
  /// time in a launch, CountedLaunch::state.
  void (*bind)(Block *, CountedLaunch &, const KernelInfo &, unsigned worker);
  /// Whether a block of the grid, by its number, is counted: x first. Others run in
  /// LaunchRequest::rest, if there is one.
  bool (*isCounted)(const Launch *, uint64_t number);
  /// It begins in counted code, and ends there.
  void (*blockBegins)(Block *, uint64_t number, unsigned worker);
  void (*blockEnds)(Block *);
  /// All blocks are over, also if the launch was cancelled. Under the engine's lock: brief.
  void (*launchOver)(CountedLaunch &, bool isCancelled);
};
/// Before the first launch of counted code.
void setCounter(const Counter *);
const Counter *counter();

/// What tells streams and devices of launches apart.
void placeOfLaunch(const Launch *, const void *&queue, const void *&device);

/// Where an address lies that a kernel's pointer may have.
enum class AddressKind : uint8_t { Global, Shared, Local, Parameter };
/// `offset`: in shared memory, from the beginning of that of its block.
AddressKind kindOf(const Block *, uint64_t address, uint64_t &offset);

} // namespace heddle::device
