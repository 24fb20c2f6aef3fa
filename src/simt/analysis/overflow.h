// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one policy for overflow.
//
// Arithmetic of n bits is that of numbers modulo 2^n, and so is whatever is said of it: how a value
// goes over lanes (shapes.h), over threads (thread_sums.h) or over the rounds of a loop says what
// the n bits are, and nothing about the number that they would be without bounds. Sums, differences
// and products with constants may be taken apart and put together so; what looks at a number as a
// whole may not: an extension, a comparison, a quotient, a shift to the right.
//
// An extension is where this matters, for indices have 32 bits and addresses 64. The extension of a
// sum is a value of its own, of which nothing follows from the terms, unless the sum is exact. That
// is asked here, in two ways.
//
// Exact: the sum is that of whole numbers in each thread in which it is not poison (`isExact`). The
// flags nsw and nuw say so, ranges of values, zero bits that another term fills, and what is known
// for each thread of the block. Poison may be any number, so in the other threads, too, the
// extension may be taken for the sum of the terms' extensions. But a sum that was exact for its
// flags must not be computed with them in a thread that stands for others.
//
// Exact where it is accessed: no object is as long as an index can go (ShortObject). Threads
// whose index has wrapped around are 2^32 elements away from those whose index has not, and at most
// the ones or the others access memory. An index that is used for nothing else may be taken for the
// sum of its terms' extensions, if that is the same number in the threads that access memory.
// How long objects are the runtime knows at each launch; code that counts on it runs in launches
// for which it holds (Options::hasLongObjects).
//
// Both are used in one place: distribute_extensions.cpp extends the terms of a sum in place of the
// sum, before any pass asks. Behind it arithmetic on addresses is modulo 2^64, as the processor's
// is, and an extension of something that varies is opaque to all.
#pragma once

#include "base/abi/kernel_abi.h"
#include "simt/analysis/shape.h"
#include "simt/analysis/thread_tables.h"

#include "llvm/IR/InstrTypes.h"

namespace heddle::simt {

/// The operation (of add, sub, mul, shl and or disjoint), its operands and its result all read in
/// this way, is that of whole numbers, where its result is not poison. True only of what its flags
/// or ranges of values say; `tables`, if given, also knows what is in each thread.
bool isExact(const llvm::BinaryOperator &, Sign, ThreadTables *tables = nullptr);

/// The operation as a sum or product of whole numbers: `or disjoint` is an addition. 0: it is none
/// of add, sub, mul, shl.
unsigned sumOpcode(const llvm::BinaryOperator &);

/// Elements of one byte and more of an object of ShortObject bytes, counted from anywhere in it,
/// have indices so far from where 32 bits end, read as signed.
inline constexpr int64_t IndexMargin = int64_t(1) << 24;
static_assert(ShortObject + IndexMargin < uint64_t(1) << 31);

} // namespace heddle::simt
