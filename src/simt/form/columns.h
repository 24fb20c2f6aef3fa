// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/shapes.h"
#include "simt/lower/lower_device.h"
#include "simt/simt.h"

namespace heddle::simt {

/// Lanes that access neighbouring elements of memory though neighbouring lanes do not: those whose
/// numbers are the same modulo `count`. A block of 32x8 threads as 256 lanes that stores to
/// `out[x * n + y]` has 32 columns of 8 elements.
struct Columns {
  unsigned count = 0; ///< 0: there are none
  explicit operator bool() const { return count != 0; }
};

/// The columns of an address whose elements have `size` bytes. What differs between the lanes of a
/// column is followed through sums and constant factors:
///
///     %i = add (sext (mul %x, %n)), %y    ; %x repeats after 32 lanes, %y counts in steps of 32 lanes
///     %p = gep float, %out, %i
Columns columnsOf(const llvm::Value *address, int64_t size, const Shapes &, const Options &);

/// The same for a load or store of plain values; none where the shapes know a better form.
Columns columnsOf(const llvm::Instruction &access, const Shapes &, const Options &);

/// What the addresses of a thread program's columns follow from, and differs between lanes: that of
/// a column's first lane is used whether or not the lane is active, so it promises nothing.
llvm::SmallPtrSet<const llvm::Instruction *, 16>
addressesOfColumns(llvm::Function &thread, const Shapes &, const Options &);

/// Whether blocks had better run down the grid's columns (y fastest): a straight kernel, each of
/// whose threads accesses one place, with columns that are shorter than a cache line. The next
/// block in y then completes the lines while they are near. In rows of the grid, each line would be
/// fetched twice and more, and with power-of-two rows the lines between share a few sets of each
/// cache.
bool goesByColumns(const ThreadProgram &, const Options &);

/// How many blocks above each other had better be one program, of a kernel that goes by columns: so
/// many that their columns are whole lines, which then need not pass through the caches; 1 if that
/// is not possible. Of their rows the kernel must know nothing but their number in the grid:
///
///     %row = add (shl %blockIdx.y, 3), %threadIdx.y    ; of a block of 8 rows
///
/// The same thread program, widened for a block of 32 rows in place of 8, then runs four blocks.
unsigned blocksTogether(const ThreadProgram &, const Options &);

/// The thread program for that, a copy: rows of several blocks share bits with the first block's
/// row, so what adds them as `or disjoint` adds them by `add`.
ThreadProgram copyForBlocksTogether(const ThreadProgram &);

/// The thread program of a block with rows of so many threads becomes that of a block with the rows
/// of several, whose first one is `blockIdx.x`. The caller folds it, before (columns in the grid are
/// sums of two) and after.
void joinBeside(llvm::Function &thread, unsigned row);

} // namespace heddle::simt
