/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   The system's <omp.h>. Host code calls libgomp (src/plugin/openmp), whose nested locks have two words, where those of
   clang's header have one. */
#ifndef HEDDLE_OMP_H
#define HEDDLE_OMP_H
#define _lk _lk[2]
#include_next <omp.h>
#undef _lk
#endif
