// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reference results in MPFR for the accuracy test, and errors in units of the last place.
#pragma once

#include <cmath>
#include <limits>
#include <mpfr.h>

namespace heddle::devlib {

inline constexpr int Precision = 200;

struct Number {
  mpfr_t v;
  Number() { mpfr_init2(v, Precision); }
  explicit Number(double x) {
    mpfr_init2(v, Precision);
    mpfr_set_d(v, x, MPFR_RNDN);
  }
  ~Number() { mpfr_clear(v); }
  Number(const Number &) = delete;
  Number &operator=(const Number &) = delete;
};

/// The unit in the last place of a T next to `exact`, as 2^result.
template <class T> int ulpExponent(const Number &exact) {
  int least = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
  if (mpfr_zero_p(exact.v))
    return least;
  int e = (int)mpfr_get_exp(exact.v) - std::numeric_limits<T>::digits;
  return e < least ? least : e;
}

/// |got - exact| in ulps; 0 where both are the same special value, infinity where only one is
/// special. A result past the largest number counts as infinity, with half an ulp to spare.
template <class T> double ulps(T got, const Number &exact) {
  bool nan = mpfr_nan_p(exact.v);
  if (std::isnan(got) || nan)
    return std::isnan(got) && nan ? 0 : std::numeric_limits<double>::infinity();
  if (std::isinf(got)) {
    double rounded = mpfr_get_d(exact.v, MPFR_RNDN);
    double limit = (double)std::numeric_limits<T>::max();
    bool near = std::fabs(rounded) >= limit * (1 - 4 * (double)std::numeric_limits<T>::epsilon());
    return near && (rounded > 0) == (got > 0) ? 0 : std::numeric_limits<double>::infinity();
  }
  if (mpfr_inf_p(exact.v))
    return std::numeric_limits<double>::infinity();
  Number error((double)got);
  mpfr_sub(error.v, error.v, exact.v, MPFR_RNDN);
  mpfr_mul_2si(error.v, error.v, -ulpExponent<T>(exact), MPFR_RNDN);
  return std::fabs(mpfr_get_d(error.v, MPFR_RNDN));
}

} // namespace heddle::devlib
