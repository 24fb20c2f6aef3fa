// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fft/problem.h"

namespace heddle::fft {

namespace {

size_t numberBytes(Number number) {
  switch (number) {
  case Number::Float:
    return 4;
  case Number::Double:
    return 8;
  case Number::Half:
  case Number::BFloat16:
    return 2;
  }
  return 0;
}

Layout basicLayout(const Problem &problem, bool input, bool inPlace) {
  Layout layout{problem.n, 1, 1};
  int64_t &row = layout.embed[problem.rank - 1];
  row = rowElements(problem, input);
  if (inPlace && !isComplexSide(problem, input))
    row = 2 * (row / 2 + 1);
  for (int i = 0; i < problem.rank; ++i)
    layout.dist *= layout.embed[i];
  return layout;
}

} // namespace

bool isComplexSide(const Problem &problem, bool input) {
  return problem.kind == Kind::Complex || (problem.kind == Kind::RealToComplex) != input;
}

int64_t rowElements(const Problem &problem, bool input) {
  int64_t row = problem.n[problem.rank - 1];
  return problem.kind == Kind::Complex || !isComplexSide(problem, input) ? row : row / 2 + 1;
}

Layout layoutOf(const Problem &problem, bool input, bool inPlace) {
  if (problem.advanced)
    return input ? problem.in : problem.out;
  return basicLayout(problem, input, inPlace);
}

size_t elementBytes(const Problem &problem, bool input) {
  return numberBytes(problem.number) * (isComplexSide(problem, input) ? 2 : 1);
}

int64_t extent(const Problem &problem, bool input, bool inPlace) {
  Layout layout = layoutOf(problem, input, inPlace);
  int64_t last = (problem.batch - 1) * layout.dist, stride = layout.stride;
  for (int i = problem.rank - 1; i >= 0; --i) {
    int64_t n = i == problem.rank - 1 ? rowElements(problem, input) : problem.n[i];
    last += (n - 1) * stride;
    stride *= layout.embed[i];
  }
  return last + 1;
}

int64_t pointCount(const Problem &problem) {
  int64_t count = problem.batch;
  for (int i = 0; i < problem.rank; ++i)
    count *= problem.n[i];
  return count;
}

size_t workBytes(const Problem &problem) {
  if (problem.kind != Kind::ComplexToReal || problem.rank == 1)
    return 0;
  return size_t(extent(problem, true, false)) * elementBytes(problem, true);
}

} // namespace heddle::fft
