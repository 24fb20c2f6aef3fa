// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For `heddle check`: what is wrong with the memory that a call is given. Nothing happens where
// nothing is checked.
#pragma once

#include "driver/memory/memory.h"

namespace heddle::driver {

/// A call cannot access `bytes` at `p`. `onDevice`: it was to be the device's memory.
void explainAccess(const void *p, size_t bytes, const PointerInfo &, bool onDevice);
/// A box lies outside of an array.
void explainArrayAccess(const void *array, size_t rowBytes, size_t rows, size_t slices);
/// `p` is nothing that the call frees, which is memory of the type.
void explainFree(const void *p, cudaMemoryType);
/// `p` was said to be the host's. It is reported if it is the device's alone, or nothing's.
void checkHostSide(const void *p, size_t bytes, bool isTarget);

/// Allocations of the program, for what is told of them later.
void noteTaken(const void *base, size_t bytes, device::cpu::MemoryKind);
void noteGiven(const void *base);
void noteKeptByPool(const void *base);

} // namespace heddle::driver
