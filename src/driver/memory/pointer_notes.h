// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What few programs ask or say of an allocation: noted beside it, by its base, until it is freed.
// Memory that is mapped at reserved addresses (virtual.h) is noted by its object.
#pragma once

#include <cstdint>

namespace heddle::driver {

/// By what the allocation at an address is noted; null: there is none.
const void *notedAt(const void *);

/// A number that no other allocation of the process has or had.
uint64_t bufferId(const void *base);

/// Whether calls that copy from or to it, or fill it, are to wait for that always.
/// CU_POINTER_ATTRIBUTE_SYNC_MEMOPS.
/// False: none is.
bool anySynchronous();
bool isSynchronous(const void *base);
void setSynchronous(const void *base, bool);

/// The allocation is freed.
void forgetNotes(const void *base);

} // namespace heddle::driver
