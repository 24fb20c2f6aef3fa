// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of programs: what the driver sees of them.
#pragma once

#include "base/abi/check_abi.h"
#include "check/finding.h"

namespace heddle::check {

/// What the driver knows.
struct HostFacts {
  /// A kernel may use what lies at the address, though it is in no allocation of the device's:
  /// registered host memory, all host memory where the device can use that.
  bool (*mayUse)(const void *address);
  /// device::Checker::isForeign.
  bool (*isForeign)(const void *device, const void *address);
  /// device::Checker::isSampled.
  bool (*isSampled)(Bounds);
  /// What is known of an address in no live allocation, or outside of the one that was meant
  /// (`object`; null: not known).
  void (*describe)(const void *address, const void *object, std::vector<Note> &);
  /// Host code at an offset of an executable or library, the innermost function first.
  std::vector<Frame> (*symbolize)(const char *path, uint64_t offset);
  /// CUDA's code for a device::Fault.
  int (*errorOfFault)(uint32_t fault);
  /// Waits for all work.
  void (*waitForWork)();
};

/// At the start of the driver: HEDDLE_CHECK asks for checks, or nothing happens.
void start(const HostFacts &);
/// What is checked: Checks. 0 until `start`.
uint32_t checks();
/// No launch may run code that does not tell of its accesses, even if they cannot race.
bool needsAllAccesses();
/// Whether launches of the kernel are checked, and whether the next one of such kernels is, which is
/// counted.
bool choosesKernel(const std::string &mangled, const std::string &shown);
bool choosesLaunch();
/// Host memory of the program's is registered, or a managed variable, or no longer: racecheck looks at
/// it meanwhile.
void registered(const void *base, uint64_t bytes, bool isVariable = false);
void unregistered(const void *base);
/// Memory of a pool begins and ends in the order of streams, which racecheck looks at
/// (device::noteTouched).
bool looksAtPools();
/// A pool gives memory out again whose last use is over.
void poolMemoryBegins(const void *base, uint64_t bytes);
/// A call of the API begins.
void callBegins(const char *function);
/// A call of the API ends: what launches have found is told on its thread.
void tellInCall();
/// ... and all is told.
void callEnds();
/// The program is about to end, and host code can still be looked up.
void prepareEnd();
/// It ends, and frees nothing any more.
void finish();
/// It ends otherwise: by _exit, or a signal. Launches may be under way, and never end: what they have
/// found so far is told. On a thread of its own.
void finishEarly();

} // namespace heddle::check
