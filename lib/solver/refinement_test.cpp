// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Solvers with iterative refinement: solutions as good as the main precision's, whatever the lowest
// one is.
#include "solver/test_support.h"

using namespace heddle::solver;
using namespace heddle::solver::test;

namespace {

/// The four functions of a pair of precisions.
template <typename T, typename S, typename G, typename P, typename Q> struct Functions {
  using Type = T;
  S systemBytes;
  G system;
  P leastBytes;
  Q least;
};
template <typename T, typename S, typename G, typename P, typename Q>
Functions<T, S, G, P, Q> functionsOf(S systemBytes, G system, P leastBytes, Q least) {
  return {systemBytes, system, leastBytes, least};
}

/// Calls test(functions) for all pairs.
template <typename F> void forPairs(F test) {
  test(functionsOf<ComplexDouble>(cusolverDnZZgesv_bufferSize, cusolverDnZZgesv,
                                  cusolverDnZZgels_bufferSize, cusolverDnZZgels));
  test(functionsOf<ComplexDouble>(cusolverDnZCgesv_bufferSize, cusolverDnZCgesv,
                                  cusolverDnZCgels_bufferSize, cusolverDnZCgels));
  test(functionsOf<ComplexDouble>(cusolverDnZKgesv_bufferSize, cusolverDnZKgesv,
                                  cusolverDnZKgels_bufferSize, cusolverDnZKgels));
  test(functionsOf<ComplexDouble>(cusolverDnZEgesv_bufferSize, cusolverDnZEgesv,
                                  cusolverDnZEgels_bufferSize, cusolverDnZEgels));
  test(functionsOf<ComplexDouble>(cusolverDnZYgesv_bufferSize, cusolverDnZYgesv,
                                  cusolverDnZYgels_bufferSize, cusolverDnZYgels));
  test(functionsOf<ComplexFloat>(cusolverDnCCgesv_bufferSize, cusolverDnCCgesv,
                                 cusolverDnCCgels_bufferSize, cusolverDnCCgels));
  test(functionsOf<ComplexFloat>(cusolverDnCKgesv_bufferSize, cusolverDnCKgesv,
                                 cusolverDnCKgels_bufferSize, cusolverDnCKgels));
  test(functionsOf<ComplexFloat>(cusolverDnCEgesv_bufferSize, cusolverDnCEgesv,
                                 cusolverDnCEgels_bufferSize, cusolverDnCEgels));
  test(functionsOf<ComplexFloat>(cusolverDnCYgesv_bufferSize, cusolverDnCYgesv,
                                 cusolverDnCYgels_bufferSize, cusolverDnCYgels));
  test(functionsOf<double>(cusolverDnDDgesv_bufferSize, cusolverDnDDgesv,
                           cusolverDnDDgels_bufferSize, cusolverDnDDgels));
  test(functionsOf<double>(cusolverDnDSgesv_bufferSize, cusolverDnDSgesv,
                           cusolverDnDSgels_bufferSize, cusolverDnDSgels));
  test(functionsOf<double>(cusolverDnDHgesv_bufferSize, cusolverDnDHgesv,
                           cusolverDnDHgels_bufferSize, cusolverDnDHgels));
  test(functionsOf<double>(cusolverDnDBgesv_bufferSize, cusolverDnDBgesv,
                           cusolverDnDBgels_bufferSize, cusolverDnDBgels));
  test(functionsOf<double>(cusolverDnDXgesv_bufferSize, cusolverDnDXgesv,
                           cusolverDnDXgels_bufferSize, cusolverDnDXgels));
  test(functionsOf<float>(cusolverDnSSgesv_bufferSize, cusolverDnSSgesv,
                          cusolverDnSSgels_bufferSize, cusolverDnSSgels));
  test(functionsOf<float>(cusolverDnSHgesv_bufferSize, cusolverDnSHgesv,
                          cusolverDnSHgels_bufferSize, cusolverDnSHgels));
  test(functionsOf<float>(cusolverDnSBgesv_bufferSize, cusolverDnSBgesv,
                          cusolverDnSBgels_bufferSize, cusolverDnSBgels));
  test(functionsOf<float>(cusolverDnSXgesv_bufferSize, cusolverDnSXgesv,
                          cusolverDnSXgels_bufferSize, cusolverDnSXgels));
}

/// A problem on the device: n unknowns, m equations, the diagonal large enough for few iterations.
template <typename T> struct Case {
  Case(Random &random, int m, int n, int nrhs, double diagonal)
      : a(random.matrix<T>(m, n, 2)), b(random.matrix<T>(m, nrhs, 1)), x(n, nrhs, 3),
        deviceA((strengthen(diagonal), a.values)), deviceB(b.values), deviceX(x.values), info(1),
        pivots(n + 1) {}

  void strengthen(double diagonal) {
    for (int i = 0; i < a.cols; ++i)
      a(i, i) = T(Real<T>(diagonal));
  }
  Matrix<T> solution() const { return x.with(deviceX.read()); }

  Matrix<T> a, b, x;
  DeviceArray<T> deviceA, deviceB, deviceX;
  DeviceArray<int> info, pivots;
};

class Refinement : public testing::Test {
protected:
  Refinement() { EXPECT_EQ(cusolverDnCreate(&handle), CUSOLVER_STATUS_SUCCESS); }
  ~Refinement() override { EXPECT_EQ(cusolverDnDestroy(handle), CUSOLVER_STATUS_SUCCESS); }

