// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the opaque infos of sparse factors hold (low_level.cpp).
#pragma once

#include "solver/sparse/factors.h"
#include "solver/sparse/matrices.h"

#include <cusolverSp_LOWLEVEL_PREVIEW.h>

#include <memory>
#include <tuple>

namespace heddle::solver {

/// An analysed pattern, and the factors of both arithmetics: which one is made is seen by the
/// functions of one type.
template <template <typename> class F> struct Steps {
  int m = 0, n = 0, nnz = -1;        ///< -1: nothing was analysed
  std::vector<int> offsets, indices; ///< from 0 on
  std::tuple<F<double>, F<ComplexDouble>> factors;
  std::tuple<sparse::Rows<double>, sparse::Rows<ComplexDouble>> matrices; ///< to be factored (QR)
  bool complex = false; ///< which of the factors were made last

  template <typename W> F<W> &in() { return std::get<F<W>>(factors); }
};

/// Work in streams may outlive the info.
template <template <typename> class F> struct Info {
  using State = Steps<F>;
  std::shared_ptr<State> steps = std::make_shared<State>();
};

} // namespace heddle::solver

struct csrluInfoHost : heddle::solver::Info<heddle::solver::sparse::LuFactors> {};
struct csrqrInfoHost : heddle::solver::Info<heddle::solver::sparse::QrFactors> {};
struct csrcholInfoHost : heddle::solver::Info<heddle::solver::sparse::CholeskyFactors> {};
struct csrcholInfo : heddle::solver::Info<heddle::solver::sparse::CholeskyFactors> {};
/// Of single systems and of batches, which have the sizes only.
struct csrqrInfo : heddle::solver::Info<heddle::solver::sparse::QrFactors> {};
