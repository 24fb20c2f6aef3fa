// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/record/known_code.h"

namespace heddle::driver {

/// What a program gives a launch, by any of the functions for it.
struct LaunchCall {
  CUfunction function;
  uint32_t grid[3], block[3], cluster[3];
  uint32_t sharedBytes;
  bool isCooperative;
  CUstream stream;
  void **params, **extra;
};

/// The launch with its parameters and all memory that they lead to, and what is there now: all work
/// of the context is over. Without the code. Fails with what cannot be saved.
Result<SavedLaunch> takeSnapshot(const Table &driver, const LaunchCall &, const KnownKernel &,
                                 uint64_t number);

/// What is in the same memory now. False if it cannot be read.
bool takeAgain(const Table &driver, SavedLaunch &);

} // namespace heddle::driver