  template <typename F, typename T>
  cusolverStatus_t solve(const F &f, Case<T> &c, int *iterations) {
    size_t bytes = 0;
    int n = c.a.cols, nrhs = c.b.cols;
    EXPECT_EQ(f.systemBytes(handle, n, nrhs, api(c.deviceA.get()), c.a.ld, c.pivots.get(),
                            api(c.deviceB.get()), c.b.ld, api(c.deviceX.get()), c.x.ld, nullptr,
                            &bytes),
              CUSOLVER_STATUS_SUCCESS);
    return f.system(handle, n, nrhs, api(c.deviceA.get()), c.a.ld, c.pivots.get(),
                    api(c.deviceB.get()), c.b.ld, api(c.deviceX.get()), c.x.ld, nullptr, bytes,
                    iterations, c.info.get());
  }

  template <typename F, typename T>
  cusolverStatus_t least(const F &f, Case<T> &c, int *iterations) {
    size_t bytes = 0;
    int m = c.a.rows, n = c.a.cols, nrhs = c.b.cols;
    EXPECT_EQ(f.leastBytes(handle, m, n, nrhs, api(c.deviceA.get()), c.a.ld, api(c.deviceB.get()),
                           c.b.ld, api(c.deviceX.get()), c.x.ld, nullptr, &bytes),
              CUSOLVER_STATUS_SUCCESS);
    return f.least(handle, m, n, nrhs, api(c.deviceA.get()), c.a.ld, api(c.deviceB.get()), c.b.ld,
                   api(c.deviceX.get()), c.x.ld, nullptr, bytes, iterations, c.info.get());
  }

