// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who has allocated memory, and who has freed it.
#pragma once

#include "check/finding.h"

#include <cstdint>
#include <vector>

namespace heddle::check {

/// The calling thread's program allocates or frees memory. `what`: "device", "pinned host".
void noteAllocation(const void *base, uint64_t bytes, const char *what);
void noteRelease(const void *base);
/// The same, of memory that a pool keeps: until it is allocated again, or released, too.
void noteKept(const void *base);
/// What begins there is the storage of a variable, which nobody frees: no leak.
void noteVariable(const void *base);
/// Of memory that was freed before a call (device::numberCall) and is kept.
bool isGone(const void *base, uint64_t call);

/// What is known of the allocation that begins there.
struct AllocationNote {
  uint64_t bytes = 0;
  const char *what = "";
  uint32_t allocated = 0, freed = 0; ///< stacks (host_stack.h)
  bool isFreed = false;
  bool isVariable = false; ///< noteVariable
};
/// A live one, or the last that was freed there. False: there was none.
bool findAllocationNote(const void *base, AllocationNote &);
/// The last one that was freed and holds the address.
bool findFreedAllocation(const void *address, const void *&base, AllocationNote &);
/// "allocated by cudaMalloc", "freed by cudaFree".
void describeAllocation(const AllocationNote &, std::vector<Note> &);

/// --leak-check: those that are live.
void reportLeaks();
/// Looks up what reportLeaks will tell, while that can be done.
void prepareLeaks();

} // namespace heddle::check
