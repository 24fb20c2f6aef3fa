// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The single precision mathematical functions: see math_functions.h.
typedef float Real;
#define FUNCTION(name) name##f
#define BOUND(single, twice) single
#include "math_functions.h"
