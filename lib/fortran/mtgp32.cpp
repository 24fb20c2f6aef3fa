// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's part of MTGP32 for module curand_device (modules/mtgp32.inc).
#include "fortran/entry.h"

#include <curand.h>
#include <curand_mtgp32_host.h>
#include <curand_mtgp32dc_p_11213.h>

#include <cstring>

// The types in Fortran.
static_assert(sizeof(mtgp32_params_fast_t) == 59 * 4);
static_assert(sizeof(mtgp32_kernel_params_t) == 10201 * 4);

extern "C" {
mtgp32_params_fast_t heddleFortranMtgp32Parameters[CURAND_NUM_MTGP32_PARAMS];
}

static_assert(sizeof(mtgp32dc_params_fast_11213) >= sizeof(heddleFortranMtgp32Parameters));

/// Before main: Fortran's variables are no constants.
[[gnu::constructor]] static void copyParameters() {
  std::memcpy(heddleFortranMtgp32Parameters, mtgp32dc_params_fast_11213,
              sizeof heddleFortranMtgp32Parameters);
}

HEDDLE_FORTRAN int heddleFortranMtgp32Constants(const mtgp32_params_fast_t *parameters,
                                                mtgp32_kernel_params_t *p) {
  return curandMakeMTGP32Constants(parameters, p);
}

HEDDLE_FORTRAN int heddleFortranMtgp32States(curandStateMtgp32_t *states,
                                             const mtgp32_params_fast_t *parameters,
                                             mtgp32_kernel_params_t *k, int count,
                                             unsigned long long seed) {
  return curandMakeMTGP32KernelState(states, parameters, k, count, seed);
}
