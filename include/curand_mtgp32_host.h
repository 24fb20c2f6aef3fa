// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's part of MTGP32 in kernels (cuRAND guide, 3.1.2): parameters and states in device
// memory. For C++; a header only, so that programs need not link the library for it.
#ifndef HEDDLE_CURAND_MTGP32_HOST_H
#define HEDDLE_CURAND_MTGP32_HOST_H
#define CURAND_MTGP32_HOST_H

#ifdef __cplusplus // there is no C form of the device API

#include "cuda_runtime_api.h"
#include "curand.h"
#include "curand_mtgp32.h"
#include "heddle/random/mtgp32_step.h"

#include <stdlib.h>
#include <string.h>

/// Copies the first 200 parameter sets to the device. CURAND_STATUS_INITIALIZATION_FAILED if the
/// copy fails, CURAND_STATUS_ALLOCATION_FAILED without memory for it.
static inline curandStatus_t curandMakeMTGP32Constants(const mtgp32_params_fast_t params[],
                                                       mtgp32_kernel_params_t *p) {
  mtgp32_kernel_params_t *made = (mtgp32_kernel_params_t *)malloc(sizeof *made);
  if (!made)
    return CURAND_STATUS_ALLOCATION_FAILED;
  for (int i = 0; i < CURAND_NUM_MTGP32_PARAMS; ++i) {
    made->pos_tbl[i] = (unsigned)params[i].pos;
    made->sh1_tbl[i] = (unsigned)params[i].sh1, made->sh2_tbl[i] = (unsigned)params[i].sh2;
    memcpy(made->param_tbl[i], params[i].tbl, sizeof params[i].tbl);
    memcpy(made->temper_tbl[i], params[i].tmp_tbl, sizeof params[i].tmp_tbl);
    memcpy(made->single_temper_tbl[i], params[i].flt_tmp_tbl, sizeof params[i].flt_tmp_tbl);
  }
  made->mask[0] = params[0].mask;
  cudaError_t error = cudaMemcpy(p, made, sizeof *made, cudaMemcpyHostToDevice);
  free(made);
  return error == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_INITIALIZATION_FAILED;
}

/// Makes the states of the first n parameter sets, n up to 200, in device memory. `k` is what
/// curandMakeMTGP32Constants filled.
static inline curandStatus_t curandMakeMTGP32KernelState(curandStateMtgp32_t *s,
                                                         const mtgp32_params_fast_t params[],
                                                         mtgp32_kernel_params_t *k, int n,
                                                         unsigned long long seed) {
  if (n < 0 || n > CURAND_NUM_MTGP32_PARAMS)
    return CURAND_STATUS_OUT_OF_RANGE;
  curandStateMtgp32_t *made = (curandStateMtgp32_t *)calloc((size_t)n, sizeof *made);
  if (!made)
    return CURAND_STATUS_ALLOCATION_FAILED;
  for (int i = 0; i < n; ++i) {
    heddle::random::seedMtgp(made[i].s, params[i], heddle::random::mtgpSeed(seed, (unsigned)i));
    made[i].pIdx = i;
    made[i].k = k;
  }
  cudaError_t error = cudaMemcpy(s, made, sizeof *made * (size_t)n, cudaMemcpyHostToDevice);
  free(made);
  return error == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_INITIALIZATION_FAILED;
}

#endif // __cplusplus

#endif // HEDDLE_CURAND_MTGP32_HOST_H
