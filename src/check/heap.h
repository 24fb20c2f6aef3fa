// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The heap of malloc and free in kernels, as memcheck sees it.
#pragma once

#include "base/abi/check_abi.h"
#include "check/finding.h"

namespace heddle::check {

/// CheckServices::allocate, release.
void *allocateInKernel(Block *, uint64_t bytes, uint32_t warp, uint32_t lane, const AccessSite *);
void releaseInKernel(Block *, void *, uint32_t warp, uint32_t lane, const AccessSite *);

/// A block that malloc gave.
struct HeapBlock {
  const uint8_t *base = nullptr;
  uint64_t bytes = 0;
  bool isFreed = false;
  Note allocated, freed; ///< by whom, and where
};
/// The live or freed block at an address, or the last one in front of it. False: there is none.
bool findHeapBlock(const void *address, HeapBlock &);
/// "allocated by thread (0,0,0) ...", "freed by ...".
void describeHeapBlock(const HeapBlock &, std::vector<Note> &);

} // namespace heddle::check
