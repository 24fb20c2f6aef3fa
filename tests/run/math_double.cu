// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The double precision mathematical functions: see math_functions.h.
typedef double Real;
#define FUNCTION(name) name
#define BOUND(single, twice) twice
#include "math_functions.h"
