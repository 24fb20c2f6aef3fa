// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "solver/refinement.h"

#include <new>

namespace heddle::solver {

bool lowestOf(int mainPrecision, int lowestPrecision, Lowest &lowest) {
  bool isComplex = mainPrecision == CUSOLVER_C_64F || mainPrecision == CUSOLVER_C_32F;
  bool isWide = mainPrecision == CUSOLVER_R_64F || mainPrecision == CUSOLVER_C_64F;
  if (!isComplex && !isWide && mainPrecision != CUSOLVER_R_32F)
    return false;
  lowest = {false, Rounding::None};
  switch (isComplex ? lowestPrecision - CUSOLVER_C_8I + CUSOLVER_R_8I : lowestPrecision) {
  case CUSOLVER_R_64F:
    lowest.isDouble = true;
    return isWide;
  case CUSOLVER_R_32F:
    return true;
  case CUSOLVER_R_16F:
    lowest.rounding = Rounding::Half;
    return true;
  case CUSOLVER_R_16BF:
    lowest.rounding = Rounding::Bfloat16;
    return true;
  case CUSOLVER_R_TF32:
    lowest.rounding = Rounding::Tf32;
    return true;
  default:
    return false;
  }
}

namespace {

/// Changes settings by set(params).
template <typename F> cusolverStatus_t change(cusolverDnIRSParams_t params, F set) {
  HEDDLE_REQUIRE(params, IRS_PARAMS_NOT_INITIALIZED);
  set(*params);
  return CUSOLVER_STATUS_SUCCESS;
}

/// Answers by ask(infos).
template <typename T, typename F>
cusolverStatus_t tell(cusolverDnIRSInfos_t infos, T *answer, F ask) {
  HEDDLE_REQUIRE(infos, IRS_INFOS_NOT_INITIALIZED);
  HEDDLE_REQUIRE(answer, INVALID_VALUE);
  *answer = ask(*infos);
  return CUSOLVER_STATUS_SUCCESS;
}

} // namespace
} // namespace heddle::solver

using namespace heddle::solver;

HEDDLE_EXPORT cusolverStatus_t cusolverDnIRSParamsCreate(cusolverDnIRSParams_t *params) {
  HEDDLE_REQUIRE(params, INVALID_VALUE);
  *params = new (std::nothrow) cusolverDnIRSParams;
  return *params ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnIRSParamsDestroy(cusolverDnIRSParams_t params) {
  HEDDLE_REQUIRE(params, IRS_PARAMS_NOT_INITIALIZED);
  HEDDLE_REQUIRE(params->infos == 0, IRS_INFOS_NOT_DESTROYED);
  delete params;
  return CUSOLVER_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnIRSParamsSetRefinementSolver(
    cusolverDnIRSParams_t params, cusolverIRSRefinement_t solver) {
  return change(params, [=](auto &p) { p.refinement = solver; });
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnIRSParamsSetSolverMainPrecision(
    cusolverDnIRSParams_t params, cusolverPrecType_t precision) {
  return change(params, [=](auto &p) { p.mainPrecision = precision; });
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnIRSParamsSetSolverLowestPrecision(
    cusolverDnIRSParams_t params, cusolverPrecType_t precision) {
  return change(params, [=](auto &p) { p.lowestPrecision = precision; });
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnIRSParamsSetSolverPrecisions(
    cusolverDnIRSParams_t params, cusolverPrecType_t mainPrecision,
    cusolverPrecType_t lowestPrecision) {
  return change(params, [=](auto &p) {
    p.mainPrecision = mainPrecision;
    p.lowestPrecision = lowestPrecision;
  });
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnIRSParamsSetTol(cusolverDnIRSParams_t params,
                                                         double tolerance) {
  return change(params, [=](auto &p) { p.tolerance = tolerance; });
}

/// There is one level of refinement here, so nothing follows from it.
HEDDLE_EXPORT cusolverStatus_t cusolverDnIRSParamsSetTolInner(cusolverDnIRSParams_t params,
                                                              double) {
  return change(params, [](auto &) {});
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnIRSParamsSetMaxIters(cusolverDnIRSParams_t params,
                                                              cusolver_int_t iterations) {
  return change(params, [=](auto &p) { p.maxIterations = iterations; });
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnIRSParamsSetMaxItersInner(cusolverDnIRSParams_t params,
                                                                   cusolver_int_t iterations) {
  return change(params, [=](auto &p) { p.maxInnerIterations = iterations; });
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnIRSParamsGetMaxIters(cusolverDnIRSParams_t params,
                                                              cusolver_int_t *iterations) {
  HEDDLE_REQUIRE(!params || iterations, INVALID_VALUE);
  return change(params, [=](auto &p) { *iterations = p.maxIterations; });
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnIRSParamsEnableFallback(cusolverDnIRSParams_t params) {
  return change(params, [](auto &p) { p.fallsBack = true; });
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnIRSParamsDisableFallback(cusolverDnIRSParams_t params) {
  return change(params, [](auto &p) { p.fallsBack = false; });
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnIRSInfosCreate(cusolverDnIRSInfos_t *infos) {
  HEDDLE_REQUIRE(infos, INVALID_VALUE);
  *infos = new (std::nothrow) cusolverDnIRSInfos;
  return *infos ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnIRSInfosDestroy(cusolverDnIRSInfos_t infos) {
  HEDDLE_REQUIRE(infos, IRS_INFOS_NOT_INITIALIZED);
  if (infos->params)
    --infos->params->infos;
  delete infos;
  return CUSOLVER_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnIRSInfosGetNiters(cusolverDnIRSInfos_t infos,
                                                           cusolver_int_t *iterations) {
  return tell(infos, iterations, [](auto &i) { return i.iterations; });
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnIRSInfosGetOuterNiters(cusolverDnIRSInfos_t infos,
                                                                cusolver_int_t *iterations) {
  return tell(infos, iterations, [](auto &i) { return i.iterations; });
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnIRSInfosGetMaxIters(cusolverDnIRSInfos_t infos,
                                                             cusolver_int_t *iterations) {
  return tell(infos, iterations, [](auto &i) { return i.maxIterations; });
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnIRSInfosRequestResidual(cusolverDnIRSInfos_t infos) {
  HEDDLE_REQUIRE(infos, IRS_INFOS_NOT_INITIALIZED);
  infos->wantsHistory = true;
  return CUSOLVER_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusolverStatus_t cusolverDnIRSInfosGetResidualHistory(cusolverDnIRSInfos_t infos,
                                                                    void **history) {
  HEDDLE_REQUIRE(!infos || infos->wantsHistory, INVALID_VALUE);
  return tell(infos, history, [](auto &i) -> void * {
    return i.doubleHistory.empty() ? static_cast<void *>(i.floatHistory.data())
                                   : static_cast<void *>(i.doubleHistory.data());
  });
}
