// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grid and the blocks of a CUF loop's kernel.
#pragma once

#include "frontend/fortran/index_values.h"

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"

#include <array>
#include <optional>

namespace heddle::fortran {

struct LaunchShape {
  /// Blocks along x, y, z, then threads of a block along x, y, z, all of the type index.
  std::array<mlir::Value, 2 * Dimensions> sizes;
  /// No thread has more than one iteration of the loop along x, whatever its bounds are.
  bool oneAlongX = false;
};

/// The dimension of the threads that share the iterations of a loop; the innermost of the
/// `parallel` loops goes along x, and the outermost of more than three have none.
std::optional<unsigned> dimensionOf(unsigned loop, unsigned parallel);

/// Whether a bound is a number of 32 bits at most.
bool isShort(mlir::Value bound);

/// A loop's number of iterations: (upper - lower + step) / step, and 0 if that is negative.
mlir::Value iterationsOf(cuf::KernelOp loops, unsigned loop, mlir::OpBuilder &host);

/// Computes the shape in front of the loops, of which threads share the `parallel` outermost. A
/// grid of * has a thread for each iteration, but no more than MostThreads where each thread has a
/// part of a reduction.
LaunchShape launchShapeOf(cuf::KernelOp loops, unsigned parallel, bool hasReductions);

} // namespace heddle::fortran
