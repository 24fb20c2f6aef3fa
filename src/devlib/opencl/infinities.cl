// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenCL C: isinf and the functions that ask it of vectors. A truth of a vector is -1, where libclc's isinf gives 1.
#include "builtins.h"

#define ALL(n, type, number) ((type##n)(number))

CONST_FUNCTION int isinf(float x) { return __builtin_isinf(x); }
CONST_FUNCTION int isinf(double x) { return __builtin_isinf(x); }
#define INFINITE(n, type, truth)                                                                   \
  CONST_FUNCTION truth##n isinf(type##n x) {                                                       \
    type##n most = ALL(n, type, __builtin_inff());                                                 \
    return x == most || x == -most;                                                                \
  }
EACH_VECTOR(INFINITE, float, int)
EACH_VECTOR(INFINITE, double, long)

// A whole number has no rest, infinite ones too. A fraction is less than 1, and has the sign of a zero or an infinite x.
#define PARTS(n, type, most, space)                                                                \
  OVERLOADABLE type##n modf(type##n x, space type##n *whole) {                                     \
    type##n down = trunc(x);                                                                       \
    *whole = down;                                                                                 \
    return copysign(x == down ? ALL(n, type, 0) : x - down, x);                                    \
  }                                                                                                \
  OVERLOADABLE type##n fract(type##n x, space type##n *whole) {                                    \
    type##n down = floor(x), rest = x - down;                                                      \
    *whole = down;                                                                                 \
    rest = rest > ALL(n, type, most) ? ALL(n, type, most) : rest;                                  \
    return x + x == x ? copysign(ALL(n, type, 0), x) : rest;                                       \
  }
#define PARTS_OF(n, space)                                                                         \
  CONST_FUNCTION float##n copysign(float##n, float##n);                                            \
  CONST_FUNCTION float##n floor(float##n);                                                         \
  CONST_FUNCTION float##n trunc(float##n);                                                         \
  CONST_FUNCTION double##n copysign(double##n, double##n);                                         \
  CONST_FUNCTION double##n floor(double##n);                                                       \
  CONST_FUNCTION double##n trunc(double##n);                                                       \
  PARTS(n, float, 0x1.fffffep-1f, space)                                                           \
  PARTS(n, double, 0x1.fffffffffffffp-1, space)
EACH_SIZE(PARTS_OF, __generic)
EACH_SIZE(PARTS_OF, __global)
EACH_SIZE(PARTS_OF, __local)

// Squares that overflow or are subnormal are scaled. Beside infinite elements others are zero.
#define NORMALIZE(n, type, least, up, down)                                                        \
  CONST_FUNCTION type dot(type##n, type##n);                                                       \
  CONST_FUNCTION type rsqrt(type);                                                                 \
  CONST_FUNCTION type##n normalize(type##n x) {                                                    \
    type squares = dot(x, x);                                                                      \
    if (squares < least) {                                                                         \
      x *= up;                                                                                     \
      squares = dot(x, x);                                                                         \
    } else if (squares == (type)__builtin_inff()) {                                                \
      x *= down;                                                                                   \
      squares = dot(x, x);                                                                         \
      if (squares == (type)__builtin_inff()) {                                                     \
        x = copysign(isinf(x) ? ALL(n, type, 1) : ALL(n, type, 0), x);                             \
        squares = dot(x, x);                                                                       \
      }                                                                                            \
    }                                                                                              \
    return squares == 0 ? x : x * rsqrt(squares);                                                  \
  }
#define NORMALIZE_BOTH(n)                                                                          \
  NORMALIZE(n, float, 0x1p-126f, 0x1p86f, 0x1p-65f)                                                \
  NORMALIZE(n, double, 0x1p-1022, 0x1p563, 0x1p-513)
NORMALIZE_BOTH(2)
NORMALIZE_BOTH(3)
NORMALIZE_BOTH(4)