  cusolverDnHandle_t handle = nullptr;
};

TEST_F(Refinement, Systems) {
  Random random(1);
  forPairs([&](auto functions) {
    using T = typename decltype(functions)::Type;
    for (int n : {0, 1, 7, 40}) {
      Case<T> c(random, n, n, random.between(0, 3), 2 * n + 2);
      int iterations = -7;
      SOLVER_OK(solve(functions, c, &iterations));
      EXPECT_GE(iterations, 0);
      EXPECT_EQ(c.info.read()[0], 0);
      EXPECT_EQ(c.deviceA.read(), c.a.values); // as they were
      EXPECT_EQ(c.deviceB.read(), c.b.values);
      expectNear(c.a * c.solution(), c.b, 20.0 * (n + 1));
    }
  });
}

TEST_F(Refinement, LeastSquares) {
  Random random(2);
  forPairs([&](auto functions) {
    using T = typename decltype(functions)::Type;
    for (int n : {1, 6, 20}) {
      Case<T> c(random, n + random.between(0, 9), n, random.between(1, 3), 2 * n + 2);
      int iterations = -7;
      SOLVER_OK(least(functions, c, &iterations));
      EXPECT_GE(iterations, 0);
      EXPECT_EQ(c.info.read()[0], 0);
      Matrix<T> adjoint = c.a.adjoint();
      expectNear(adjoint * (c.a * c.solution()), adjoint * c.b, 100.0 * (n + 1));
    }
  });
}

TEST_F(Refinement, FallsBack) {
  Random random(3);
  auto halves = functionsOf<double>(cusolverDnDHgesv_bufferSize, cusolverDnDHgesv,
                                    cusolverDnDHgels_bufferSize, cusolverDnDHgels);
  auto shorts = functionsOf<float>(cusolverDnSBgesv_bufferSize, cusolverDnSBgesv,
                                   cusolverDnSBgels_bufferSize, cusolverDnSBgels);
  // Elements that are no halves: solved in double.
  Case<double> large(random, 12, 12, 2, 1e6);
  int iterations = 0;
  SOLVER_OK(solve(halves, large, &iterations));
  EXPECT_EQ(iterations, -2);
  EXPECT_EQ(large.info.read()[0], 0);
  EXPECT_NE(large.deviceA.read(), large.a.values); // the factors
  expectNear(large.a * large.solution(), large.b, 1e6);
  // A singular matrix has no factors in either precision.
  Case<float> zero(random, 3, 3, 1, 0);
  ASSERT_EQ(cudaMemset(zero.deviceA.get(), 0, zero.a.values.size() * sizeof(float)), cudaSuccess);
  SOLVER_OK(solve(shorts, zero, &iterations));
  EXPECT_EQ(iterations, -3);
  EXPECT_EQ(zero.info.read()[0], 1);
}

TEST_F(Refinement, Errors) {
  Random random(4);
  Case<double> c(random, 4, 4, 1, 9);
  int iterations = 0;
  double *a = c.deviceA.get(), *b = c.deviceB.get(), *x = c.deviceX.get();
  EXPECT_EQ(cusolverDnDSgesv(nullptr, 4, 1, a, c.a.ld, nullptr, b, c.b.ld, x, c.x.ld, nullptr, 1,
                             &iterations, c.info.get()),
            CUSOLVER_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(cusolverDnDSgesv(handle, 4, 1, a, 3, nullptr, b, c.b.ld, x, c.x.ld, nullptr, 1,
                             &iterations, c.info.get()),
            CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(cusolverDnDSgesv(handle, 4, 1, a, c.a.ld, nullptr, b, c.b.ld, x, c.x.ld, nullptr, 0,
                             &iterations, c.info.get()),
            CUSOLVER_STATUS_INVALID_WORKSPACE);
  EXPECT_EQ(cusolverDnDSgels(handle, 3, 4, 1, a, c.a.ld, b, c.b.ld, x, c.x.ld, nullptr, 1,
                             &iterations, c.info.get()),
            CUSOLVER_STATUS_INVALID_VALUE);
}

/// The functions whose precisions are settings.
class RefinementSettings : public Refinement {
protected:
  RefinementSettings() {
    EXPECT_EQ(cusolverDnIRSParamsCreate(&params), CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(cusolverDnIRSInfosCreate(&infos), CUSOLVER_STATUS_SUCCESS);
  }
  ~RefinementSettings() override {
    EXPECT_EQ(cusolverDnIRSInfosDestroy(infos), CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(cusolverDnIRSParamsDestroy(params), CUSOLVER_STATUS_SUCCESS);
  }
  template <typename T> cusolverStatus_t call(Case<T> &c, bool isSystem) {
    int m = c.a.rows, n = c.a.cols, nrhs = c.b.cols;
    if (isSystem)
      return cusolverDnIRSXgesv(handle, params, infos, n, nrhs, c.deviceA.get(), c.a.ld,
                                c.deviceB.get(), c.b.ld, c.deviceX.get(), c.x.ld, nullptr, 1,
                                &iterations, c.info.get());
    return cusolverDnIRSXgels(handle, params, infos, m, n, nrhs, c.deviceA.get(), c.a.ld,
                              c.deviceB.get(), c.b.ld, c.deviceX.get(), c.x.ld, nullptr, 1,
                              &iterations, c.info.get());
  }

  cusolverDnIRSParams_t params = nullptr;
  cusolverDnIRSInfos_t infos = nullptr;
  int iterations = 0;
};

TEST_F(RefinementSettings, Solve) {
  Random random(5);
  SOLVER_OK(cusolverDnIRSParamsSetSolverPrecisions(params, CUSOLVER_R_64F, CUSOLVER_R_16F));
  SOLVER_OK(cusolverDnIRSParamsSetRefinementSolver(params, CUSOLVER_IRS_REFINE_CLASSICAL));
  SOLVER_OK(cusolverDnIRSParamsSetMaxIters(params, 30));
  SOLVER_OK(cusolverDnIRSInfosRequestResidual(infos));
  size_t bytes = 0;
  SOLVER_OK(cusolverDnIRSXgesv_bufferSize(handle, params, 20, 2, &bytes));
  EXPECT_GE(bytes, 1u);
  Case<double> c(random, 20, 20, 2, 30);
  SOLVER_OK(call(c, true));
  EXPECT_GT(iterations, 0); // one solution in half precision is not good enough
  expectNear(c.a * c.solution(), c.b, 500);
  int answer = 0;
  SOLVER_OK(cusolverDnIRSInfosGetNiters(infos, &answer));
  EXPECT_EQ(answer, iterations);
  SOLVER_OK(cusolverDnIRSInfosGetOuterNiters(infos, &answer));
  EXPECT_EQ(answer, iterations);
  SOLVER_OK(cusolverDnIRSInfosGetMaxIters(infos, &answer));
  EXPECT_EQ(answer, 30);
  void *history = nullptr;
  SOLVER_OK(cusolverDnIRSInfosGetResidualHistory(infos, &history));
  auto *norms = static_cast<double *>(history);
  EXPECT_EQ(norms[iterations], iterations);
  EXPECT_LT(norms[31 + iterations], norms[31] / 100); // of the first right side

  SOLVER_OK(cusolverDnIRSXgels_bufferSize(handle, params, 25, 20, 2, &bytes));
  Case<double> least(random, 25, 20, 2, 30);
  SOLVER_OK(call(least, false));
  Matrix<double> adjoint = least.a.adjoint();
  expectNear(adjoint * (least.a * least.solution()), adjoint * least.b, 5000);
}

TEST_F(RefinementSettings, OtherPrecisions) {
  Random random(6);
  SOLVER_OK(cusolverDnIRSParamsSetRefinementSolver(params, CUSOLVER_IRS_REFINE_GMRES));
  SOLVER_OK(cusolverDnIRSParamsSetSolverMainPrecision(params, CUSOLVER_C_32F));
  SOLVER_OK(cusolverDnIRSParamsSetSolverLowestPrecision(params, CUSOLVER_C_TF32));
  Case<ComplexFloat> c(random, 9, 9, 1, 20);
  SOLVER_OK(call(c, true));
  expectNear(c.a * c.solution(), c.b, 200);
  Case<ComplexFloat> two(random, 9, 9, 2, 20);
  EXPECT_EQ(call(two, true), CUSOLVER_STATUS_IRS_NRHS_NOT_SUPPORTED_FOR_REFINE_GMRES);
  SOLVER_OK(cusolverDnIRSParamsSetRefinementSolver(params, CUSOLVER_IRS_REFINE_NONE));
  SOLVER_OK(cusolverDnIRSParamsSetSolverPrecisions(params, CUSOLVER_R_32F, CUSOLVER_R_32F));
  Case<float> plain(random, 9, 9, 2, 20);
  SOLVER_OK(call(plain, true));
  EXPECT_EQ(iterations, 0);
  SOLVER_OK(cusolverDnIRSParamsSetSolverPrecisions(params, CUSOLVER_C_64F, CUSOLVER_C_16BF));
  SOLVER_OK(cusolverDnIRSParamsSetRefinementSolver(params, CUSOLVER_IRS_REFINE_CLASSICAL_GMRES));
  Case<ComplexDouble> wide(random, 9, 9, 1, 20);
  SOLVER_OK(call(wide, true));
  expectNear(wide.a * wide.solution(), wide.b, 200);
}

TEST_F(RefinementSettings, Limits) {
  Random random(7);
  SOLVER_OK(cusolverDnIRSParamsSetSolverPrecisions(params, CUSOLVER_R_64F, CUSOLVER_R_16BF));
  SOLVER_OK(cusolverDnIRSParamsSetRefinementSolver(params, CUSOLVER_IRS_REFINE_CLASSICAL));
  SOLVER_OK(cusolverDnIRSParamsSetMaxIters(params, 1)); // too few
  int answer = 0;
  SOLVER_OK(cusolverDnIRSParamsGetMaxIters(params, &answer));
  EXPECT_EQ(answer, 1);
  SOLVER_OK(cusolverDnIRSParamsDisableFallback(params));
  Case<double> c(random, 30, 30, 1, 40);
  SOLVER_OK(call(c, true));
  EXPECT_EQ(iterations, -1);
  EXPECT_EQ(c.deviceA.read(), c.a.values);
  SOLVER_OK(cusolverDnIRSParamsEnableFallback(params));
  SOLVER_OK(call(c, true));
  EXPECT_EQ(iterations, -1);
  expectNear(c.a * c.solution(), c.b, 500);
  Case<double> loose(random, 30, 30, 1, 40);
  SOLVER_OK(cusolverDnIRSParamsSetTol(params, 0.5)); // met at once
  SOLVER_OK(call(loose, true));
  EXPECT_EQ(iterations, 0);
}

TEST_F(RefinementSettings, Errors) {
  Random random(8);
  Case<double> c(random, 4, 4, 1, 9);
  EXPECT_EQ(call(c, true), CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC);
  SOLVER_OK(cusolverDnIRSParamsSetSolverPrecisions(params, CUSOLVER_R_32F, CUSOLVER_R_64F));
  EXPECT_EQ(call(c, true), CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC);
  SOLVER_OK(cusolverDnIRSParamsSetSolverPrecisions(params, CUSOLVER_R_64F, CUSOLVER_R_32F));
  EXPECT_EQ(call(c, true), CUSOLVER_STATUS_IRS_PARAMS_INVALID_REFINE);
  SOLVER_OK(cusolverDnIRSParamsSetRefinementSolver(params, CUSOLVER_IRS_REFINE_CLASSICAL));
  SOLVER_OK(cusolverDnIRSParamsSetMaxItersInner(params, -1));
  EXPECT_EQ(call(c, true), CUSOLVER_STATUS_IRS_PARAMS_INVALID_MAXITER);
  SOLVER_OK(cusolverDnIRSParamsSetMaxItersInner(params, 20));
  SOLVER_OK(cusolverDnIRSParamsSetTolInner(params, 1e-3));
  void *history = nullptr;
  EXPECT_EQ(cusolverDnIRSInfosGetResidualHistory(infos, &history), CUSOLVER_STATUS_INVALID_VALUE);
  SOLVER_OK(call(c, true));
  EXPECT_EQ(cusolverDnIRSParamsDestroy(params), CUSOLVER_STATUS_IRS_INFOS_NOT_DESTROYED);
  EXPECT_EQ(cusolverDnIRSParamsSetTol(nullptr, 1), CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED);
  EXPECT_EQ(cusolverDnIRSInfosRequestResidual(nullptr), CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED);
  size_t bytes = 0;
  EXPECT_EQ(cusolverDnIRSXgesv_bufferSize(handle, nullptr, 4, 1, &bytes),
            CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED);
}

} // namespace
