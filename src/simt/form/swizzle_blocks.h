// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"
#include "simt/pass.h"
#include "simt/simt.h"

namespace heddle::simt {

/// Finds the rows of blocks that had better be run together, column by column, of a kernel like a
/// product of matrices (ThreadProgram::band).
///
///     for each row of blocks:                for each band of rows:
///       for each block in the row:     ->      for each column:
///         run                                    for each block of the band in the column: run
///
/// Like a product of matrices: in loops it reads what depends on the block's column and not on its
/// row, and what depends on its row and not on its column. In rows of blocks each row reads the
/// second matrix from beginning to end; in bands a panel of it is read once for all rows of the
/// band, while their panels of the first matrix stay in the last cache.
struct SwizzleBlocks : llvm::PassInfoMixin<SwizzleBlocks> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
