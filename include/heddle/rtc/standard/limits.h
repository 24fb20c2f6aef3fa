// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define INT_MAX __INT_MAX__
#define INT_MIN (-__INT_MAX__ - 1)
