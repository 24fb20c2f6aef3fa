// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device does for checked code (base/check_abi.h), and tells those who check.
#pragma once

#include "base/check_abi.h"
#include "device/device.h"

namespace heddle::device {

/// What is asked about launches of checked code. Called from workers, but for the end of a launch.
struct Checker {
  CheckServices services;
  /// The blocks of a launch are over, also if it was cancelled. Under the engine's lock: brief.
  void (*launchOver)(const Launch *);
};
/// Before the first launch of checked code.
void setChecker(const Checker *);
const Checker *checker();

/// Where an address lies, as a kernel sees it.
struct MemoryPlace {
  enum class Kind : uint8_t {
    None,   ///< in nothing that is known here: host memory, or nothing
    Global, ///< an allocation: device, managed or pinned host memory
    Heap,   ///< a live block of malloc in kernels
    Shared, ///< the shared memory of the thread's block, or of one of its cluster
    Thread, ///< local memory of threads
  };
  Kind kind = Kind::None;
  Bounds bounds = {}; ///< of the allocation or block; of Thread: none
};
MemoryPlace placeOf(const Block *, const void *);

/// Of a kernel that runs: its name, demangled.
const char *kernelNameOf(const Launch *);
/// LaunchRequest::origin.
uint32_t originOf(const Launch *);
/// Threads of a program: the lanes of a warp that services are told.
uint32_t lanesOf(const Launch *);

} // namespace heddle::device
