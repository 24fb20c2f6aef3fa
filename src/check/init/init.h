// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// initcheck: reads of memory that nothing has written. What the driver and compiled code tell.
#pragma once

#include "base/abi/check_abi.h"
#include "check/finding.h"

#include <cstddef>

namespace heddle::check {

/// False, and says so, where there is no room for the shadow.
bool startInit();
bool looksForUnwritten();

// From the driver. Nothing happens without CheckInit.

/// Memory of the device is allocated, and released.
void initBegins(const void *base, uint64_t bytes);
void initEnds(const void *base, bool isFreed = true);
/// An operation of the API writes device memory, or copies it: rows of `bytes`. `stack`: of the call,
/// if it is known.
void initWritten(const void *p, uint64_t bytes, uint32_t stack = 0);
void initCopied(void *to, const void *from, uint64_t bytes, uint32_t stack = 0);
/// A kernel that is not checked is launched.
void initUnchecked();
/// Others may write all device memory: a library whose work runs on the host, another process.
void initUnknown();
/// Queued work may bring bytes that nothing has written to where all was: the number of such
/// operations changes.
void initPending(int change);
bool initMayChange();
/// What lies at the address was not written as a whole, or may not be.
bool initMustLook(const void *);
/// Bytes of these that were never written.
uint64_t initUnwritten(const void *p, uint64_t bytes);
/// A library reads it: the bytes that were never written.
uint64_t readByLibrary(const void *p, uint64_t bytes);
/// A library reads device memory of which nothing was ever written, as a call of the program's says.
void reportUnwrittenRead(const void *from, uint64_t bytes, uint32_t stack);
/// The API copies device memory to the host of which nothing was ever written.
void reportUnwrittenCopy(const void *from, uint64_t bytes, uint32_t stack);
/// What waits to be told of, on a thread of the program's.
void tellInitFindings();
/// --track-unused-memory: of allocations that are live, and of copies.
void reportUnused();

// CheckServices and device::Checker.

void shadowLaunch(ShadowedMemory &, const uint64_t *pointers, size_t count, uint64_t *tracked);
void findShadow(Block *, uint32_t lanes, uint8_t **pointers, uint32_t isRun, uint8_t *other);
void reportUninitialized(Block *, uint32_t warp, uint32_t lanes, const AccessSite *,
                         uint8_t *const *pointers);
void copyShadow(Block *, uint8_t *to, const uint8_t *from, uint64_t bytes);

} // namespace heddle::check
