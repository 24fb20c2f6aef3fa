// REQUIRES: opencl
// RUN: %opencl %s -o %t && %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of mathematics at infinity, at zeros with a sign, and of subnormal numbers: scalars and vectors agree.
#include "opencl_test.h"

#include <cmath>
#include <cstring>

/// Both are NaN or have the same bits.
template <typename T> static bool same(T a, T b) {
  return (a != a && b != b) || std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// T is both of `scalar`, of x and y, and of `vector`, the second element of V, of vectors X and Y that end with them.
template <typename T>
static void check(Machine &m, const char *type, const char *scalar, const char *vector,
                  std::vector<T> x, std::vector<T> y, std::vector<double> wanted) {
  const std::string t = type, source = "kernel void k(global " + t + " *a, global " + t +
                                       " *b) {\n  typedef " + t + " T; typedef " + t +
                                       "2 T2; int i = get_global_id(0), n; int2 n2;\n  T x = a[i], "
                                       "y = b[i], w; T2 X = (T2)(1, x), "
                                       "Y = (T2)(1, y), W;\n  a[i] = " +
                                       scalar + ";\n  b[i] = (" + vector + ").y;\n}\n";
  cl_mem a = m.buffer(x), b = m.buffer(y);
  cl_kernel kernel = m.kernel(m.build(source.c_str()), "k");
  setArguments(kernel, a, b);
  m.run(kernel, {x.size()});
  const std::vector<T> one = m.read<T>(a), two = m.read<T>(b);
  for (size_t i = 0; i < x.size(); ++i) {
    const T right = static_cast<T>(wanted[i]);
    if (!same(one[i], right) || !same(two[i], right))
      std::printf("%s: %s of %a, %a = %a, %a instead of %a\n", type, scalar, double(x[i]),
                  double(y[i]), double(one[i]), double(two[i]), double(right));
    CHECK(same(one[i], right) && same(two[i], right));
  }
}

template <typename T> static void checkBoth(Machine &m, const char *type) {
  const T inf = HUGE_VAL, nan = NAN;
  auto of = [&](const char *scalar, const char *vector, std::vector<T> x,
                std::vector<double> wanted) { check<T>(m, type, scalar, vector, x, x, wanted); };
  // A truth is 1 of a scalar, and -1 of a vector.
  of("-isinf(x)", sizeof(T) == 4 ? "convert_float2(isinf(X))" : "convert_double2(isinf(X))",
     {inf, -inf, nan, 0, 1}, {-1, -1, 0, 0, 0});
  of("tanpi(x)", "tanpi(X)", {0, -T(0), 1, -1, 2, -2, 3, -3, 0.5, 1.5, -0.5, inf},
     {0, -0.0, -0.0, 0.0, 0, -0.0, -0.0, 0.0, HUGE_VAL, -HUGE_VAL, -HUGE_VAL, NAN});
  of("asinpi(x)", "asinpi(X)", {-T(0), 0, 1, -1, 2}, {-0.0, 0, 0.5, -0.5, NAN});
  of("atanpi(x)", "atanpi(X)", {-T(0), 0, inf, -inf, 1, nan}, {-0.0, 0, 0.5, -0.5, 0.25, NAN});
  check<T>(m, type, "atan2pi(x, y)", "atan2pi(X, Y)", {-inf, inf, inf, 0, -T(0), 0, 1, 1, nan},
           {-inf, -inf, inf, -T(0), -T(0), 1, inf, 0, 1},
           {-0.75, 0.75, 0.25, 1, -1, 0, 0, 0.5, NAN});
  of("modf(x, &w)", "modf(X, &W)", {inf, -inf, nan, -T(0), -3, 2.5},
     {0, -0.0, NAN, -0.0, -0.0, 0.5});
  of("fract(x, &w)", "fract(X, &W)", {inf, -inf, nan, -T(0), 2.5, T(-1e-30)},
     {0, -0.0, NAN, -0.0, 0.5, std::nextafter(T(1), T(0))});
  // Beside infinite elements others are zero; squares may overflow and vanish.
  const T most = sizeof(T) == 4 ? T(0x1p127) : T(0x1p1023), least = std::nextafter(T(0), T(1));
  check<T>(m, type, "normalize((T2)(x, y)).x", "normalize((T2)(y, x))",
           {inf, -inf, 1, -1, most, least, 0, nan}, {1, 0, inf, -inf, 0, 0, 0, 1},
           {1, -1, 0, -0.0, 1, 1, 0, NAN});
}

int main() {
  Machine m;
  checkBoth<float>(m, "float");
  checkBoth<double>(m, "double");

  const float x[] = {
      0x1.0e0da2p+126f, -0x1.af2204p-4f, -0x1.5b2dd8p-127f, 5, -5, 0x1p-149f, HUGE_VALF, 3, 3, -7,
      127.75f,          0x1.fp-130f};
  const float y[] = {0x1.3dcf04p-127f,
                     -0x1.e6d698p-127f,
                     -0x1.0068eap-110f,
                     2,
                     2,
                     HUGE_VALF,
                     1,
                     0,
                     NAN,
                     0x1p-149f,
                     1,
                     0x1.8p-130f};
  std::vector<double> rest, quotient;
  for (int i = 0; i < 12; ++i) {
    int q = 0;
    rest.push_back(std::remquo(double(x[i]), double(y[i]), &q));
    const double exact =
        std::rint(std::fmod(std::fabs(double(x[i])), 128 * std::fabs(double(y[i]))) /
                  std::fabs(double(y[i])));
    const int last = std::isfinite(exact) ? int(exact) % 128 : 0;
    quotient.push_back(std::signbit(x[i]) != std::signbit(y[i]) ? -last : last);
  }
  const std::vector<float> xs(x, x + 12), ys(y, y + 12);
  check<float>(m, "float", "remainder(x, y)", "remainder(X, Y)", xs, ys, rest);
  check<float>(m, "float", "remquo(x, y, &n)", "remquo(X, Y, &n2)", xs, ys, rest);
  check<float>(m, "float", "(remquo(x, y, &n), n)", "(remquo(X, Y, &n2), convert_float2(n2))", xs,
               ys, quotient);

  check<float>(m, "float", "rootn(x, (int)y)", "rootn(X, convert_int2(Y))",
               {-0x1.000002p-126f, 0x1p-149f, 0x1p-147f, -0x1p-147f, 0x1p127f, -8, -8, 0, -0.0f,
                -0.0f, 0, 5, HUGE_VALF, -HUGE_VALF, NAN, 2},
               {1, 1, 3, -3, -1, 3, 2, -2, -3, 3, 3, 0, -2, 3, 3, -1},
               {-0x1.000002p-126, 0x1p-149, 0x1p-49, -0x1p49, 0x1p-127, -2, NAN, HUGE_VAL,
                -HUGE_VAL, -0.0, 0, NAN, 0, -HUGE_VAL, NAN, 0.5});
}
