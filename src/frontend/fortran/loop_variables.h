// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the host's scalars are in a CUF loop. CUDA Fortran says it in no directive but reduce: the
// loop's text does.
#pragma once

#include "flang/Optimizer/Dialect/CUF/CUFOps.h"
#include "flang/Optimizer/Dialect/FIROps.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace heddle::fortran {

enum class ScalarUse {
  Private,   ///< each thread has a copy that begins with the host's value; what it becomes is lost
  Reduction, ///< each thread has a part, and the host's variable gets all of them
  Carried,   ///< the one thread begins with the host's value, and the host gets what it becomes
  Unknown,   ///< read after another iteration may have written it
};

struct Scalar {
  mlir::Value variable; ///< a reference
  mlir::Type type;      ///< of its value
  ScalarUse use = ScalarUse::Private;
  fir::ReduceOperationEnum reduction = fir::ReduceOperationEnum::Add;

  /// Whether the kernel gets the host's value.
  bool hasFirstValue() const { return use != ScalarUse::Reduction; }
  /// Whether threads leave something for the host's variable.
  bool hasParts() const { return use == ScalarUse::Reduction || use == ScalarUse::Carried; }
};

/// How the body of the loops uses a scalar of the host: by a reduce clause, by whether it is
/// written first, and by the form of the stores (s = s + x, m = max(m, x), if (x > m) m = x, and
/// their like).
Scalar classifyScalar(cuf::KernelOp loops, mlir::Value variable);

/// The same of loops that run in one thread.
Scalar classifyInOneThread(cuf::KernelOp loops, mlir::Value variable);

} // namespace heddle::fortran
