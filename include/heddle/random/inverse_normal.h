// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inverse of the normal distribution's integral, for host and device.
#ifndef HEDDLE_RANDOM_INVERSE_NORMAL_H
#define HEDDLE_RANDOM_INVERSE_NORMAL_H

#include "../../host_defines.h"

#if !defined(__CUDACC_RTC__)
#include <math.h>
#endif

namespace heddle {
namespace random {

/// Evaluates a polynomial, highest coefficient first.
template <int N> __host__ __device__ inline double evaluate(const double (&c)[N], double x) {
  double r = c[0];
  for (int i = 1; i < N; ++i)
    r = r * x + c[i];
  return r;
}

/// How far from 1/2 the first of the three rational functions below reaches.
constexpr double NormalMiddle = 0.425;

/// The x below which a normal number is with probability 1/2 + q, for |q| up to NormalMiddle: the
/// first of Wichura's rational functions (algorithm AS 241, Applied Statistics 37, 1988), which are
/// right to about 16 digits.
__host__ __device__ inline double inverseNormalOfMiddle(double q) {
  const double a[] = {2.5090809287301226727e+3, 3.3430575583588128105e+4, 6.7265770927008700853e+4,
                      4.5921953931549871457e+4, 1.3731693765509461125e+4, 1.9715909503065514427e+3,
                      1.3314166789178437745e+2, 3.3871328727963666080e0};
  const double b[] = {5.2264952788528545610e+3, 2.8729085735721942674e+4,
                      3.9307895800092710610e+4, 2.1213794301586595867e+4,
                      5.3941960214247511077e+3, 6.8718700749205790830e+2,
                      4.2313330701600911252e+1, 1.0};
  double r = 0.180625 - q * q;
  return q * evaluate(a, r) / evaluate(b, r);
}

/// The distance from zero beyond which a normal number is on one side with probability `u`, for u
/// below 0.075.
__host__ __device__ inline double inverseNormalOfTail(double u) {
  const double c[] = {7.7454501427834140764e-4,  2.27238449892691845833e-2,
                      2.41780725177450611770e-1, 1.27045825245236838258e0,
                      3.64784832476320460504e0,  5.76949722146069140550e0,
                      4.63033784615654529590e0,  1.42343711074968357734e0};
  const double d[] = {1.05075007164441684324e-9, 5.475938084995344946e-4,
                      1.51986665636164571966e-2, 1.48103976427480074590e-1,
                      6.89767334985100004550e-1, 1.67638483018380384940e0,
                      2.05319162663775882187e0,  1.0};
  const double e[] = {2.01033439929228813265e-7, 2.71155556874348757815e-5,
                      1.24266094738807843860e-3, 2.65321895265761230930e-2,
                      2.96560571828504891230e-1, 1.78482653991729133580e0,
                      5.46378491116411436990e0,  6.65790464350110377720e0};
  const double f[] = {2.04426310338993978564e-15, 1.42151175831644588870e-7,
                      1.84631831751005468180e-5,  7.86869131145613259100e-4,
                      1.48753612908506148525e-2,  1.36929880922735805310e-1,
                      5.99832206555887937690e-1,  1.0};
  double r = sqrt(-log(u));
  return r <= 5 ? evaluate(c, r - 1.6) / evaluate(d, r - 1.6)
                : evaluate(e, r - 5) / evaluate(f, r - 5);
}

/// The x below which a normal number is with probability u, for u in (0, 1).
__host__ __device__ inline double inverseNormal(double u) {
  double q = u - 0.5;
  if (fabs(q) <= NormalMiddle)
    return inverseNormalOfMiddle(q);
  return q < 0 ? -inverseNormalOfTail(u) : inverseNormalOfTail(1 - u);
}

/// The normal number of a word, whose upper half mirrors the lower one, so that no word is
/// infinite.
__host__ __device__ inline float inverseNormalOf(unsigned word) {
  bool upper = word >> 31;
  float x = (float)inverseNormal((upper ? ~word : word) * 2.3283064365386963e-10 +
                                 1.1641532182693481e-10);
  return upper ? -x : x;
}

/// The same in double precision, of words of 32 and of 64 bits.
__host__ __device__ inline double inverseNormalDoubleOf(unsigned word) {
  bool upper = word >> 31;
  double x =
      inverseNormal((upper ? ~word : word) * 2.3283064365386963e-10 + 1.1641532182693481e-10);
  return upper ? -x : x;
}
__host__ __device__ inline double inverseNormalDoubleOf(unsigned long long word) {
  bool upper = word >> 63;
  double x = inverseNormal((double)((upper ? ~word : word) >> 11) * 1.1102230246251565e-16 +
                           5.551115123125783e-17);
  return upper ? -x : x;
}

} // namespace random
} // namespace heddle

#endif // HEDDLE_RANDOM_INVERSE_NORMAL_H
