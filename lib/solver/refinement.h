// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Settings and reports of the solvers with iterative refinement (cuSOLVER,
// "cusolverDnIRSParamsCreate" and what follows).
#pragma once

#include "solver/handle.h"

#include <vector>

struct cusolverDnIRSParams {
  cusolverIRSRefinement_t refinement = CUSOLVER_IRS_REFINE_NOT_SET;
  int mainPrecision = 0, lowestPrecision = 0; ///< of cusolverPrecType_t, or 0 before they are set
  double tolerance = 0;                       ///< 0: what the main precision and the matrix ask for
  int maxIterations = 50, maxInnerIterations = 50;
  bool fallsBack = true;
  int infos = 0; ///< reports of solvers with these settings that there are
};

struct cusolverDnIRSInfos {
  cusolverDnIRSParams *params = nullptr; ///< of the call that it is about
  int iterations = 0, maxIterations = 0;
  bool wantsHistory = false;
  /// By columns of maxIterations + 1: the number of iterations so far, then the residual's norm for
  /// each right side.
  std::vector<float> floatHistory;
  std::vector<double> doubleHistory;
};

namespace heddle::solver {

/// To what the elements of a matrix are rounded before it is factored in float.
enum class Rounding { None, Half, Bfloat16, Tf32 };

/// What a precision is in the factorisation.
struct Lowest {
  bool isDouble;
  Rounding rounding;
};

/// False for precisions that a matrix of the main one cannot be factored in.
bool lowestOf(int mainPrecision, int lowestPrecision, Lowest &lowest);

} // namespace heddle::solver
